// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/tone_map.h"

#include <cmath>

#include <gmock/gmock.h>

namespace simulacra {
namespace {

TEST(ToneMap, AConstantColorBecomesPointEight) {
  const std::vector<float> rgb(3 * 100, 1.0f);
  const std::vector<std::uint8_t> valid(100, 1);
  const double scale = tone_map_scale(rgb, valid);
  EXPECT_NEAR(scale, 0.6120655998656237, 1e-6);  // 0.8^2.2; luminance of (1,1,1) is 1 to float precision
  EXPECT_EQ(tone_mapped(rgb, scale)[0], 204);
}

TEST(ToneMap, ThePercentileIsLinearBetweenRanks) {
  // Gray values 0..10: the 90th percentile of 11 values is the value 9; of 12 it lies between 9 and 10.
  for (const int count : {11, 12}) {
    std::vector<float> rgb;
    for (int i = count - 1; i >= 0; --i) rgb.insert(rgb.end(), 3, static_cast<float>(i));
    const std::vector<std::uint8_t> valid(static_cast<std::size_t>(count), 1);
    // Luminance weights are floats that add up to 1 within 6e-8.
    EXPECT_NEAR(std::pow(0.8, 2.2) / tone_map_scale(rgb, valid), 0.9 * (count - 1), 1e-5);
  }
}

TEST(ToneMap, EmptyPixelsDoNotCount) {
  const std::vector<float> rgb{1, 1, 1, 100, 100, 100};
  const std::vector<std::uint8_t> first{1, 0}, none{0, 0};
  EXPECT_NEAR(tone_map_scale(rgb, first), 0.612, 1e-3);
  EXPECT_EQ(tone_map_scale(rgb, none), 1);
}

TEST(ToneMap, ADarkImageStaysBlack) {
  const std::vector<float> rgb{5e-5f, 5e-5f, 5e-5f};
  const std::vector<std::uint8_t> valid{1};
  EXPECT_EQ(tone_map_scale(rgb, valid), 0);
}

TEST(ToneMap, NegativeAndBrightValuesAreClamped) {
  const std::vector<float> rgb{-1.0f, 0.0f, 1e4f};
  EXPECT_THAT(tone_mapped(rgb, 1), ::testing::ElementsAre(0, 0, 255));
}

}  // namespace
}  // namespace simulacra
