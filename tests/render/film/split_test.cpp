// SPDX-License-Identifier: Apache-2.0
#include "render/film/split.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/base/half.h"
#include "render/sampling/sampler.h"

namespace simulacra {
namespace {

bool is_half(float x) { return round_to_half(x) == x; }

double exact(const SplitPixel& p, std::size_t c) {
  return static_cast<double>(p.reflectance[c]) * static_cast<double>(p.illumination[c]) + static_cast<double>(p.residual[c]);
}

TEST(Split, ColorIsTheRoundedSumOfTheStoredParts) {
  for (std::uint32_t i = 0; i < 20000; ++i) {
    Sampler s(1, i, 0);
    const auto wide = [&] { return std::exp2(30 * s.next1() - 18); };  // 2^-18 .. 2^12
    PixelSums sums;
    const Vec2 rho = s.next2();
    sums.add({Rgb{rho.x, rho.y, 0.0f}, Rgb{wide(), wide(), 0.0f}, Rgb{wide(), 0.0f, wide()}, 0});
    sums.add({Rgb{rho.y, rho.x, 0.0f}, Rgb{wide(), wide(), 0.0f}, Rgb{wide(), 0.0f, wide()}, 0});
    const SplitPixel p = split_pixel(sums, Rgb{0.5f});
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_TRUE(is_half(p.reflectance[c]) && is_half(p.illumination[c]) && is_half(p.residual[c]) && is_half(p.color[c]));
      EXPECT_LE(std::abs(static_cast<double>(p.color[c]) - exact(p, c)), 0.5 * half_step(p.color[c]));
    }
    EXPECT_LE(p.identity_error_steps, 0.5);
    EXPECT_EQ(p.illumination.b, 0.5f);
  }
}

// Within float16 rounding (2^-11 each of three numbers) the stored color is the mean radiance.
TEST(Split, ColorIsTheMeanRadiance) {
  PixelSums sums;
  sums.add({Rgb{0.2f, 0.9f, 0.0f}, Rgb{0.4f, 0.1f, 0.0f}, Rgb{0.0f, 0.3f, 7.0f}, 0});
  sums.add({Rgb{0.8f, 0.1f, 0.0f}, Rgb{2.0f, 0.5f, 0.0f}, Rgb{1.0f, 0.0f, 9.0f}, 0});
  const SplitPixel p = split_pixel(sums, Rgb{1.0f});
  EXPECT_NEAR(p.color.r, 1.7, 1.7 * 0x1p-9);
  EXPECT_NEAR(p.color.g, 0.45, 0.45 * 0x1p-9);
  EXPECT_NEAR(p.color.b, 8, 8 * 0x1p-9);
  // E = ΣD / Σρ, not the mean of the ratios.
  EXPECT_NEAR(p.illumination.r, 2.4, 2.4 * 0x1p-10);
}

TEST(Split, TooMuchLightIsLimitedAndCounted) {
  PixelSums sums;
  sums.add({Rgb{0.5f}, Rgb{80000.0f, 1.0f, 1.0f}, Rgb{10.0f, 90000.0f, 1.0f}, 0});
  const SplitPixel p = split_pixel(sums, {});
  EXPECT_TRUE(p.limited);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_LE(p.color[c], kColorLimit);
    EXPECT_LE(exact(p, c), static_cast<double>(kColorLimit));
    EXPECT_TRUE(std::isfinite(p.illumination[c]));
  }
  EXPECT_GT(p.color.r, 32000.0f);  // the illumination itself must fit, too
  EXPECT_GT(p.color.g, 65000.0f);
  PixelSums dark;
  dark.add({Rgb{0.5f}, Rgb{1.0f}, Rgb{1.0f}, 0});
  EXPECT_FALSE(split_pixel(dark, {}).limited);
}

TEST(Split, ASampleThatIsNoNumberIsLeftOutAndCounted) {
  PixelSums sums;
  sums.add({Rgb{0.5f}, Rgb{1.0f}, Rgb{0.0f}, 0});
  sums.add({Rgb{0.5f}, Rgb{NAN}, Rgb{0.0f}, 0});
  sums.add({Rgb{0.5f}, Rgb{0.0f}, Rgb{INFINITY}, 0});
  EXPECT_EQ(sums.nan_samples, 2u);
  EXPECT_EQ(sums.samples, 1u);
  EXPECT_EQ(split_pixel(sums, {}).color.r, 1.0f);
}

TEST(Split, AReflectanceTooSmallForFloat16LosesNoLight) {
  PixelSums sums;
  sums.add({Rgb{1e-9f}, Rgb{0.25f}, Rgb{0.5f}, 0});
  EXPECT_EQ(split_pixel(sums, {}).color.g, 0.75f);
}

TEST(HalfNearest, RoundsOnceFromDouble) {
  // 1 + 2^-11 is a tie between two float16 numbers and goes to the even one; a hair above it goes up, although
  // float rounding alone would bring it back to the tie.
  EXPECT_EQ(half_nearest(1 + 0x1p-11), 1.0f);
  EXPECT_EQ(half_nearest(1 + 0x1p-11 + 0x1p-40), 1.0f + 0x1p-10f);
  EXPECT_EQ(half_nearest(1 + 0x1p-11 - 0x1p-40), 1.0f);
  EXPECT_EQ(half_nearest(-1 - 0x1p-11 - 0x1p-40), -1.0f - 0x1p-10f);
}

}  // namespace
}  // namespace simulacra
