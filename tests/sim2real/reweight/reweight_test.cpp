// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "render/base/error.h"
#include "sim2real/reweight/flow.h"
#include "tests/sim2real/reweight/problems.h"

namespace simulacra::reweight {
namespace {

namespace golden = test::golden;

TEST(Reweight, TheHypergradientIsTheDerivativeOfTheOuterLoss) {
  const Regression problem = test::noisy_regression(900, 30, 6, 40).problem();
  const auto w = dense::softmax(golden::generate("sym24", 911, 30)), direction = golden::generate("sym24", 912, 30);
  const auto loss = [&](double e) {
    std::vector<double> moved = w;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += e * direction[i];
    return problem.outer_loss(problem.inner_solution(moved));
  };
  // Central difference with h = 1e-6: h^2 of truncation, eps/h of rounding.
  const double slope = dense::dot(problem.hypergradient(problem.inner_solution(w), w), direction);
  EXPECT_NEAR((loss(1e-6) - loss(-1e-6)) / 2e-6 / slope, 1, 1e-6);
}

TEST(Reweight, StepsKeepTheSimplexAndIgnoreAConstant) {
  const auto w = dense::softmax(golden::generate("sym24", 1, 12, 5));
  auto psi = golden::generate("normal12", 2, 12);
  const auto stepped = multiplicative_step(w, psi, 0.7);
  EXPECT_NEAR(std::accumulate(stepped.begin(), stepped.end(), 0.0), 1, 1e-14);
  const auto gradient = logit_gradient(w, psi);
  EXPECT_NEAR(std::accumulate(gradient.begin(), gradient.end(), 0.0), 0, 1e-14);
  for (double& p : psi) p += 3.25;
  const auto shifted = multiplicative_step(w, psi, 0.7);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(shifted[i], stepped[i], 1e-15);
  const auto same = logit_gradient(w, psi);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(same[i], gradient[i], 1e-15);
}

TEST(Reweight, AWeightOfZeroStaysZero) {
  const auto w = multiplicative_step(std::vector<double>{0.5, 0, 0.5}, std::vector<double>{0, -1e6, 0}, 1);
  EXPECT_EQ(w[1], 0);
  EXPECT_NEAR(w[0], 0.5, 1e-15);
}

TEST(Reweight, PermutingThePointsPermutesTheWeights) {
  const test::NoisyRegression data = test::noisy_regression(930, 20, 3, 15);
  test::NoisyRegression turned = data;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t from = (i + 7) % 20;
    turned.y[i] = data.y[from];
    for (std::size_t j = 0; j < 3; ++j) turned.x(i, j) = data.x(from, j);
  }
  const FlowOptions options{.ratio = 3, .dt = 0.03, .steps = 200};
  const auto a = joint_flow(data.problem(), {0, 0, 0}, std::vector<double>(20), options).weights();
  const auto b = joint_flow(turned.problem(), {0, 0, 0}, std::vector<double>(20), options).weights();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(b[i], a[(i + 7) % 20], 1e-10);
}

TEST(Reweight, WithoutPenaltyALinearChangeOfParametersChangesNothing) {
  test::NoisyRegression data = test::noisy_regression(940, 20, 2, 15);
  data.mu = 0;
  test::NoisyRegression changed = data;   // theta = A theta', so x' = A^T x
  const double a[4] = {2, 0.5, -1, 0.25};
  for (auto [matrix, source] : {std::pair{&changed.x, &data.x}, std::pair{&changed.x_outer, &data.x_outer}})
    for (std::size_t i = 0; i < matrix->rows; ++i)
      for (std::size_t j = 0; j < 2; ++j) (*matrix)(i, j) = a[j] * (*source)(i, 0) + a[2 + j] * (*source)(i, 1);
  const std::vector<double> w(20, 0.05);
  const auto p = data.problem(), q = changed.problem();
  const auto psi = p.hypergradient(p.inner_solution(w), w), other = q.hypergradient(q.inner_solution(w), w);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(other[i], psi[i], 1e-9);
}

TEST(Reweight, LogWeightsOfMeanEstimationStayAffineInThePoints) {
  const dense::Matrix x(40, 3, golden::generate("normal12", 950, 120));
  for (const double ratio : {0.1, 5.0}) {
    const FlowState state = joint_flow(MeanEstimation(x, {0.3, -0.2, 0.1}), {1, 1, -1}, std::vector<double>(40), {.ratio = ratio, .dt = 0.02, .steps = 2000});
    // Least squares of log w on (1, x).
    dense::Matrix design(40, 4);
    for (std::size_t i = 0; i < 40; ++i) {
      design(i, 0) = 1;
      for (std::size_t j = 0; j < 3; ++j) design(i, j + 1) = x(i, j);
    }
    const auto fit = dense::solve_spd(dense::weighted_gram(design, std::vector<double>(40, 1), 0), dense::transposed_times(design, state.log_w));
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(dense::dot(design.row(i), fit), state.log_w[i], 1e-10) << ratio;
  }
}

TEST(Reweight, LookAheadIsUniformWhenNoPointHelps) {
  // One parameter: every point pulls to larger theta, the outer point to smaller.
  const Regression problem({2, 1, {1, 1}}, {1, 2}, {1, 1, {1}}, {-1}, 0.1);
  EXPECT_EQ(look_ahead_weights(problem, std::vector<double>{0}), (std::vector<double>{0.5, 0.5}));
  const Regression helpful({2, 1, {1, 1}}, {-1, 2}, {1, 1, {1}}, {-1}, 0.1);
  EXPECT_EQ(look_ahead_weights(helpful, std::vector<double>{0}), (std::vector<double>{1, 0}));
}

TEST(Reweight, WrongInputsAreAnsweredInOneLine) {
  try {
    exponential_tilt({4, 1, {0, 1, 2, 3}}, std::vector<double>{5});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("outside the points' hull"));
  }
  EXPECT_THROW(Regression({2, 1, {1, 1}}, {1}, {1, 1, {1}}, {0}, 0), Error);
  EXPECT_THROW(dense::solve_spd({2, 2, {1, 2, 2, 1}}, std::vector<double>{1, 1}), Error);
}

}  // namespace
}  // namespace simulacra::reweight
