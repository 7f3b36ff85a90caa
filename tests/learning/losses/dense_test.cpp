// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>

#include "learning/losses/dense.h"
#include "render/base/error.h"
#include "tests/support/message_of.h"

namespace simulacra::learning {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

torch::Tensor random(at::IntArrayRef shape, std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  return torch::randn(shape, torch::kDouble);
}

double value(const DenseLoss& loss) { return loss.value.item<double>(); }

/// d loss / d x along a random direction, by autograd and by differences.
void expect_gradient(const torch::Tensor& at, const std::function<DenseLoss(const torch::Tensor&)>& loss) {
  const torch::Tensor x = at.clone().requires_grad_(), direction = random(at.sizes(), 99);
  loss(x).value.backward();
  const torch::NoGradGuard no_grad;
  const double slope = (value(loss(at + 1e-6 * direction)) - value(loss(at - 1e-6 * direction))) / 2e-6;
  EXPECT_NEAR((x.grad() * direction).sum().item<double>(), slope, 1e-7 * (1 + std::abs(slope)));
}

/// Whatever stands where the mask is false, NaN among it, changes neither value nor gradient.
void expect_mask_hides(const torch::Tensor& prediction, torch::Tensor target, const std::function<DenseLoss(const torch::Tensor&, const torch::Tensor&, const torch::Tensor&)>& loss) {
  torch::Tensor valid = torch::ones({prediction.size(0), prediction.size(-2), prediction.size(-1)}, torch::kBool);
  valid[0][0][1] = false;
  valid[1][2][0] = false;
  const torch::Tensor clean = prediction.clone().requires_grad_(), dirty = prediction.clone().requires_grad_();
  const DenseLoss expected = loss(clean, target, valid);
  target = target.masked_fill(valid.logical_not().unsqueeze(1).expand_as(target), kNan);
  for (const torch::Tensor& mask : {valid, valid.unsqueeze(1), torch::Tensor()}) {
    dirty.mutable_grad().reset();
    clean.mutable_grad().reset();
    const DenseLoss got = loss(dirty, target, mask);
    EXPECT_EQ(got.num_valid, valid.sum().item<std::int64_t>());
    EXPECT_NEAR(value(got), value(expected), 1e-14);
    got.value.backward();
    loss(clean, target, valid).value.backward();
    EXPECT_TRUE(torch::equal(clean.grad(), dirty.grad()));
    EXPECT_TRUE(dirty.grad().isfinite().all().item<bool>());
    EXPECT_EQ(dirty.grad().masked_select(valid.logical_not().unsqueeze(1).expand_as(target)).abs().sum().item<double>(), 0);
  }
  const DenseLoss none = loss(dirty, target, torch::zeros_like(valid));
  EXPECT_EQ(none.num_valid, 0);
  EXPECT_EQ(value(none), 0);
}

TEST(DepthLoss, IsEigensFormulaPerImage) {
  const torch::Tensor p = random({2, 3, 4}), t = random({2, 3, 4}, 2).exp();
  double expected = 0;
  for (std::int64_t b = 0; b < 2; ++b) {
    const torch::Tensor d = p[b] - t[b].log();
    expected += 0.5 * (d.square().mean() - 0.5 * d.mean().square()).item<double>();
  }
  EXPECT_NEAR(value(scale_invariant_log_loss(p, t)), expected, 1e-14);
  expect_gradient(p, [&](const torch::Tensor& x) { return scale_invariant_log_loss(x, t); });
}

TEST(DepthLoss, WithLambdaOneOnlyShapeCounts) {
  const torch::Tensor t = random({2, 3, 4}, 2).exp();
  const torch::Tensor scale = torch::tensor({0.7, -1.2}, torch::kDouble).view({2, 1, 1});  // another for each image
  EXPECT_NEAR(value(scale_invariant_log_loss(t.log() + scale, t, {}, 1)), 0, 1e-14);
  EXPECT_NEAR(value(scale_invariant_log_loss(t.log() + scale, t, {}, 0)), (0.49 + 1.44) / 2, 1e-13);
}

TEST(DepthLoss, CountsPositiveLengthsOnly) {
  torch::Tensor t = torch::ones({1, 2, 2});
  t[0][0][0] = 0, t[0][0][1] = -1, t[0][1][0] = INFINITY;
  EXPECT_EQ(scale_invariant_log_loss(torch::zeros({1, 2, 2}), t).num_valid, 1);
}

TEST(DepthLoss, ImagesWeighByTheirPixels) {
  const torch::Tensor p = random({2, 3, 4}), t = random({2, 3, 4}, 2).exp();
  torch::Tensor valid = torch::ones({2, 3, 4}, torch::kBool);
  valid[0].slice(0, 0, 2).fill_(false);
  const DenseLoss both = scale_invariant_log_loss(p, t, valid);
  double sum = 0;
  for (std::int64_t b = 0; b < 2; ++b) {
    const DenseLoss one = scale_invariant_log_loss(p.slice(0, b, b + 1), t.slice(0, b, b + 1), valid.slice(0, b, b + 1));
    sum += value(one) * static_cast<double>(one.num_valid);
  }
  EXPECT_NEAR(value(both), sum / static_cast<double>(both.num_valid), 1e-14);
}

TEST(NormalLoss, IsTheAngle) {
  const double angle = 0.3;
  const torch::Tensor t = torch::tensor({0.0, 0.0, 1.0}, torch::kDouble).view({1, 3, 1, 1});
  const torch::Tensor p = 5 * torch::tensor({std::sin(angle), 0.0, std::cos(angle)}, torch::kDouble).view({1, 3, 1, 1});
  EXPECT_NEAR(value(angular_loss(p, t)), angle, 1e-15);
  EXPECT_NEAR(value(angular_loss(-t, t)), std::numbers::pi, 1e-15);
  const torch::Tensor prediction = random({2, 3, 3, 4}), target = random({2, 3, 3, 4}, 2);
  expect_gradient(prediction, [&](const torch::Tensor& x) { return angular_loss(x, target); });
}

// Where the arc cosine has an infinite slope, and for a head that starts with zeros.
TEST(NormalLoss, HasAFiniteGradientEverywhere) {
  const torch::Tensor t = torch::tensor({0.6, 0.0, 0.8}).view({1, 3, 1, 1});
  for (const double factor : {1.0, -2.0, 0.0}) {
    const torch::Tensor p = (factor * t).requires_grad_();
    const DenseLoss loss = angular_loss(p, t);
    loss.value.backward();
    EXPECT_TRUE(p.grad().isfinite().all().item<bool>()) << factor;
    if (factor == 0) {
      EXPECT_NEAR(value(loss), std::numbers::pi / 2, 1e-6);
      EXPECT_TRUE(torch::allclose(p.grad(), -t));
    }
  }
}

TEST(SemanticLoss, ClassOneIsTheFirstLogitAndMinusOneIsNone) {
  const torch::Tensor logits = random({2, 40, 3, 4});
  torch::Tensor labels = torch::randint(1, 41, {2, 3, 4}, torch::kShort);
  labels[0][0][0] = -1, labels[1][2][3] = 1, labels[1][2][2] = 40;
  const torch::Tensor logp = logits.log_softmax(1);
  double expected = 0;
  std::int64_t n = 0;
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t y = 0; y < 3; ++y)
      for (std::int64_t x = 0; x < 4; ++x)
        if (const std::int64_t c = labels[b][y][x].item<std::int64_t>(); c > 0) expected -= logp[b][c - 1][y][x].item<double>(), ++n;
  const DenseLoss loss = semantic_loss(logits, labels);
  EXPECT_EQ(loss.num_valid, n);
  EXPECT_NEAR(value(loss), expected / static_cast<double>(n), 1e-13);
  EXPECT_EQ(value(semantic_loss(logits, torch::full_like(labels, -1))), 0);
  torch::Tensor valid = torch::zeros({2, 3, 4}, torch::kBool);
  valid[1][2][3] = true;
  EXPECT_NEAR(value(semantic_loss(logits, labels, valid)), -logp[1][0][2][3].item<double>(), 1e-14);
}

TEST(AlbedoLoss, DoesNotSeeAScalePerImage) {
  const torch::Tensor t = random({2, 3, 3, 4}).abs() + 0.1, scale = torch::tensor({0.5, 3.0}, torch::kDouble).view({2, 1, 1, 1});
  EXPECT_NEAR(value(scale_invariant_l1_loss(scale * t, t)), 0, 1e-14);
  EXPECT_GT(value(masked_l1_loss(scale * t, t)), 0.1);
  const torch::Tensor p = random({2, 3, 3, 4}, 2).abs() + 0.1;
  EXPECT_NEAR(value(scale_invariant_l1_loss(scale * p, t)), value(scale_invariant_l1_loss(p, t)), 1e-14);
  expect_gradient(p, [&](const torch::Tensor& x) { return scale_invariant_l1_loss(x, t); });
}

TEST(ShadingLoss, EqualRatiosWeighTheSame) {
  const torch::Tensor t = torch::tensor({1e-2, 1.0, 1e4}, torch::kDouble).view({1, 1, 1, 3});
  EXPECT_NEAR(value(log_l1_loss((2 * t).log(), t, {}, 0)), std::log(2.0), 1e-14);
  EXPECT_TRUE(log_l1_loss(t.log(), torch::zeros_like(t)).value.isfinite().item<bool>());
}

TEST(DenseLosses, MasksAndNansHidePixels) {
  expect_mask_hides(random({2, 1, 3, 4}), random({2, 1, 3, 4}, 2).exp(),
                    [](const auto& p, const auto& t, const auto& v) { return scale_invariant_log_loss(p, t, v); });
  expect_mask_hides(random({2, 3, 3, 4}), random({2, 3, 3, 4}, 2),
                    [](const auto& p, const auto& t, const auto& v) { return angular_loss(p, t, v); });
  expect_mask_hides(random({2, 3, 3, 4}), random({2, 3, 3, 4}, 2).abs(),
                    [](const auto& p, const auto& t, const auto& v) { return scale_invariant_l1_loss(p, t, v); });
  expect_mask_hides(random({2, 3, 3, 4}), random({2, 3, 3, 4}, 2).abs(),
                    [](const auto& p, const auto& t, const auto& v) { return log_l1_loss(p, t, v); });
  expect_mask_hides(random({2, 3, 3, 4}), random({2, 3, 3, 4}, 2),
                    [](const auto& p, const auto& t, const auto& v) { return masked_l1_loss(p, t, v); });
}

TEST(DenseLosses, HalfPrecisionIsWidened) {
  const torch::Tensor p = random({1, 1, 3, 4}).to(torch::kBFloat16), t = random({1, 1, 3, 4}, 2).exp().to(torch::kHalf);
  EXPECT_EQ(scale_invariant_log_loss(p, t).value.scalar_type(), torch::kFloat);
}

TEST(DenseLosses, WrongInputsAreNamed) {
  using ::testing::HasSubstr;
  EXPECT_THAT(test::message_of([] { scale_invariant_log_loss(torch::ones({1, 2, 3}), torch::ones({1, 3, 2})); }),
              HasSubstr("prediction is [1, 2, 3], target [1, 3, 2]"));
  EXPECT_THAT(test::message_of([] { masked_l1_loss(torch::ones({1, 1, 2, 3}), torch::ones({1, 1, 2, 3}), torch::ones({1, 2, 3})); }),
              HasSubstr("mask is Float [1, 2, 3], expected Bool [1, 1, 2, 3]"));
  EXPECT_THAT(test::message_of([] { semantic_loss(torch::ones({1, 3, 2, 2}), torch::ones({1, 2, 2}, torch::kLong), torch::ones({2, 2}, torch::kBool)); }),
              HasSubstr("mask is Bool [2, 2], expected Bool [1, 1, 2, 2]"));
  EXPECT_THAT(test::message_of([] { angular_loss(torch::ones({1, 2, 2, 3}), torch::ones({1, 2, 2, 3})); }), HasSubstr("expected [batch, 3"));
  for (const int bad : {0, 41, -2})
    EXPECT_THAT(test::message_of([&] { semantic_loss(torch::ones({1, 40, 1, 1}), torch::full({1, 1, 1}, bad, torch::kLong)); }),
                HasSubstr("label " + std::to_string(bad) + ", expected -1 or 1 to 40"));
  EXPECT_THAT(test::message_of([] { semantic_loss(torch::ones({1, 40, 1, 1}), torch::ones({1, 1, 1})); }), HasSubstr("expected integers"));
}

}  // namespace
}  // namespace simulacra::learning
