// SPDX-License-Identifier: Apache-2.0
// Every case of ema_scaling.json, in every type that it names.
#include <torch/torch.h>

#include <cmath>

#include "learning/optim/model_average.h"
#include "tests/support/golden.h"

namespace simulacra::optim {
namespace {

namespace golden = test::golden;
using golden::Json;

struct Type {
  const char* name;
  torch::ScalarType scalar;
};
constexpr Type kTypes[] = {{"float64", torch::kDouble}, {"float32", torch::kFloat}};

double rounded(double x, const Type& type) { return type.scalar == torch::kFloat ? static_cast<double>(static_cast<float>(x)) : x; }

HyperParameters base_of(const Json& p) {
  return {.batch = p.at("batch"), .lr = p.at("lr"), .beta1 = p.at("beta1"), .beta2 = p.at("beta2"), .eps = p.at("eps"),
          .weight_decay = p.at("weight_decay"), .rho = p.at("rho")};
}

std::vector<std::pair<std::string, double>> named(const HyperParameters& h) {
  return {{"batch", h.batch}, {"rho", h.rho}, {"lr", h.lr}, {"beta1", h.beta1}, {"beta2", h.beta2}, {"eps", h.eps},
          {"weight_decay", h.weight_decay}, {"half_life_in_samples", half_life_in_samples(h)}};
}

/// A model of one parameter and its average.
struct Model {
  Model(std::vector<double> theta0, const Type& type)
      : theta(torch::tensor(theta0, torch::kDouble).to(type.scalar).set_requires_grad(true)),
        flat({{.name = "all", .parameters = {{"theta", theta}}}}), mean(flat) {}
  void set(const std::vector<double>& values) {
    const torch::NoGradGuard no_grad;
    theta.copy_(torch::tensor(values, torch::kDouble));
  }
  std::vector<double> average() const {
    const torch::Tensor d = mean.values().narrow(0, 0, theta.numel()).to(torch::kDouble).contiguous();
    return {d.const_data_ptr<double>(), d.const_data_ptr<double>() + d.numel()};
  }

  torch::Tensor theta;
  FlatParameters flat;
  ModelAverage mean;
};

TEST(EmaScaling, Rule) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "scaling_rule");
  const HyperParameters base = base_of(c.at("params"));
  for (const Type& type : kTypes)
    for (const Json& r : c.at("expected").at("rows")) {
      const auto kind = r.at("optimiser") == "sgd" ? OptimizerKind::sgd : OptimizerKind::adam;
      for (const auto& [name, value] : named(scale_hyperparameters(base, r.at("k"), kind).values))
        if (r.contains(name)) {
          EXPECT_TRUE(golden::agrees(r, name, rounded(value, type), *golden::tolerance(file, c, type.name))) << r.at("k");
        }
    }
}

TEST(EmaScaling, Warnings) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "scaling_rule");
  for (const Json& w : c.at("expected").at("warnings")) {
    const Scaled s = scale_hyperparameters(base_of(c.at("params")), w.at(0), OptimizerKind::adam);
    EXPECT_EQ(s.second_moment_short, w.at(1).get<bool>()) << w.dump();
    EXPECT_EQ(s.average_short, w.at(2).get<bool>()) << w.dump();
    EXPECT_EQ(s.beta1_valid, w.at(3).get<bool>()) << w.dump();
    EXPECT_EQ(s.warnings.size(), s.second_moment_short + s.average_short + !s.beta1_valid);
  }
}

TEST(EmaScaling, RuleIsAGroup) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "scaling_rule");
  const HyperParameters base = base_of(c.at("params"));
  const auto k = c.at("params").at("group").get<std::vector<double>>();
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
    const auto once = named(scale_hyperparameters(base, k.at(0) * k.at(1), kind).values);
    const auto twice = named(scale_hyperparameters(scale_hyperparameters(base, k.at(0), kind).values, k.at(1), kind).values);
    const auto back = named(scale_hyperparameters(scale_hyperparameters(base, k.at(1), kind).values, 1 / k.at(1), kind).values);
    for (std::size_t i = 0; i < once.size(); ++i) {
      EXPECT_NEAR(twice[i].second, once[i].second, 1e-12 * std::abs(once[i].second)) << once[i].first;
      EXPECT_NEAR(back[i].second, named(base)[i].second, 1e-12 * std::abs(back[i].second)) << once[i].first;
    }
  }
}

TEST(EmaScaling, KStepsAgainstOne) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "k_steps_versus_one");
  const Json& p = c.at("params");
  const double theta0 = p.at("theta0"), zeta0 = p.at("zeta0"), lr = p.at("lr"), g = p.at("g");
  const auto run = [&](const Type& type, int steps, double step, double rho, bool from_old) {
    Model m({zeta0}, type);
    for (int t = 0; t < steps; ++t) {
      m.set({theta0 - (from_old ? t : t + 1) * step * g});
      m.mean.update(m.flat, rho);
    }
    return m.average();
  };
  for (const Type& type : kTypes)
    for (const Json& r : c.at("expected").at("rows")) {
      SCOPED_TRACE(type.name + r.dump());
      const int k = r.at(0);
      const double rho = r.at(1);
      const Scaled big = scale_hyperparameters({.lr = lr, .rho = rho}, k, OptimizerKind::sgd);
      const Json want = {{"old", r.at(2)}, {"new", r.at(3)}, {"big_old", r.at(4)}, {"big_new", r.at(5)}};
      const Json tolerance = *golden::tolerance(file, c, type.name);
      EXPECT_TRUE(golden::agrees(want, "old", run(type, k, lr, rho, true), tolerance));
      EXPECT_TRUE(golden::agrees(want, "new", run(type, k, lr, rho, false), tolerance));
      EXPECT_TRUE(golden::agrees(want, "big_old", run(type, 1, big.values.lr, big.values.rho, true), tolerance));
      EXPECT_TRUE(golden::agrees(want, "big_new", run(type, 1, big.values.lr, big.values.rho, false), tolerance));
    }
}

/// Stationary variances of theta and of its average, for noise of variance 1/k a batch: the sums of the squares of the
/// responses to one unit of noise. Followed until both have fallen below 1e-9 of their peak.
struct Variances {
  double theta = 0, zeta = 0;
};
Variances variances(double a, double k, double lr, double rho, const Type& type) {
  Model m({0.0}, type);
  Variances v;
  double x = lr;
  for (double t = 0; t < 25 / std::min(lr * a, rho > 0 ? -std::log(rho) : 1.0) + 2; ++t) {
    m.set({x});
    v.theta += x * x / k;
    m.mean.update(m.flat, rho);
    v.zeta += m.average()[0] * m.average()[0] / k;
    x *= 1 - lr * a;
  }
  return v;
}

TEST(EmaScaling, VarianceOfALinearProblem) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "linear_problem");
  const Json& p = c.at("params");
  const double a = p.at("a"), lr = p.at("lr"), rho = p.at("rho");
  const Json& expected = c.at("expected");
  for (const Type& type : kTypes) {
    const Json tolerance = *golden::tolerance(file, c, type.name);
    const double base = variances(a, 1, lr, rho, type).zeta;
    EXPECT_TRUE(golden::agrees(expected, "base_var_zeta", base, tolerance));
    for (const Json& r : expected.at("rows")) {
      SCOPED_TRACE(type.name + r.dump());
      const double k = r.at(0);
      const HyperParameters scaled = scale_hyperparameters({.lr = lr, .rho = rho}, k, OptimizerKind::sgd).values;
      const Json want = {{"theta", r.at(1)}, {"scaled", r.at(2)}, {"unscaled", r.at(3)}, {"linear", r.at(4)}};
      const Variances v = variances(a, k, scaled.lr, scaled.rho, type);
      EXPECT_TRUE(golden::agrees(want, "theta", v.theta, tolerance));
      EXPECT_TRUE(golden::agrees(want, "scaled", v.zeta / base, tolerance));
      EXPECT_TRUE(golden::agrees(want, "unscaled", variances(a, k, scaled.lr, rho, type).zeta / base, tolerance));
      EXPECT_TRUE(golden::agrees(want, "linear", variances(a, k, scaled.lr, std::max(0.0, 1 - k * (1 - rho)), type).zeta / base, tolerance));
    }
  }
}

TEST(EmaScaling, MeanPathOfALinearProblem) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "linear_problem");
  const Json& p = c.at("params");
  for (const Type& type : kTypes)
    for (const Json& r : c.at("expected").at("mean_path")) {
      const int k = r.at(0);
      const double lr = scale_hyperparameters({.lr = p.at("lr")}, k, OptimizerKind::sgd).values.lr;
      Model m({1.0}, type);
      double theta = 1;
      for (int t = 0; t < p.at("samples").get<int>() / k; ++t) {
        m.set({theta});
        m.mean.update(m.flat, r.at(1));
        theta -= lr * p.at("a").get<double>() * theta;
      }
      EXPECT_TRUE(golden::agrees(Json{{"zeta", r.at(2)}}, "zeta", m.average(), *golden::tolerance(file, c, type.name))) << r.dump();
    }
}

TEST(EmaScaling, BatchChangeOnTheWay) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "average_with_batch_change");
  const Json& p = c.at("params");
  const golden::Tensor path = golden::tensor(c.at("inputs").at("path"));
  const auto n = p.at("n").get<std::ptrdiff_t>();
  const auto at = [&](std::ptrdiff_t t) { return std::vector<double>(path.values.begin() + t * n, path.values.begin() + (t + 1) * n); };
  const HyperParameters base = {.rho = p.at("rho")};
  const double after = scale_hyperparameters(base, p.at("k"), OptimizerKind::adam).values.rho;
  for (const Type& type : kTypes) {
    Model m(at(0), type);
    std::size_t next = 0;
    const Json& rows = c.at("expected").at("zeta");
    for (int t = 1; t < p.at("steps").get<int>(); ++t) {
      m.set(at(t));
      m.mean.update(m.flat, t < p.at("switch_at").get<int>() ? base.rho : after);
      if (next >= rows.size() || rows[next].at(0) != t) continue;
      const Json want = {{"zeta", std::vector<double>(rows[next].begin() + 1, rows[next].end())}};
      EXPECT_TRUE(golden::agrees(want, "zeta", m.average(), *golden::tolerance(file, c, type.name))) << t;
      ++next;
    }
    EXPECT_EQ(next, rows.size());
  }
}

TEST(EmaScaling, CosineMomentum) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "average_with_batch_change");
  const Json& cosine = c.at("params").at("cosine");
  for (const Type& type : kTypes)
    for (const Json& r : c.at("expected").at("cosine")) {
      const double rho = cosine_momentum(cosine.at("rho"), r.at(0), cosine.at("total"));
      const double scaled = scale_hyperparameters({.rho = rho}, c.at("params").at("k"), OptimizerKind::sgd).values.rho;
      const Json want = {{"rho", r.at(1)}, {"scaled", r.at(2)}}, tolerance = *golden::tolerance(file, c, type.name);
      EXPECT_TRUE(golden::agrees(want, "rho", rounded(rho, type), tolerance));
      EXPECT_TRUE(golden::agrees(want, "scaled", rounded(scaled, type), tolerance));
    }
}

// Followed for 25 / (1 - rho) updates, after which the start weighs 1e-11 (14 in float: 1e-6, and smaller numbers).
TEST(EmaScaling, LagBehindARamp) {
  SIM_NEED_GOLDEN(file, "ema_scaling");
  const Json& c = golden::find_case(file, "ramp_lag");
  for (const Type& type : kTypes)
    for (const Json& r : c.at("expected").at("rows")) {
      const double rho = r.at(0);
      const int steps = static_cast<int>((type.scalar == torch::kDouble ? 27 : 14) / (1 - rho));
      Model of_new({0.0}, type), of_old({0.0}, type);
      for (int t = 0; t < steps; ++t) {
        of_old.set({double(t)});
        of_old.mean.update(of_old.flat, rho);
        of_new.set({double(t + 1)});
        of_new.mean.update(of_new.flat, rho);
      }
      const Json want = {{"new", r.at(1)}, {"old", r.at(2)}}, tolerance = *golden::tolerance(file, c, type.name);
      EXPECT_TRUE(golden::agrees(want, "new", steps - of_new.average()[0], tolerance)) << rho;
      EXPECT_TRUE(golden::agrees(want, "old", steps - of_old.average()[0], tolerance)) << rho;
    }
}

}  // namespace
}  // namespace simulacra::optim
