// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/blur.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

struct Spread {
  double sum = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};
/// Moments of a kernel as a distribution of light.
Spread spread(const Kernel& kernel) {
  Spread s;
  std::size_t i = 0;
  for (int y = -kernel.ry; y <= kernel.ry; ++y)
    for (int x = -kernel.rx; x <= kernel.rx; ++x) {
      const double w = static_cast<double>(kernel.weights[i++]);
      s.sum += w, s.x += w * x, s.y += w * y, s.xx += w * x * x, s.yy += w * y * y, s.xy += w * x * y;
    }
  return s;
}

TEST(Blur, EveryKernelIsCenteredAndSumsToOne) {
  for (const Kernel& kernel : {gaussian_kernel(0.3, false), gaussian_kernel(2.5, true), disk_kernel(0.4), disk_kernel(1), disk_kernel(6.3),
                               line_kernel(0.5, 10), line_kernel(17, -40), Kernel{}}) {
    const Spread s = spread(kernel);
    EXPECT_NEAR(s.sum, 1, 1e-5);
    EXPECT_NEAR(s.x, 0, 1e-5);
    EXPECT_NEAR(s.y, 0, 1e-5);
  }
}

TEST(Blur, KernelsHaveTheirSecondMoments) {
  EXPECT_NEAR(spread(gaussian_kernel(2, false)).xx, 4, 0.01);          // cut at 4 sigma
  EXPECT_NEAR(spread(disk_kernel(5)).xx, 25.0 / 4, 0.12);              // r^2/4, and 1/12 for the pixel
  const Spread line = spread(line_kernel(12, 30));                     // L^2/12 along, up to 1/4 px^2 of bilinear spread
  EXPECT_NEAR(line.xx, 12 * 0.75, 0.3);
  EXPECT_NEAR(line.yy, 12 * 0.25, 0.3);
  EXPECT_NEAR(line.xy, 12 * std::sqrt(3) / 4, 0.2);
}

TEST(Blur, LightIsSpreadAndNotLost) {
  // All light lies farther from the border than the kernel reaches.
  const Plane image = test::plane_of(40, 36, 3, [](int r, int c, int k) { return (r > 14 && r < 22 && c > 14 && c < 24) ? 1 + r + 3 * c + k : 0; });
  const double before = std::accumulate(image.f.begin(), image.f.end(), 0.0);
  for (const Kernel& kernel : {gaussian_kernel(2, false), disk_kernel(7.5), line_kernel(14, 77)}) {
    const Plane blurred = convolve(image, kernel);
    EXPECT_NEAR(std::accumulate(blurred.f.begin(), blurred.f.end(), 0.0) / before, 1, 1e-6);
    EXPECT_NE(blurred.f, image.f);
  }
}

TEST(Blur, AConstantStaysConstant) {
  const Plane image = test::constant_plane(20, 17, 3, 0.37);
  for (const float v : convolve(image, disk_kernel(5)).f) EXPECT_NEAR(v, 0.37f, 1e-6);
  BlurOptions blur;
  blur.focus_distance_m = 1, blur.focal_length_mm = 8;
  const Plane depth = test::plane_of(20, 17, 1, [](int r, int c, int) { return 0.5 + 0.2 * r + (c > 9 ? 3 : 0); });
  for (const float v : defocus_by_depth(image, depth, blur, 2, 2).f) EXPECT_NEAR(v, 0.37f, 1e-6);
}

TEST(Blur, TheDiskOfDefocusIsTheThinLens) {
  BlurOptions blur;
  blur.focus_distance_m = 2, blur.focal_length_mm = 50, blur.max_radius_px = 1000;
  EXPECT_EQ(defocus_radius_px(blur, 2.8, 5, 2), 0);
  // By the lens equation: image distance v of depth z; the cone of the aperture meets the sensor at v_f.
  const auto image_distance = [](double z) { return 1 / (1 / 0.05 - 1 / z); };
  for (const double z : {0.8, 1.5, 4.0, 30.0}) {
    const double expected = 0.5 * 0.05 / 2.8 * std::abs(image_distance(2) - image_distance(z)) / image_distance(z) / 5e-6;
    EXPECT_NEAR(defocus_radius_px(blur, 2.8, 5, z), expected, 1e-9 * expected) << z;
  }
  EXPECT_NEAR(defocus_radius_px(blur, 2.8, 5, NAN), defocus_radius_px(blur, 2.8, 5, 1e9), 1e-3);
}

TEST(Blur, WhatIsInFocusStaysSharpBeforeABlurredBackground) {
  const auto near = [](int c) { return c < 20; };
  const Plane color = test::plane_of(40, 12, 1, [&](int, int c, int) { return near(c) ? 1 : (c / 2) % 2 ? 0.9 : 0.1; });
  const Plane depth = test::plane_of(40, 12, 1, [&](int, int c, int) { return near(c) ? 1 : 6; });
  BlurOptions blur;
  blur.focus_distance_m = 1, blur.focal_length_mm = 10;
  const Plane out = defocus_by_depth(color, depth, blur, 2, 4);
  ASSERT_GT(defocus_radius_px(blur, 2, 4, 6), 3);
  for (int c = 0; c < 20; ++c) EXPECT_NEAR(out.f[out.at(6, c)], 1, 1e-6) << c;
  EXPECT_LT(std::abs(out.f[out.at(6, 32)] - out.f[out.at(6, 34)]), 0.3f);   // 0.8 before
}

}  // namespace
}  // namespace simulacra::sensor
