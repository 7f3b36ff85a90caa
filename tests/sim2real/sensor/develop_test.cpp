// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/develop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "render/base/error.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

Plane detailed() {
  return test::plane_of(64, 48, 3, [](int r, int c, int k) { return 0.5 + 0.2 * std::sin(0.4 * c + k) + 0.2 * std::cos(0.9 * r * c / 20.0); });
}

double squared_error(const Plane& a, const Plane& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.f.size(); ++i) sum += std::pow(static_cast<double>(a.f[i] - b.f[i]), 2);
  return sum / static_cast<double>(a.f.size());
}

TEST(Develop, InverseTimesMatrixIsOne) {
  const Matrix3 m = {0.8, 0.15, 0.05, 0.1, 0.85, 0.05, 0.02, 0.2, 0.78}, inv = inverse(m);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += m[3 * i + k] * inv[3 * k + j];
      EXPECT_NEAR(sum, i == j, 1e-14);
    }
  EXPECT_THROW(inverse({1, 2, 3, 2, 4, 6, 0, 0, 1}), Error);
}

TEST(Develop, CurvesMeetTheirStandards) {
  DevelopOptions o;
  EXPECT_NEAR(tone(o, 0.5f), 0.7353569830524495, 1e-6);    // IEC 61966-2-1
  EXPECT_NEAR(tone(o, 0.001f), 0.01292, 1e-7);
  EXPECT_EQ(tone(o, 2), 1);
  EXPECT_EQ(tone(o, -1), 0);
  o.curve = "rec709";
  EXPECT_NEAR(tone(o, 0.18f), 0.4090077288641504, 1e-5);   // 1.099 * 0.18^0.45 - 0.099
  o.curve = "gamma", o.gamma = 2;
  EXPECT_NEAR(tone(o, 0.25f), 0.5, 1e-7);
  o.contrast = 1;
  EXPECT_NEAR(tone(o, 0.25f), 0.5, 1e-7);                  // the middle stays
  EXPECT_LT(tone(o, 0.04f), 0.2f);
  EXPECT_GT(tone(o, 0.81f), 0.9f);
}

TEST(Develop, QuantisingLeavesThatManyLevels) {
  Plane image = test::plane_of(1000, 1, 1, [](int, int c, int) { return c / 999.0; });
  const Plane before = image;
  quantise(image, 3);
  std::vector<float> levels = image.f;
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  EXPECT_EQ(levels.size(), 8u);
  for (std::size_t i = 0; i < image.f.size(); ++i) EXPECT_LE(std::abs(image.f[i] - before.f[i]), 0.5f / 7 + 1e-6f);
}

TEST(Develop, BetterJpegsAreNearerAndLarger) {
  Plane image = detailed();
  quantise(image, 8);
  double error = 1;
  std::size_t bytes = 0;
  for (const int quality : {5, 20, 50, 80, 95}) {
    const JpegResult result = jpeg_round_trip(image, quality, "4:4:4");
    ASSERT_EQ(result.image.f.size(), image.f.size());
    const double now = squared_error(result.image, image);
    EXPECT_LT(now, error) << quality;
    EXPECT_GT(result.bytes, bytes) << quality;
    error = now, bytes = result.bytes;
  }
  EXPECT_LT(error, std::pow(2.5 / 255, 2));
  EXPECT_LT(error, squared_error(jpeg_round_trip(image, 95, "4:2:0").image, image));   // chroma at half the resolution
}

TEST(Develop, AMidGrayConstantSurvivesJpeg) {
  const Plane gray = test::constant_plane(16, 16, 3, 128.0 / 255);   // its DCT is zero
  EXPECT_EQ(jpeg_round_trip(gray, 30, "4:2:0").image.f, gray.f);
}

TEST(Develop, WhiteIsGrayUnderEveryBalance) {
  CameraOptions camera;
  camera.pixel.quantum_efficiency = {0.3, 0.6, 0.4};
  camera.pixel.crosstalk = {0.8, 0.2, 0, 0.1, 0.9, 0.1, 0, 0.3, 0.7};
  camera.pixel.mosaic = "none";
  const double response[3] = {0.3, 0.6 * 1.1, 0.4};
  const Plane linear = test::plane_of(4, 4, 3, [&](int, int, int k) { return response[k]; });
  for (const char* mode : {"as_shot", "gray_world"}) {
    camera.develop.white_balance = mode;
    const auto gains = white_gains(camera, linear);
    EXPECT_NEAR(gains[0] * response[0], gains[1] * response[1], 1e-7) << mode;
    EXPECT_NEAR(gains[2] * response[2], gains[1] * response[1], 1e-7) << mode;
    EXPECT_NEAR(gains[1], 1, 1e-12) << mode;   // the strongest channel
  }
  camera.develop.white_balance = "gains";
  camera.develop.white_gains = {2, 1, 1.5};
  EXPECT_EQ(white_gains(camera, linear), (std::array<double, 3>{2, 1, 1.5}));
  const Matrix3 m = color_matrix(camera);
  for (std::size_t row = 0; row < 3; ++row) EXPECT_NEAR(m[3 * row] + m[3 * row + 1] + m[3 * row + 2], 1, 1e-12);
}

}  // namespace
}  // namespace simulacra::sensor
