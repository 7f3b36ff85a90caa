// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/image_ops.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "learning/tensors/src/sample_plan.h"
#include "render/base/half.h"

namespace simulacra::tensors {
namespace {

TEST(ImageOps, EveryHalfIsWidenedExactly) {
  std::vector<std::uint16_t> halves(65536 + 3);   // an odd count: the tail takes another path
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  std::vector<float> floats(halves.size());
  widen(halves, floats.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const float expected = float_from_half(halves[i]);
    if (std::isnan(expected)) EXPECT_TRUE(std::isnan(floats[i])) << i;
    else ASSERT_EQ(floats[i], expected) << i;
  }
}

TEST(ImageOps, TheToneMapIsThePower) {
  std::vector<float> values;
  for (double x = 1e-9; x < 1; x *= 1.0003) values.push_back(static_cast<float>(x));
  auto mapped = values;
  tone_map(mapped, 0.7f);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = std::pow(static_cast<double>(0.7f * values[i]), 1 / 2.2);
    ASSERT_NEAR(mapped[i], expected, 1e-6 * expected) << values[i];
  }
  std::vector<float> odd = {0, -1, 1, 5, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), 1e-40f};
  tone_map(odd, 1);
  EXPECT_EQ(odd, (std::vector<float>{0, 0, 1, 1, 1, 0, 0}));
}

TEST(ImageOps, ShrinkingAveragesAreas) {
  // 3 x 5 to 2 x 2: by hand from the weights 1.5 rows and 2.5 columns.
  const std::vector<float> in = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  std::vector<float> out(4);
  AreaResize(3, 5, 2, 2, false).apply(in.data(), 1, out.data());
  const auto row = [&](int r, bool right) {
    const float* x = in.data() + 5 * r;
    return (right ? 0.5f * x[2] + x[3] + x[4] : x[0] + x[1] + 0.5f * x[2]) / 2.5f;
  };
  const std::vector<float> expected = {(row(0, false) + 0.5f * row(1, false)) / 1.5f, (row(0, true) + 0.5f * row(1, true)) / 1.5f,
                                       (0.5f * row(1, false) + row(2, false)) / 1.5f, (0.5f * row(1, true) + row(2, true)) / 1.5f};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(out[i], expected[i], 1e-5);
  std::vector<float> mirrored(4);
  AreaResize(3, 5, 2, 2, true).apply(in.data(), 1, mirrored.data());
  EXPECT_EQ(mirrored, (std::vector<float>{out[1], out[0], out[3], out[2]}));
}

TEST(ImageOps, TheNearestPixelHoldsTheCenter) {
  EXPECT_EQ(nearest_map(6, 3, false), (std::vector<int>{1, 3, 5}));
  EXPECT_EQ(nearest_map(6, 3, true), (std::vector<int>{5, 3, 1}));
  EXPECT_EQ(nearest_map(3, 3, false), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(nearest_map(2, 4, false), (std::vector<int>{0, 0, 1, 1}));
}

TEST(ImageOps, ColorChangesKeepGraysAndMeanAndRange) {
  std::vector<float> rgb = {0.2f, 0.6f, 0.9f, 0.2f, 0.1f, 0.8f, 0.2f, 0.3f, 0.05f};   // three pixels; the first is gray
  ColorChange hue;
  hue.is_identity = false;
  set_change(hue, 1, 1, 1 / 3.0);
  auto turned = rgb;
  apply_change(hue, turned.data(), 3, 1);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(turned[3 * c], 0.2f, 1e-6);
    EXPECT_NEAR(turned[3 * ((c + 1) % 3) + 1], rgb[3 * c + 1], 1e-6) << "a third of a turn moves each channel to the next";
  }
  ColorChange gray;
  gray.is_identity = false;
  set_change(gray, 1, 0, 0);
  auto bleached = rgb;
  apply_change(gray, bleached.data(), 3, 1);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(bleached[3 * c + i], 0.3f * rgb[i] + 0.59f * rgb[3 + i] + 0.11f * rgb[6 + i], 1e-6);
  ColorChange flat;
  flat.is_identity = false;
  set_change(flat, 0, 1, 0);
  auto flattened = rgb;
  apply_change(flat, flattened.data(), 3, 1);
  double mean = 0;
  for (std::size_t i = 0; i < 3; ++i) mean += (0.3 * rgb[i] + 0.59 * rgb[3 + i] + 0.11 * rgb[6 + i]) / 3;
  for (const float v : flattened) EXPECT_NEAR(v, mean, 1e-6);
}

TEST(ImageOps, NoiseHasItsDeviationAndKey) {
  constexpr std::size_t kPixels = 40000;
  ColorChange noise;
  noise.is_identity = false;
  noise.noise = 0.05f;
  noise.noise_key = 7;
  std::vector<float> rgb(3 * kPixels, 0.5f), other = rgb;
  apply_change(noise, rgb.data(), kPixels, 1);
  noise.noise_key = 8;
  apply_change(noise, other.data(), kPixels, 1);
  double sum = 0, squares = 0, products = 0;
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const double a = rgb[i] - 0.5, b = other[i] - 0.5;
    sum += a; squares += a * a; products += a * b;
  }
  const double n = static_cast<double>(rgb.size()), deviation = std::sqrt(squares / n);
  // Four standard errors: of the mean sigma / sqrt(n), of the deviation sigma / sqrt(2 n), of a correlation 1 / sqrt(n).
  EXPECT_NEAR(sum / n, 0, 4 * 0.05 / std::sqrt(n));
  EXPECT_NEAR(deviation, 0.05, 4 * 0.05 / std::sqrt(2 * n));
  EXPECT_NEAR(products / squares, 0, 4 / std::sqrt(n));
}

TEST(SamplePlan, AnEpochIsAPermutationOfItsOwn) {
  const auto a = epoch_order(1000, 1, 0, true), b = epoch_order(1000, 1, 1, true), c = epoch_order(1000, 2, 0, true);
  for (const auto& order : {a, b, c}) EXPECT_EQ(std::set<std::uint32_t>(order.begin(), order.end()).size(), 1000u);
  EXPECT_NE(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(a, epoch_order(1000, 1, 0, true));
  EXPECT_EQ(epoch_order(4, 1, 0, false), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(SamplePlan, WindowsStayInsideAndReachEveryEdge) {
  LoaderOptions o;
  o.height = 30;
  o.width = 40;
  o.scale_max = 2;
  std::set<int> rows, flips;
  int least = 1000, most = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const ViewPlan plan = plan_view(o, 81, 61, 0, Draws(1, 0, i, 0));
    const CropWindow& w = plan.window;
    ASSERT_GE(w.row, 0);
    ASSERT_LE(w.row + w.rows, 61);
    ASSERT_GE(w.column, 0);
    ASSERT_LE(w.column + w.columns, 81);
    least = std::min(least, w.rows);
    most = std::max(most, w.rows);
    flips.insert(plan.mirrored);
    rows.insert(w.row + w.rows == 61 ? 2 : w.row == 0 ? 0 : 1);
  }
  EXPECT_EQ(least, 30);
  EXPECT_EQ(most, 60);
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_EQ(flips.size(), 2u);
}

}  // namespace
}  // namespace simulacra::tensors
