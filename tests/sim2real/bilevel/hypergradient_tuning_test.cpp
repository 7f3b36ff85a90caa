// SPDX-License-Identifier: Apache-2.0
// The experiment `hypergradient_tuning` of thresholds.json, on the same data: 20 penalties tuned by 300 steps of 5.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sim2real/bilevel/hypergradient.h"
#include "sim2real/bilevel/solvers.h"
#include "sim2real/dense/eigen.h"
#include "tests/support/golden.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::bilevel {
namespace {

using test::golden::generate;

constexpr std::size_t kP = 20, kN = 100;

struct World {
  dense::Matrix a, a_outer, a_test;
  std::vector<double> b, b_outer, b_test;
  explicit World(std::uint64_t s) {
    std::vector<double> t = generate("normal12", s, 5);
    t.resize(kP);
    const auto draw = [&](std::uint64_t seed, std::size_t rows, dense::Matrix& m, std::vector<double>& labels) {
      m = {rows, kP, generate("normal12", s + seed, rows * kP)};
      labels = dense::times(m, t);
      const auto noise = generate("normal12", s + seed + 3, rows);
      for (std::size_t i = 0; i < rows; ++i) labels[i] += noise[i];
    };
    draw(1, kN, a, b), draw(2, kN, a_outer, b_outer), draw(3, 5000, a_test, b_test);
  }
};

double median(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

TEST(Experiments, HypergradientTuning) {
  if (!test::shared_folder()) GTEST_SKIP() << "skipped: no shared data";
  std::map<std::string, std::vector<double>> errors;
  for (const std::uint64_t seed : {5600, 5620, 5640}) {
    const World world(seed);
    const SquaredLoss data(world.a, world.b, 1.0 / kN), outer(world.a_outer, world.b_outer, 1.0 / kN), judged(world.a_test, world.b_test, 1.0 / 5000);
    const PenaltyTuning tuning(data, outer, 1);
    const auto neumann_of = [](std::size_t steps) {
      return [steps](const dense::Matrix& h, std::span<const double> g) {
        return neumann([&](std::span<const double> x) { return dense::times(h, x); }, g, dense::symmetric_eigen(h).values.back(), steps);
      };
    };
    const std::map<std::string, PenaltyTuning::Solver> solvers = {
        {"exact", [](const dense::Matrix& h, std::span<const double> g) { return dense::solve_spd(h, g); }},
        {"cg_5", [](const dense::Matrix& h, std::span<const double> g) {
           return conjugate_gradients([&](std::span<const double> x) { return dense::times(h, x); }, g, 5);
         }},
        {"neumann_5", neumann_of(5)},
        {"identity", neumann_of(1)}};
    for (const auto& [name, solver] : solvers) {
      std::vector<double> y(kP, -2.0);
      for (int step = 0; step < 300; ++step) {
        const auto gamma = tuning.hypergradient(tuning.solution(y), y, solver);
        for (std::size_t j = 0; j < kP; ++j) y[j] -= 5 * gamma[j];
      }
      errors[name].push_back(judged.value(tuning.solution(y)));
    }
    double best = 1e300;
    for (int k = 0; k < 60; ++k) best = std::min(best, judged.value(tuning.solution(std::vector<double>(kP, -8 + 10.0 * k / 59))));
    errors["best_single"].push_back(best);
  }
  const auto ratio = [&](const char* a, const char* b) {
    std::vector<double> r;
    for (std::size_t i = 0; i < 3; ++i) r.push_back(errors.at(a)[i] / errors.at(b)[i]);
    return r;
  };
  for (const auto& [name, e] : errors) std::printf("%-12s %.4f %.4f %.4f\n", name.c_str(), e[0], e[1], e[2]);
  const std::map<std::string, double> measured = {
      {"exact / best_single, median", median(ratio("exact", "best_single"))},
      {"exact / best_single, every seed", std::ranges::max(ratio("exact", "best_single"))},
      {"cg_5 / exact", std::ranges::max(ratio("cg_5", "exact"))},
      {"neumann_5 / exact", std::ranges::max(ratio("neumann_5", "exact"))},
      {"identity / best_single", std::ranges::max(ratio("identity", "best_single"))}};
  std::size_t judged_checks = 0;
  for (const auto& check : test::threshold_checks("hypergradient_tuning")) {
    if (check.expression.starts_with("log-log slopes")) continue;   // golden.Hypergradient.Logistic and RidgeCases
    EXPECT_TRUE(test::holds(check, measured));
    ++judged_checks;
  }
  EXPECT_EQ(judged_checks, measured.size());
}

}  // namespace
}  // namespace simulacra::bilevel
