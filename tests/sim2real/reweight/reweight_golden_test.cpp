// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim2real/reweight/flow.h"
#include "tests/sim2real/reweight/problems.h"
#include "tests/support/golden.h"

namespace simulacra::reweight {
namespace {

namespace golden = test::golden;
using golden::Json;

/// Column by column, as a list of `rows` is compared.
void expect_rows(const Json& expected, const std::vector<std::vector<double>>& got, const Json& tol) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t r = 0; r < got.size(); ++r) {
    ASSERT_EQ(expected[r].size(), got[r].size());
    for (std::size_t k = 0; k < got[r].size(); ++k) {
      const double want = expected[r][k].get<double>();
      EXPECT_TRUE(std::abs(got[r][k] - want) <= tol.at("atol").get<double>() + tol.at("rtol").get<double>() * std::abs(want))
          << "row " << r << ", column " << k << ": " << got[r][k] << ", expected " << want;
    }
  }
}

double norm(const std::vector<double>& v) { return std::sqrt(dense::dot(v, v)); }

TEST(DataReweighting, RegressionHypergradient) {
  SIM_NEED_GOLDEN(file, "data_reweighting");
  const Json& c = golden::find_case(file, "regression_hypergradient");
  const Json& expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const test::NoisyRegression data = test::noisy_regression(c);
  const Regression problem = data.problem();
  const auto w = dense::softmax(golden::tensor(c.at("inputs").at("logits")).values);
  const auto theta = problem.inner_solution(w), psi = problem.hypergradient(theta, w);
  const auto stepped = multiplicative_step(w, psi, c.at("params").at("step"));
  EXPECT_TRUE(golden::agrees(expected, "y", data.y, tol));
  EXPECT_TRUE(golden::agrees(expected, "w", w, tol));
  EXPECT_TRUE(golden::agrees(expected, "theta_star", theta, tol));
  EXPECT_TRUE(golden::agrees(expected, "outer_loss", problem.outer_loss(theta), tol));
  EXPECT_TRUE(golden::agrees(expected, "psi", psi, tol));
  EXPECT_TRUE(golden::agrees(expected, "grad_logits", logit_gradient(w, psi), tol));
  EXPECT_TRUE(golden::agrees(expected, "w_after_step", stepped, tol));
  EXPECT_TRUE(golden::agrees(expected, "ess_before", effective_sample_size(w), tol));
  EXPECT_TRUE(golden::agrees(expected, "ess_after", effective_sample_size(stepped), tol));
  const auto other = golden::tensor(c.at("inputs").at("other_theta")).values;
  EXPECT_TRUE(golden::agrees(expected, "psi_at_other_theta", problem.hypergradient(other, w), tol));
  EXPECT_TRUE(golden::agrees(expected, "look_ahead_weights", look_ahead_weights(problem, std::vector<double>(theta.size())), tol));
  EXPECT_TRUE(golden::agrees(expected, "psi_with_entropy_0.02", with_entropy(psi, w, 0.02), tol));
}

TEST(DataReweighting, JointFlow) {
  SIM_NEED_GOLDEN(file, "data_reweighting");
  const Json& c = golden::find_case(file, "joint_flow");
  const Regression problem = test::noisy_regression(c).problem();
  std::vector<std::vector<double>> rows;
  for (const Json& row : c.at("expected").at("rows")) {
    const double ratio = row[0], dt = std::min(0.1, 0.1 / ratio);
    const FlowState state = joint_flow(problem, std::vector<double>(problem.num_parameters()), std::vector<double>(problem.num_points()),
                                       {.ratio = ratio, .dt = dt, .steps = c.at("params").at("steps")});
    const auto w = state.weights();
    rows.push_back({ratio, dt, effective_sample_size(w), *std::ranges::max_element(w), problem.outer_loss(state.theta), norm(state.theta)});
  }
  expect_rows(c.at("expected").at("rows"), rows, *golden::tolerance(file, c, "float64"));
}

TEST(DataReweighting, FrozenParametersSparse) {
  SIM_NEED_GOLDEN(file, "data_reweighting");
  const Json& c = golden::find_case(file, "frozen_parameters_sparse");
  const Regression problem = test::noisy_regression(c).problem();
  const std::size_t n = problem.num_points();
  const auto theta = problem.inner_solution(std::vector<double>(n, 1 / static_cast<double>(n)));
  const double dt = c.at("params").at("dt");
  std::vector<double> log_w(n);
  std::vector<std::vector<double>> rows;
  double time = 0;
  for (const Json& row : c.at("expected").at("rows")) {
    const double until = row[0];
    log_w = frozen_flow(problem, theta, log_w, dt, static_cast<std::size_t>(std::lround((until - time) / dt)));
    time = until;
    const auto w = dense::softmax(log_w);
    rows.push_back({until, effective_sample_size(w), static_cast<double>(std::ranges::count_if(w, [](double v) { return v > 1e-3; }))});
  }
  EXPECT_LE(rows.back()[2], static_cast<double>(problem.num_parameters()));
  expect_rows(c.at("expected").at("rows"), rows, *golden::tolerance(file, c, "float64"));
}

dense::Matrix points(const Json& c) { return {c.at("params").at("n"), c.at("params").at("p"), golden::tensor(c.at("inputs").at("X")).values}; }

TEST(DataReweighting, MeanEstimationTilt) {
  SIM_NEED_GOLDEN(file, "data_reweighting");
  const Json& c = golden::find_case(file, "mean_estimation_tilt");
  const Json& expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const dense::Matrix x = points(c);
  const auto target = c.at("params").at("target").get<std::vector<double>>();
  const Tilt tilt = exponential_tilt(x, target);
  EXPECT_TRUE(golden::agrees(expected, "tilt_c", tilt.c, tol));
  EXPECT_TRUE(golden::agrees(expected, "w_limit", tilt.w, tol));
  EXPECT_TRUE(golden::agrees(expected, "ess_limit", effective_sample_size(tilt.w), tol));

  // The exact flow, theta = theta*(w) at each step, ends there too.
  const MeanEstimation problem(x, target);
  std::vector<double> log_w(x.rows);
  for (int step = 0; step < 4000; ++step) {
    const auto w = dense::softmax(log_w), psi = problem.hypergradient(problem.inner_solution(w), w);
    for (std::size_t i = 0; i < log_w.size(); ++i) log_w[i] += -0.5 * psi[i];
  }
  EXPECT_TRUE(golden::agrees(expected, "w_limit", dense::softmax(log_w), tol));

  const auto theta0 = golden::tensor(c.at("inputs").at("theta0")).values;
  const double time = c.at("params").at("time");
  // Psi is constant: one step of the whole time is the exact flow.
  const auto frozen = dense::softmax(frozen_flow(problem, theta0, std::vector<double>(x.rows), time, 1));
  EXPECT_TRUE(golden::agrees(expected, "w_frozen_at_time", frozen, tol));
  const auto late = dense::softmax(frozen_flow(problem, theta0, std::vector<double>(x.rows), 1e4, 1));
  const auto vertex = std::ranges::max_element(late) - late.begin();
  EXPECT_EQ(vertex, expected.at("frozen_limit_vertex").get<std::int64_t>());
  EXPECT_NEAR(late[static_cast<std::size_t>(vertex)], 1, 1e-12);
}

TEST(DataReweighting, Float32Weights) {
  SIM_NEED_GOLDEN(file, "data_reweighting");
  const Json& c = golden::find_case(file, "float32_weights");
  const Json& params = c.at("params");
  const auto target = params.at("target").get<std::vector<double>>();
  const MeanEstimation problem(points(c), target);
  std::vector<std::vector<double>> rows;
  for (const Json& row : c.at("expected").at("rows")) {
    const double ratio = row[0], dt = std::min(0.01, 0.05 / ratio);
    const FlowState state = joint_flow(problem, params.at("theta0").get<std::vector<double>>(), std::vector<double>(problem.num_points()),
                                       {.ratio = ratio, .dt = dt, .steps = static_cast<std::size_t>(std::lround(params.at("time").get<double>() / dt))});
    auto miss = problem.inner_solution(state.weights());
    for (std::size_t j = 0; j < miss.size(); ++j) miss[j] -= target[j];
    rows.push_back({ratio, dt, effective_sample_size(state.weights()), state.smallest_ess, norm(miss)});
  }
  expect_rows(c.at("expected").at("rows"), rows, *golden::tolerance(file, c, "float64"));
}

}  // namespace
}  // namespace simulacra::reweight
