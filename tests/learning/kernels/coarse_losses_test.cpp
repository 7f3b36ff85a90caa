// SPDX-License-Identifier: Apache-2.0
// By the definition, in double: enlarge, then take the loss. (Gradients against automatic ones: tests/learning/losses.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "learning/kernels/coarse_losses.h"
#include "render/base/error.h"

namespace simulacra::kernels::coarse {
namespace {

using attention::run_in_order;

/// Value of a channel at a pixel of the enlarged map.
double enlarged(const Shape& s, const std::vector<float>& map, std::int64_t y, std::int64_t x, std::int64_t c) {
  const auto along = [](std::int64_t i, std::int64_t coarse, std::int64_t fine) {
    return std::clamp((static_cast<double>(i) + 0.5) * static_cast<double>(coarse) / static_cast<double>(fine) - 0.5, 0.0, static_cast<double>(coarse - 1));
  };
  const double v = along(y, s.coarse_height, s.height), u = along(x, s.coarse_width, s.width);
  const auto at = [&](double row, double column) {
    return static_cast<double>(map[static_cast<std::size_t>((static_cast<std::int64_t>(row) * s.coarse_width + static_cast<std::int64_t>(column)) * s.channels + c)]);
  };
  const double v0 = std::floor(v), u0 = std::floor(u), v1 = std::ceil(v), u1 = std::ceil(u);
  return (1 - (v - v0)) * ((1 - (u - u0)) * at(v0, u0) + (u - u0) * at(v0, u1)) + (v - v0) * ((1 - (u - u0)) * at(v1, u0) + (u - u0) * at(v1, u1));
}

std::vector<float> waves(std::int64_t count, float scale) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = scale * static_cast<float>(std::sin(1.7 * static_cast<double>(i) + 0.3));
  return values;
}

class CoarseKernel : public ::testing::TestWithParam<Shape> {
 protected:
  std::vector<float> gradient_of(const Shape& s) const { return std::vector<float>(static_cast<std::size_t>(s.coarse_height * s.coarse_width * s.channels)); }
};

TEST_P(CoarseKernel, CrossEntropyIsTheDefinition) {
  Shape s = GetParam();
  for (const std::int64_t channels : {1, 5, 16, 40}) {
    s.channels = channels;
    const std::vector<float> map = waves(s.coarse_height * s.coarse_width * channels, 6);
    std::vector<std::int64_t> labels;
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < s.height * s.width; ++i) {
      labels.push_back(i % 7 == 3 ? -1 : i % channels + 1);
      if (labels.back() < 0) continue;
      double total = 0;
      for (std::int64_t c = 0; c < channels; ++c) total += std::exp(enlarged(s, map, i / s.width, i % s.width, c));
      sum += std::log(total) - enlarged(s, map, i / s.width, i % s.width, labels.back() - 1), ++count;
    }
    std::vector<float> gradient = gradient_of(s);
    for (const Isa isa : {Isa::plain, Isa::avx2, Isa::avx512}) {
      if (!has_isa(isa)) continue;
      const Sum got = cross_entropy(s, map.data(), labels.data(), nullptr, gradient.data(), run_in_order, isa);
      EXPECT_EQ(got.count, count);
      EXPECT_NEAR(got.sum, sum, 2e-6 * (1 + sum));
      double total = 0;  // the gradients of a pixel's logits add up to 0
      for (const float g : gradient) total += static_cast<double>(g);
      EXPECT_NEAR(total, 0, 1e-5 * static_cast<double>(count));
    }
  }
}

TEST_P(CoarseKernel, DepthIsTheDefinition) {
  const Shape s = GetParam();
  const std::vector<float> map = waves(s.coarse_height * s.coarse_width, 1);
  std::vector<float> target;
  double sum = 0, squares = 0, count = 0;
  for (std::int64_t i = 0; i < s.height * s.width; ++i) {
    target.push_back(i % 5 == 2 ? std::numeric_limits<float>::quiet_NaN() : 1 + 0.1f * static_cast<float>(i % 11));
    if (i % 5 == 2) continue;
    const double d = enlarged(s, map, i / s.width, i % s.width, 0) - std::log(static_cast<double>(target.back()));
    sum += d, squares += d * d, ++count;
  }
  std::vector<float> gradient = gradient_of(s);
  const Sum got = scale_invariant_log(s, map.data(), target.data(), nullptr, 1, gradient.data(), run_in_order);
  EXPECT_NEAR(got.sum, squares - sum * sum / count, 1e-6 * (1 + squares));
  double total = 0;  // lambda 1: a common scale changes nothing
  for (const float g : gradient) total += static_cast<double>(g);
  EXPECT_NEAR(total, 0, 1e-5 * count);
}

INSTANTIATE_TEST_SUITE_P(, CoarseKernel, ::testing::Values(Shape{1, 3, 4, 1, 6, 8}, Shape{1, 5, 3, 1, 11, 13}, Shape{1, 1, 1, 1, 3, 2}, Shape{1, 6, 7, 1, 4, 5}),
                         [](const auto& one) { return std::to_string(one.param.coarse_height) + "x" + std::to_string(one.param.coarse_width); });

TEST(CoarseKernels, ForeignLabelsAndShapesAreRefused) {
  const float map[3] = {};
  const std::int64_t label = 9;
  EXPECT_THROW(cross_entropy({1, 1, 1, 3, 1, 1}, map, &label, nullptr, nullptr, run_in_order), Error);
  EXPECT_THROW(angle({1, 1, 1, 2, 1, 1}, map, map, nullptr, nullptr, run_in_order), Error);
}

}  // namespace
}  // namespace simulacra::kernels::coarse
