// SPDX-License-Identifier: Apache-2.0
// Every case of hypergradient.json.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim2real/bilevel/hypergradient.h"
#include "sim2real/bilevel/solvers.h"
#include "tests/support/golden.h"

namespace simulacra::bilevel {
namespace {

namespace golden = test::golden;
using golden::Json;

dense::Matrix matrix(const Json& in, const char* name) {
  const golden::Tensor t = golden::tensor(in.at(name));
  return {static_cast<std::size_t>(t.shape[0]), static_cast<std::size_t>(t.shape[1]), t.values};
}
std::vector<double> values(const Json& in, const char* name) { return golden::tensor(in.at(name)).values; }

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

std::vector<double> moved(std::vector<double> x, const std::vector<double>& direction, double by) {
  const double norm = std::sqrt(dense::dot(direction, direction));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * direction[i] / norm;
  return x;
}

/// The ridge problem of a case.
struct Ridge {
  SquaredLoss data;
  SquaredLoss quadratic;
  LinearLoss linear;
  bool is_quadratic;
  std::vector<double> y, direction;
  PenaltyTuning tuning;

  static std::vector<double> labels(const Json& in) {
    std::vector<double> b = dense::times(matrix(in, "A"), values(in, "t"));
    const std::vector<double> e = values(in, "e");
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += e[i];
    return b;
  }
  explicit Ridge(const Json& c)
      : data(matrix(c.at("inputs"), "A"), labels(c.at("inputs")), 1 / c.at("params").at("n").get<double>()),
        quadratic(matrix(c.at("inputs"), "A_o"), values(c.at("inputs"), "b_o"), 1), linear(values(c.at("inputs"), "b_o")),
        is_quadratic(c.at("params").at("outer") == "quadratic"), y(values(c.at("inputs"), "y_unit")),
        direction(values(c.at("inputs"), "direction")),
        tuning(data, is_quadratic ? static_cast<const Loss&>(quadratic) : linear, 1 / c.at("params").at("p").get<double>()) {
    const double lo = c.at("params").at("y_range")[0], hi = c.at("params").at("y_range")[1];
    for (double& v : y) v = lo + (hi - lo) * v;
  }
};

const std::map<std::string, Estimator> kEstimators = {{"vanilla", Estimator::vanilla}, {"jacobi", Estimator::jacobi}, {"newton", Estimator::newton},
                                                      {"reparam_diag", Estimator::reparam_diag}, {"reparam_exp", Estimator::reparam_exp}};

TEST(Hypergradient, SinglePenalty) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  const Json& c = golden::find_case(file, "single_penalty");
  const Json tol = *golden::tolerance(file, c, "float64");
  const double lambda = c.at("params").at("lambda");
  const dense::Matrix a = matrix(c.at("inputs"), "A");
  const SquaredLoss data(a, values(c.at("inputs"), "b"), 1 / static_cast<double>(a.rows));
  // One penalty for all: y_j = log lambda; dx*/dlambda = sum_j dx*/dy_j / lambda, so that along any b its product is the
  // hypergradient of b.x.
  const std::vector<double> y(a.columns, std::log(lambda));
  std::vector<double> slope(a.columns);
  for (std::size_t k = 0; k < a.columns; ++k) {
    std::vector<double> unit(a.columns);
    unit[k] = 1;
    const LinearLoss outer(unit);
    const PenaltyTuning tuning(data, outer, 1);
    const auto x = tuning.solution(y);
    EXPECT_TRUE(golden::agrees(c.at("expected"), "x_star", x, tol));
    for (const double g : tuning.hypergradient(x, y)) slope[k] += g / lambda;
  }
  EXPECT_TRUE(golden::agrees(c.at("expected"), "dx_dlambda", slope, tol));
}

class RidgeCases : public ::testing::TestWithParam<const char*> {};

TEST_P(RidgeCases, ExactAndFiveEstimators) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  const Json& c = golden::find_case(file, GetParam());
  const Json& expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const Ridge ridge(c);
  const auto x = ridge.tuning.solution(ridge.y);
  const auto exact = ridge.tuning.hypergradient(x, ridge.y);
  EXPECT_TRUE(golden::agrees(expected, "x_star", x, tol));
  EXPECT_TRUE(golden::agrees(expected, "outer_loss", ridge.tuning.outer_loss(x), tol));
  EXPECT_TRUE(golden::agrees(expected, "exact", exact, tol));
  const double scale = std::sqrt(dense::dot(exact, exact));
  bool first = true;
  for (const Json& row : expected.at("error_rows")) {
    const auto q = moved(x, ridge.direction, row[0]);
    std::size_t column = 0;
    for (const char* name : {"vanilla", "jacobi", "newton", "reparam_diag", "reparam_exp"}) {
      const auto got = ridge.tuning.hypergradient(q, ridge.y, kEstimators.at(name));
      if (first) {
        EXPECT_TRUE(golden::agrees(expected.at("at_first_eps"), name, got, tol)) << name;
      }
      const double error = distance(got, exact), wanted = row[++column];
      // A difference of two numbers of size `scale`: rounding leaves 1e-13 of it.
      EXPECT_NEAR(error, wanted, tol.at("rtol").get<double>() * wanted + 1e-12 * std::max(1.0, scale)) << name << " at " << row[0];
    }
    first = false;
  }
}
INSTANTIATE_TEST_SUITE_P(All, RidgeCases, ::testing::Values("ridge_quadratic_strong", "ridge_quadratic_weak", "ridge_linear"));

TEST(Hypergradient, LinearReparameterisationChangesNothing) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  const Json& c = golden::find_case(file, "linear_reparameterisation");
  const Json tol = *golden::tolerance(file, c, "float64");
  const Ridge ridge(c);
  const auto x = moved(ridge.tuning.solution(ridge.y), ridge.direction, 0.3);
  EXPECT_TRUE(golden::agrees(c.at("expected"), "hypergradient", ridge.tuning.hypergradient(x, ridge.y), tol));
  // The same with the linear system in z, x = (M + 2 I) z: v = M (M^T H M)^-1 M^T g.
  dense::Matrix m = matrix(c.at("inputs"), "M");
  for (std::size_t i = 0; i < m.rows; ++i) m(i, i) += 2;
  const auto in_z = ridge.tuning.hypergradient(x, ridge.y, [&](const dense::Matrix& h, std::span<const double> g) {
    const std::size_t p = m.rows;
    dense::Matrix hz(p, p);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j < p; ++j)
        for (std::size_t k = 0; k < p; ++k)
          for (std::size_t l = 0; l < p; ++l) hz(i, j) += m(k, i) * h(k, l) * m(l, j);
    return dense::times(m, dense::solve_spd(hz, dense::transposed_times(m, g)));
  });
  EXPECT_TRUE(golden::agrees(c.at("expected"), "hypergradient", in_z, tol));
}

TEST(Hypergradient, Logistic) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  const Json &c = golden::find_case(file, "logistic"), &in = c.at("inputs"), &expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const auto signs = [](std::vector<double> t) {
    for (double& v : t) v = v >= 0 ? 1 : -1;
    return t;
  };
  const LogisticLoss data(matrix(in, "A"), signs(Ridge::labels(in)));
  const LogisticLoss outer(matrix(in, "A_v"), signs(dense::times(matrix(in, "A_v"), values(in, "t"))));
  const PenaltyTuning tuning(data, outer, 1 / c.at("params").at("p").get<double>());
  const auto y = values(in, "y_unit");
  const auto x = tuning.solution(y), exact = tuning.hypergradient(x, y);
  EXPECT_TRUE(golden::agrees(expected, "x_star", x, tol));
  EXPECT_TRUE(golden::agrees(expected, "exact", exact, tol));
  std::vector<std::vector<double>> rows;
  for (const Json& row : expected.at("error_rows")) {
    const auto q = moved(x, values(in, "direction"), row[0]);
    rows.push_back({row[0]});
    for (const Estimator e : {Estimator::vanilla, Estimator::jacobi, Estimator::newton}) {
      rows.back().push_back(distance(tuning.hypergradient(q, y, e), exact));
      const double wanted = row[rows.back().size() - 1];
      EXPECT_NEAR(rows.back().back(), wanted, tol.at("rtol").get<double>() * wanted + tol.at("atol").get<double>());
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const auto &a = rows[rows.size() - 2], &b = rows.back();
    const double slope = std::log(a[k + 1] / b[k + 1]) / std::log(a[0] / b[0]), wanted = expected.at("last_slopes")[k];
    EXPECT_NEAR(slope, wanted, tol.at("slopes_abs").get<double>()) << k;
  }
}

class SolverCases : public ::testing::TestWithParam<const char*> {};

TEST_P(SolverCases, NeumannAndConjugateGradients) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  const Json &c = golden::find_case(file, GetParam()), &expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const std::size_t p = c.at("params").at("p");
  const double kappa = c.at("params").at("kappa");
  const dense::Matrix q(p, p, golden::orthogonal(c.at("params").at("orthogonal_seed"), p));
  dense::Matrix h(p, p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j)
      for (std::size_t k = 0; k < p; ++k)
        h(i, j) += q(i, k) * std::pow(kappa, -static_cast<double>(k) / static_cast<double>(p - 1)) * q(j, k);
  const auto g = values(c.at("inputs"), "g");
  const auto v = dense::solve_spd(h, g);
  EXPECT_TRUE(golden::agrees(expected, "v", v, tol));
  const Product product = [&](std::span<const double> x) { return dense::times(h, x); };
  const auto curve = [&](bool cg, std::vector<double>& errors) -> double {
    const Watch watch = [&](std::size_t, std::span<const double> at) {
      errors.push_back(distance({at.begin(), at.end()}, v) / std::sqrt(dense::dot(v, v)));
      return errors.back() < 1e-6;
    };
    cg ? conjugate_gradients(product, g, p + 40, watch) : neumann(product, g, 1, 100'000, watch);
    return static_cast<double>(errors.size());
  };
  for (const bool cg : {false, true}) {
    std::vector<double> errors;
    const double steps = curve(cg, errors), wanted_steps = expected.at(cg ? "cg_steps_to_1e-6" : "neumann_steps_to_1e-6");
    EXPECT_NEAR(steps, wanted_steps, tol.at("steps").get<double>());
    for (const Json& row : expected.at(cg ? "cg" : "neumann")) {
      const auto k = row[0].get<std::size_t>();
      if (k > errors.size()) continue;   // kept beyond 1e-6
      EXPECT_NEAR(errors[k - 1], row[1].get<double>(), tol.at("rtol").get<double>() * row[1].get<double>() + tol.at("atol").get<double>()) << k;
    }
  }
  EXPECT_NEAR(largest_eigenvalue(product, p, 400, 7), 1, 1e-3);
}
INSTANTIATE_TEST_SUITE_P(All, SolverCases, ::testing::Values("solvers_kappa_10", "solvers_kappa_100"));

TEST(Hypergradient, EveryCaseOfTheFileIsTested) {
  SIM_NEED_GOLDEN(file, "hypergradient");
  EXPECT_EQ(file.at("cases").size(), 8u);
}

}  // namespace
}  // namespace simulacra::bilevel
