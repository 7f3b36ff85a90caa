// SPDX-License-Identifier: Apache-2.0
#include "render/sampling/sampler.h"

#include <gtest/gtest.h>

#include <set>

#include "render/sampling/warp.h"

namespace simulacra {
namespace {

// A (0,2)-sequence puts exactly one of the first 2^k points into each elementary interval of area 2^-k.
TEST(Sampler, EveryPairOfDimensionsIsANet) {
  for (const std::uint32_t pair : {0u, 1u, 7u, 100u})
    for (const std::uint32_t log_width : {0u, 2u, 3u, 6u}) {
      std::set<std::pair<int, int>> cells;
      for (std::uint32_t i = 0; i < 64; ++i) {
        Sampler s(7, 1234, i);
        s.start(pair);
        const Vec2 p = s.next2();
        ASSERT_TRUE(p.x >= 0 && p.x < 1 && p.y >= 0 && p.y < 1);
        cells.emplace(static_cast<int>(p.x * static_cast<float>(1u << log_width)),
                      static_cast<int>(p.y * static_cast<float>(64u >> log_width)));
      }
      EXPECT_EQ(cells.size(), 64u) << "pair " << pair << ", cells of width 2^-" << log_width;
    }
}

TEST(Sampler, ASingleNumberIsTheFirstOfThePair) {
  Sampler a(1, 2, 3), b(1, 2, 3);
  EXPECT_EQ(a.next1(), b.next2().x);
}

TEST(Sampler, SeedPixelSampleAndDimensionAllMatter) {
  const auto at = [](std::uint64_t seed, std::uint32_t pixel, std::uint32_t sample, std::uint32_t pair) {
    Sampler s(seed, pixel, sample);
    s.start(pair);
    return s.next2();
  };
  const Vec2 p = at(1, 2, 3, 4);
  EXPECT_EQ(p, at(1, 2, 3, 4));
  EXPECT_NE(p, at(2, 2, 3, 4));
  EXPECT_NE(p, at(1, 3, 3, 4));
  EXPECT_NE(p, at(1, 2, 4, 4));
  EXPECT_NE(p, at(1, 2, 3, 5));
  EXPECT_NE(p, at(1ull << 32 | 1, 2, 3, 4));
}

// Pairs must be independent of each other: the mean product of two centered numbers is 0 within 4 standard
// errors (1/12 / sqrt(n) each) over many pixels.
TEST(Sampler, PairsAreUncorrelated) {
  double sum = 0;
  constexpr int kPixels = 20000;
  for (std::uint32_t pixel = 0; pixel < kPixels; ++pixel) {
    Sampler s(3, pixel, 5);
    const Vec2 a = s.next2(), b = s.next2();
    sum += static_cast<double>((a.x - 0.5f) * (b.x - 0.5f) + (a.y - 0.5f) * (b.x - 0.5f));
  }
  EXPECT_LT(std::abs(sum / kPixels), 4 * 1.414 / 12 / std::sqrt(kPixels));
}

TEST(Warp, TriangleAndDiskCoverTheirDomains) {
  Vec2 mean{};
  constexpr int kSide = 128;
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      const Vec2 u{(static_cast<float>(i) + 0.5f) / kSide, (static_cast<float>(j) + 0.5f) / kSide};
      const Vec2 b = triangle_from_square(u);
      ASSERT_TRUE(b.x >= 0 && b.y >= 0 && b.x + b.y <= 1.0f + 1e-6f);
      mean = mean + b * (1.0f / (kSide * kSide));
      ASSERT_LE(dot(disk_from_square(u), disk_from_square(u)), 1.0f + 1e-5f);
      ASSERT_NEAR(length(cosine_hemisphere_from_square(u)), 1, 1e-5);
      ASSERT_NEAR(length(sphere_from_square(u)), 1, 1e-5);
    }
  // The centroid, to the accuracy of a midpoint rule.
  EXPECT_NEAR(mean.x, 1.0 / 3, 1e-3);
  EXPECT_NEAR(mean.y, 1.0 / 3, 1e-3);
}

}  // namespace
}  // namespace simulacra
