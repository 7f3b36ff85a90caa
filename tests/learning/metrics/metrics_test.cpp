// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/metrics/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"

namespace simulacra {
namespace {

using torch::Tensor;

Tensor everywhere(std::int64_t n, std::int64_t h, std::int64_t w) { return torch::ones({n, 1, h, w}, torch::kBool); }

TEST(DepthMeter, ByHand) {
  // Image 0: 2 of 4 pixels off by 50 %; image 1: all doubled, which alignment undoes.
  const Tensor target = torch::tensor({1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 3.0, 4.0}).view({2, 1, 2, 2});
  const Tensor predicted = torch::tensor({1.5, 2.0, 4.0, 1.0, 2.0, 4.0, 6.0, 8.0}).view({2, 1, 2, 2});
  DepthMeter meter;
  meter.add(predicted, target, everywhere(2, 2, 2));
  const DepthScore s = meter.score();
  EXPECT_NEAR(s.abs_rel, ((0.5 + 0.5) / 4 + 1.0) / 2, 1e-12);
  EXPECT_NEAR(s.rmse_m, (std::sqrt((0.25 + 1) / 4) + std::sqrt((1.0 + 4 + 9 + 16) / 4)) / 2, 1e-12);
  EXPECT_NEAR(s.delta1, (0.5 + 0) / 2, 1e-12);
  // Medians (the lower of two middle values, as torch takes it): 2 against 1.5, so image 0 is scaled by 4/3.
  EXPECT_NEAR(s.abs_rel_aligned, ((1.0 + 1.0 / 3 + 1.0 / 3 + 1.0 / 3) / 4 + 0) / 2, 1e-12);
  EXPECT_NEAR(s.delta1_aligned, (0 + 1) / 2.0, 1e-12);
  EXPECT_EQ(s.images, 2);
}

TEST(DepthMeter, MaskedPixelsDoNotCountWhateverTheyHold) {
  const Tensor target = torch::tensor({2.0, std::nan("")}).view({1, 1, 1, 2}), predicted = torch::tensor({2.0, 7.0}).view({1, 1, 1, 2});
  DepthMeter meter;
  meter.add(predicted, target, torch::tensor({true, false}).view({1, 1, 1, 2}));
  EXPECT_EQ(meter.score().abs_rel, 0);
  DepthMeter none;
  none.add(predicted, target, torch::zeros({1, 1, 1, 2}, torch::kBool));
  EXPECT_TRUE(std::isnan(none.score().abs_rel));
}

TEST(NormalMeter, AnglesOfKnownTurns) {
  const double degrees[] = {0, 10, 20, 25, 90};
  Tensor predicted = torch::zeros({1, 3, 1, 5}, torch::kFloat64), target = torch::zeros({1, 3, 1, 5}, torch::kFloat64);
  for (int i = 0; i < 5; ++i) {
    const double a = degrees[i] * M_PI / 180;
    target[0][2][0][i] = 1.0;
    predicted[0][0][0][i] = 3 * std::sin(a);  // any length
    predicted[0][2][0][i] = 3 * std::cos(a);
  }
  NormalMeter meter;
  meter.add(predicted, target, everywhere(1, 1, 5));
  const NormalScore s = meter.score();
  EXPECT_NEAR(s.mean_deg, 145.0 / 5, 1e-6);
  EXPECT_NEAR(s.median_deg, 20, 0.011);
  EXPECT_DOUBLE_EQ(s.within_11_25, 0.4);
  EXPECT_DOUBLE_EQ(s.within_22_5, 0.6);
  EXPECT_DOUBLE_EQ(s.within_30, 0.8);
}

TEST(SemanticMeter, ConfusionAndIoU) {
  // Class 2 occurs nowhere; -1 does not count.
  const Tensor target = torch::tensor({0, 0, 0, 1, 1, -1}, torch::kInt64).view({1, 2, 3});
  const Tensor predicted = torch::tensor({0, 0, 1, 1, 1, 0}, torch::kInt64).view({1, 2, 3});
  SemanticMeter meter(3);
  meter.add(predicted, target);
  const SemanticScore s = meter.score();
  EXPECT_NEAR(s.iou[0], 2.0 / 3, 1e-12);
  EXPECT_NEAR(s.iou[1], 2.0 / 3, 1e-12);
  EXPECT_TRUE(std::isnan(s.iou[2]));
  EXPECT_NEAR(s.mean_iou, 2.0 / 3, 1e-12);
  EXPECT_NEAR(s.pixel_accuracy, 0.8, 1e-12);
  EXPECT_EQ(s.confusion[0][1].item<std::int64_t>(), 1);
  EXPECT_EQ(s.confusion.sum().item<std::int64_t>(), 5);
}

TEST(IntrinsicMeter, ScaleDoesNotCountWhereItShouldNot) {
  torch::manual_seed(3);
  const Tensor target = torch::rand({2, 3, 40, 40}, torch::kFloat64) + 0.1;
  IntrinsicMeter scaled;
  scaled.add(target * 3, target, everywhere(2, 40, 40));
  EXPECT_NEAR(scaled.score().mse, 4 * target.square().mean().item<double>(), 1e-9);
  EXPECT_NEAR(scaled.score().scale_invariant, 0, 1e-12);
  EXPECT_NEAR(scaled.score().local, 0, 1e-12);
  IntrinsicMeter nothing;
  nothing.add(torch::zeros_like(target), target, everywhere(2, 40, 40));
  EXPECT_NEAR(nothing.score().local, 1, 1e-12);
  // One factor a quadrant: wrong as a whole, right in most windows.
  Tensor patchy = target.clone();
  patchy.slice(2, 0, 20).mul_(5);
  IntrinsicMeter local;
  local.add(patchy, target, everywhere(2, 40, 40));
  EXPECT_GT(local.score().scale_invariant, 0.05);
  EXPECT_LT(local.score().local, local.score().scale_invariant / target.square().mean().item<double>());
}

TEST(Meters, WrongShapesAreNamed) {
  DepthMeter meter;
  EXPECT_THROW(meter.add(torch::ones({1, 1, 2, 2}), torch::ones({1, 1, 2, 3}), everywhere(1, 2, 2)), Error);
  EXPECT_THROW(meter.add(torch::ones({1, 1, 2, 2}), torch::ones({1, 1, 2, 2}), torch::ones({1, 1, 2, 2})), Error);
}

}  // namespace
}  // namespace simulacra
