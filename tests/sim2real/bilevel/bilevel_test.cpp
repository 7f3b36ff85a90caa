// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "sim2real/bilevel/hypergradient.h"
#include "sim2real/bilevel/soba.h"
#include "sim2real/bilevel/solvers.h"
#include "tests/support/golden.h"

namespace simulacra::bilevel {
namespace {

namespace golden = test::golden;

dense::Matrix positive(std::uint64_t seed, std::size_t p) {
  return dense::weighted_gram({2 * p, p, golden::generate("normal12", seed, 2 * p * p)}, std::vector<double>(2 * p, 0.5), 0.1);
}

TEST(Solvers, ConjugateGradientsAreExactAfterAsManyStepsAsUnknowns) {
  const dense::Matrix h = positive(1, 8);
  const auto g = golden::generate("normal12", 2, 8);
  const auto v = dense::solve_spd(h, g);
  const auto got = conjugate_gradients([&](std::span<const double> x) { return dense::times(h, x); }, g, 8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(got[i], v[i], 1e-10);
}

TEST(Solvers, TheInverseIsSymmetric) {
  const dense::Matrix h = positive(3, 6);
  const Product product = [&](std::span<const double> x) { return dense::times(h, x); };
  const auto g = golden::generate("normal12", 4, 6), u = golden::generate("normal12", 5, 6);
  EXPECT_NEAR(dense::dot(u, conjugate_gradients(product, g, 20)), dense::dot(g, conjugate_gradients(product, u, 20)), 1e-10);
}

TEST(Solvers, StopWhereTheCurvatureIsNotPositive) {
  const auto v = conjugate_gradients([](std::span<const double> x) { return std::vector<double>{-x[0]}; }, std::vector<double>{2}, 5);
  EXPECT_EQ(v, (std::vector<double>{0}));
}

TEST(Solvers, OneNeumannTermIsTheScaledVector) {
  const auto v = neumann([](std::span<const double>) -> std::vector<double> { throw Error("asked for a product"); }, std::vector<double>{3, -1}, 2, 1);
  EXPECT_EQ(v, (std::vector<double>{1.5, -0.5}));
}

TEST(Hypergradient, IsTheDerivativeOfTheOuterLoss) {
  const dense::Matrix a(30, 4, golden::generate("normal12", 10, 120)), b(20, 4, golden::generate("normal12", 11, 80));
  std::vector<double> labels, outer_labels;
  for (const double t : golden::generate("normal12", 12, 30)) labels.push_back(t > 0 ? 1 : -1);
  for (const double t : golden::generate("normal12", 13, 20)) outer_labels.push_back(t > 0 ? 1 : -1);
  const LogisticLoss data(a, labels), outer(b, outer_labels);
  const PenaltyTuning tuning(data, outer, 0.1);
  std::vector<double> y = {-1, 0.5, 1, -0.3};
  const auto gamma = tuning.hypergradient(tuning.solution(y), y);
  for (std::size_t j = 0; j < 4; ++j) {
    // h^2 of truncation against eps/h of rounding.
    auto at = [&](double h) {
      auto z = y;
      z[j] += h;
      return tuning.outer_loss(tuning.solution(z));
    };
    EXPECT_NEAR((at(1e-5) - at(-1e-5)) / 2e-5, gamma[j], 1e-8);
  }
}

TEST(Soba, EndsAtTheImplicitGradient) {
  const dense::Matrix h = positive(20, 3);
  const std::vector<double> c = {1, -2, 0.5}, target = {0.3, 0.3, 0.3};
  // inner x^T H x / 2 - (c + y).x, outer |x - target|^2 / 2: x* = H^-1 (c + y), gradient in y = H^-1 (x* - target).
  const TwoLevels problem{
      .inner_gradient = [&](auto x, auto y) {
        auto g = dense::times(h, x);
        for (std::size_t i = 0; i < 3; ++i) g[i] -= c[i] + y[i];
        return g;
      },
      .inner_hessian = [&](auto, auto, auto v) { return dense::times(h, v); },
      .cross = [](auto, auto, auto v) {
        std::vector<double> r(v.begin(), v.end());
        for (double& t : r) t = -t;
        return r;
      },
      .outer_gradient = [&](auto x) {
        std::vector<double> g(x.begin(), x.end());
        for (std::size_t i = 0; i < 3; ++i) g[i] -= target[i];
        return g;
      }};
  SobaState s{{0, 0, 0}, {0, 0, 0}, {0.1, 0.2, 0.3}};
  for (int k = 0; k < 4000; ++k) soba_step(s, problem, 0.1, 0);   // y frozen
  std::vector<double> miss = s.x;
  for (std::size_t i = 0; i < 3; ++i) miss[i] -= target[i];
  const auto exact = dense::solve_spd(h, miss), got = problem.cross(s.x, s.y, s.v);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], exact[i], 1e-8);
}

TEST(Dense, SolveTakesAnyRegularMatrix) {
  const dense::Matrix a(3, 3, {0, 2, 1, 1, 0, 0, -3, 1, 4});
  const std::vector<double> x = {1, -2, 3};
  const auto got = dense::solve(a, dense::times(a, x));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(got[i], x[i], 1e-14);
  EXPECT_THROW(dense::solve({2, 2, {1, 2, 2, 4}}, std::vector<double>{1, 1}), Error);
}

}  // namespace
}  // namespace simulacra::bilevel
