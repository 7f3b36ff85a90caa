// SPDX-License-Identifier: Apache-2.0
// The experiments `reweighting_speed` and `reweighting_float` of thresholds.json, on the same data and draws.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sim2real/reweight/flow.h"
#include "tests/sim2real/reweight/problems.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::reweight {
namespace {

namespace golden = test::golden;

struct Score {
  double ess = 0, outer = 0;
  Score& operator+=(const Score& other) { return ess += other.ess, outer += other.outer, *this; }
};

Score score(const Problem& problem, const std::vector<double>& theta, const std::vector<double>& w) {
  return {effective_sample_size(w), 2 * problem.outer_loss(theta)};
}

TEST(Experiments, ReweightingSpeed) {
  if (!test::shared_folder()) GTEST_SKIP() << "skipped: no shared data";
  std::map<std::string, Score> sums;
  std::vector<std::size_t> support_first, support_last;
  for (const std::uint64_t seed : {5000, 5100, 5200}) {
    const test::NoisyRegression data = test::noisy_regression(seed, 100, 20, 300);
    const Regression problem = data.problem();
    std::vector<double> clean;
    const double num_clean = static_cast<double>(std::ranges::count(data.bad, false));
    for (const bool bad : data.bad) clean.push_back(bad ? 0 : 1 / num_clean);
    sums["oracle"] += score(problem, problem.inner_solution(clean), clean);
    const auto flow = [&](double ratio, double entropy) {
      const double dt = std::min(0.1, 0.1 / ratio);
      const FlowState s = joint_flow(problem, std::vector<double>(20), std::vector<double>(100),
                                     {.ratio = ratio, .dt = dt, .steps = static_cast<std::size_t>(100 / dt), .entropy = entropy});
      return score(problem, s.theta, s.weights());
    };
    sums["0.1"] += flow(0.1, 0), sums["1"] += flow(1, 0), sums["10"] += flow(10, 0);
    sums["100 with entropy"] += flow(100, 0.02);
    const WeightsFirst limit = weights_first(problem, 8);
    sums["weights-first"] += score(problem, limit.theta, limit.w);
    support_first.push_back(limit.support.front()), support_last.push_back(limit.support.back());
  }
  for (auto& [name, s] : sums) {
    s.ess /= 3, s.outer /= 3;
    std::printf("%s: ESS %.1f, outer %.4f\n", name.c_str(), s.ess, s.outer);
  }
  const std::map<std::string, double> measured = {
      {"ESS(0.1)", sums["0.1"].ess}, {"ESS(1)", sums["1"].ess}, {"ESS(10)", sums["10"].ess},
      {"outer(joint 0.1)", sums["0.1"].outer}, {"outer(oracle)", sums["oracle"].outer},
      {"outer(weights-first)", sums["weights-first"].outer}, {"ESS(ratio 100 with entropy)", sums["100 with entropy"].ess},
      {"weights-first: support after cycle 1", static_cast<double>(std::ranges::max(support_first))},
      {"weights-first: support after cycle 8", static_cast<double>(std::ranges::max(support_last))}};
  for (const auto& check : test::threshold_checks("reweighting_speed")) EXPECT_TRUE(test::holds(check, measured));
}

/// Weights multiplied in place and stored as float: the negative control.
Score float_weights(const std::vector<double>& x64, double ratio, double time) {
  const std::vector<float> x(x64.begin(), x64.end()), target = {0.4f, -0.3f, 0.2f};
  std::vector<float> theta = {1.5f, -2.0f, 1.0f}, w(80, 1.0f / 80);
  const float h = static_cast<float>(std::min(0.01, 0.05 / ratio)), k = static_cast<float>(static_cast<double>(h) * ratio);
  for (int step = 0; step < static_cast<int>(time / static_cast<double>(h)); ++step) {
    std::vector<float> psi(80), mean(3);
    for (std::size_t i = 0; i < 80; ++i)
      for (std::size_t j = 0; j < 3; ++j) psi[i] += x[3 * i + j] * (theta[j] - target[j]), mean[j] += w[i] * x[3 * i + j];
    for (std::size_t j = 0; j < 3; ++j) theta[j] -= h * (theta[j] - mean[j]);
    const float least = *std::ranges::min_element(psi);
    float sum = 0;
    for (std::size_t i = 0; i < 80; ++i) sum += w[i] *= std::exp(-k * (psi[i] - least));
    for (float& v : w) v /= sum;
  }
  const std::vector<double> final_w(w.begin(), w.end());
  const MeanEstimation problem({80, 3, x64}, {0.4, -0.3, 0.2});
  return {effective_sample_size(final_w), std::sqrt(2 * problem.outer_loss(problem.inner_solution(final_w)))};
}

TEST(Experiments, ReweightingFloat) {
  if (!test::shared_folder()) GTEST_SKIP() << "skipped: no shared data";
  const auto x = golden::generate("normal12", 5300, 240);
  const std::vector<double> target = {0.4, -0.3, 0.2};
  const MeanEstimation problem({80, 3, x}, target);
  const double tilt = effective_sample_size(exponential_tilt({80, 3, x}, target).w);
  double least_share = 1, largest_error = 0;
  for (const double ratio : {1.0, 10.0, 100.0, 1000.0}) {
    const double dt = std::min(0.01, 0.05 / ratio);
    const FlowState s = joint_flow(problem, {1.5, -2, 1}, std::vector<double>(80), {.ratio = ratio, .dt = dt, .steps = static_cast<std::size_t>(80 / dt)});
    const auto w = s.weights();
    least_share = std::min(least_share, effective_sample_size(w) / tilt);
    largest_error = std::max(largest_error, std::sqrt(2 * problem.outer_loss(problem.inner_solution(w))));
  }
  const Score hundred = float_weights(x, 100, 80), thousand = float_weights(x, 1000, 80);
  std::printf("float: ESS %.2f at ratio 100, error %.3f at 1000; double logarithms: share of the tilt's ESS %.4f, error %.1e\n",
              hundred.ess, thousand.outer, least_share, largest_error);
  const std::map<std::string, double> measured = {{"float32 ESS at ratio 100", hundred.ess}, {"float32 error at ratio 1000", thousand.outer},
                                                  {"double log-weights, ratios 1 to 1000: ESS / ESS of the exponential tilt", least_share},
                                                  {"double log-weights, ratios 1 to 1000: error", largest_error}};
  for (const auto& check : test::threshold_checks("reweighting_float")) {
    ASSERT_TRUE(measured.contains(check.expression)) << check.expression;
    const double value = measured.at(check.expression), bound = check.bound.get<double>();
    EXPECT_TRUE(check.relation == "<=" ? value <= bound : value >= bound) << check.expression << ": " << value;
  }
}

}  // namespace
}  // namespace simulacra::reweight
