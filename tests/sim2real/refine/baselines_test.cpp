// SPDX-License-Identifier: Apache-2.0
// What a refiner is compared with: histogram matching, a cycle-consistent pair, domain-adversarial features.
#include <torch/torch.h>

#include <ATen/CPUGeneratorImpl.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "render/base/error.h"
#include "sim2real/refine/cycle.h"
#include "sim2real/refine/domain.h"
#include "sim2real/refine/histogram.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

Tensor noise(std::uint64_t seed, at::IntArrayRef shape) { return torch::randn(shape, at::detail::createCPUGenerator(seed)); }

TEST(HistogramMatching, GivesEqualSetsTheValuesOfTheOther) {
  const Tensor x = noise(1, {3, 2, 5, 7}), y = noise(2, {3, 2, 5, 7}) * 0.3 + 1;
  const Tensor matched = HistogramMatch(x, y).apply(x);
  for (std::int64_t c = 0; c < 2; ++c) {
    const Tensor got = matched.select(1, c).flatten(), before = x.select(1, c).flatten(), wanted = y.select(1, c).flatten();
    EXPECT_TRUE(torch::equal(std::get<0>(got.sort()), std::get<0>(wanted.sort())));
    EXPECT_TRUE(torch::equal(got.argsort(), before.argsort())) << "the order of pixels changed";
  }
}

TEST(HistogramMatching, LeavesASetThatMatchesAsItIs) {
  const Tensor x = noise(3, {2, 3, 6, 6});
  EXPECT_TRUE(torch::equal(HistogramMatch(x, x).apply(x), x));
}

TEST(HistogramMatching, ValuesThatOccurOftenStayTogether) {
  // Ranks of 0 are 0 to 2 of 4, its middle at quantile 3/8: between the order statistics 1 and 2 of the other set.
  const Tensor x = torch::tensor({0.f, 0.f, 0.f, 5.f}).view({1, 1, 2, 2}), y = torch::tensor({1.f, 2.f, 3.f, 4.f}).view({1, 1, 2, 2});
  const Tensor matched = HistogramMatch(x, y).apply(x).flatten();
  EXPECT_TRUE(torch::equal(matched, torch::tensor({2.f, 2.f, 2.f, 4.f}))) << matched;
  // Sets of other sizes: the median of three is the middle of two.
  const HistogramMatch other(torch::tensor({0.f, 1.f, 2.f}).view({1, 1, 1, 3}), torch::tensor({10.f, 20.f}).view({1, 1, 1, 2}));
  EXPECT_FLOAT_EQ(other.apply(torch::full({1, 1, 1, 1}, 1.f)).item<float>(), 15);
  EXPECT_FLOAT_EQ(other.apply(torch::full({1, 1, 1, 1}, -9.f)).item<float>(), 10);
  EXPECT_FLOAT_EQ(other.apply(torch::full({1, 1, 1, 1}, 99.f)).item<float>(), 20);
}

TEST(HistogramMatching, ThinnedQuantilesStayClose) {
  const Tensor x = torch::rand({4, 1, 64, 64}, at::detail::createCPUGenerator(4)), y = x.square();
  const Tensor matched = HistogramMatch(x, y, 256).apply(x);
  // Between 256 quantiles of a slope of at most 2; the ends lose half a quantile.
  EXPECT_LT((matched - y).abs().max().item<double>(), 2.0 / 256);
}

TEST(HistogramMatching, RefusesWhatDoesNotFit) {
  EXPECT_THROW(HistogramMatch(noise(1, {1, 3, 4, 4}), noise(1, {1, 1, 4, 4})), Error);
  EXPECT_THROW(HistogramMatch(torch::full({1, 1, 2, 2}, NAN), noise(1, {1, 1, 2, 2})), Error);
  EXPECT_THROW(HistogramMatch(noise(1, {1, 1, 4, 4}), noise(2, {1, 1, 4, 4})).apply(noise(1, {1, 3, 4, 4})), Error);
}

TEST(GradientReversal, TurnsAndScalesTheGradientAlone) {
  const Tensor x = noise(5, {3, 4}).requires_grad_(true), push = noise(6, {3, 4});
  const Tensor y = reverse_gradient(x, 0.25);
  EXPECT_TRUE(torch::equal(y, x));
  (y * push).sum().backward();
  EXPECT_TRUE(torch::equal(x.grad(), -0.25 * push));
  EXPECT_EQ(reversal_weight(0), 0);
  EXPECT_NEAR(reversal_weight(1), std::tanh(5), 1e-12);
}

// The head descends while the features climb: one loss, opposite signs.
TEST(DomainHead, LearnsWhatTheFeaturesUnlearn) {
  torch::manual_seed(1);
  DomainHead head(6, 8);
  const Tensor features = noise(7, {5, 6}).requires_grad_(true), others = noise(8, {5, 6});
  domain_loss(head->forward(features, 1), head->forward(others, 1)).backward();
  const Tensor turned = features.grad().clone();
  features.mutable_grad().zero_();
  // The same head without reversal: -1 turns it back.
  domain_loss(head->forward(features, -1), head->forward(others, -1)).backward();
  EXPECT_TRUE(torch::allclose(turned, -features.grad()));
  EXPECT_GT(turned.abs().max().item<double>(), 0);
  // Logits of 0 know nothing.
  EXPECT_NEAR(domain_loss(torch::zeros({4}), torch::zeros({9})).item<double>(), std::log(2.0), 1e-7);
}

CyclePlayers small_pair() {
  const DiscriminatorOptions d{.layers = {{.channels = 12, .filter = 3, .stride = 2}, {.channels = 8}, {.channels = 2, .filter = 1}}};
  return {make_players({.width = 8, .blocks = 1}, d, 3e-3, 1), make_players({.width = 8, .blocks = 1}, d, 3e-3, 3)};
}

Tensor copied(const torch::nn::Module& net) {
  std::vector<Tensor> all;
  for (const Tensor& p : net.parameters()) all.push_back(p.detach().flatten().clone());
  return torch::cat(all);
}

TEST(CycleGan, EachStepMovesItsOwnPlayers) {
  CyclePlayers p = small_pair();
  const Tensor x = noise(1, {4, 1, 12, 12}) * 0.2, y = noise(2, {4, 1, 12, 12}) * 0.2;
  const auto all = [&] { return std::vector{copied(*p.to_real.refiner), copied(*p.to_synthetic.refiner), copied(*p.to_real.discriminator), copied(*p.to_synthetic.discriminator)}; };
  const auto a = all();
  step_refiners(p, x, y, {});
  const auto b = all();
  step_discriminators(p, x, y, nullptr, nullptr);
  const auto c = all();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(torch::equal(a[i], b[i]), i >= 2) << i;
    EXPECT_EQ(torch::equal(b[i], c[i]), i < 2) << i;
  }
}

TEST(CycleGan, LossesAreTheirFormulas) {
  CyclePlayers p = small_pair();
  const Tensor x = noise(1, {2, 1, 12, 12}) * 0.2, y = noise(2, {2, 1, 12, 12}) * 0.2;
  Refiner &g = p.to_real.refiner, &f = p.to_synthetic.refiner;
  const double cycle = ((f->forward(g->forward(x)) - x).abs().mean() + (g->forward(f->forward(y)) - y).abs().mean()).item<double>();
  const double identity = ((g->forward(y) - y).abs().mean() + (f->forward(x) - x).abs().mean()).item<double>();
  const auto judged = [](Players& by, const Tensor& image) { return -torch::log(1 - probability_refined(by.discriminator->forward(image))).mean().item<double>(); };
  const double adversarial = judged(p.to_real, g->forward(x)) + judged(p.to_synthetic, f->forward(y));
  const CycleStep step = step_refiners(p, x, y, {.cycle = 3, .identity = 2});
  EXPECT_NEAR(step.cycle, cycle, 1e-6);
  EXPECT_NEAR(step.identity, identity, 1e-6);
  EXPECT_NEAR(step.adversarial, adversarial, 1e-5);
}

// Bright and dark pictures of the same bars: each direction learns to exchange the brightness, and both together come back.
TEST(CycleGan, LearnsAChangeOfBrightnessThereAndBack) {
  torch::set_num_threads(1);
  CyclePlayers p = small_pair();
  auto generator = at::detail::createCPUGenerator(9);
  const auto bars = [&](double level) {
    const Tensor rows = torch::rand({8, 1, 12, 1}, generator) * 0.4 - 0.2;
    return (level + rows).expand({8, 1, 12, 12}).contiguous();
  };
  for (int step = 0; step < 60; ++step) {
    warm_refiner(p.to_real, bars(-0.4), feature_map("identity"));
    warm_refiner(p.to_synthetic, bars(0.4), feature_map("identity"));
  }
  for (int step = 0; step < 250; ++step) {
    step_refiners(p, bars(-0.4), bars(0.4), {.cycle = 10, .identity = 0});
    step_discriminators(p, bars(-0.4), bars(0.4), nullptr, nullptr);
  }
  const torch::NoGradGuard no_grad;
  const Tensor x = bars(-0.4), there = p.to_real.refiner->forward(x), back = p.to_synthetic.refiner->forward(there);
  EXPECT_NEAR(there.mean().item<double>(), 0.4, 0.15);
  EXPECT_LT((back - x).abs().mean().item<double>(), 0.1);
}

}  // namespace
}  // namespace simulacra::sim2real
