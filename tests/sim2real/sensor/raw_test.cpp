// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/raw.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "render/base/error.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

using test::constant_plane;
using test::moments;

PixelOptions quiet() {
  PixelOptions pixel;
  pixel.adc_bits = 14, pixel.black_level_dn = 256, pixel.gain_dn_per_e = 1.6, pixel.full_well_e = 9000;
  return pixel;
}

constexpr int kSide = 200;
constexpr double kCount = kSide * kSide;

TEST(Raw, VarianceGrowsWithTheMeanByTheGain) {
  PixelOptions pixel = quiet();
  pixel.read_noise_e = 3;
  for (const double electrons : {0.0, 4.0, 50.0, 700.0, 5000.0}) {
    const Plane raw = digitise(constant_plane(kSide, kSide, 1, electrons), pixel, 0.02, 5, 0);
    const auto m = moments(raw.f);
    const double expected = 1.6 * 1.6 * (electrons + 9) + 1.0 / 12;
    EXPECT_NEAR(m.mean, 256 + 1.6 * electrons, 5 * std::sqrt(expected / kCount)) << electrons;
    EXPECT_NEAR(m.variance, expected, 5 * expected * std::sqrt(2 / kCount)) << electrons;   // 5 standard errors of a variance
  }
}

TEST(Raw, DarkCurrentAddsItsElectronsAndTheirNoise) {
  PixelOptions pixel = quiet();
  pixel.dark_current_e_per_s = 500;
  const auto m = moments(digitise(constant_plane(kSide, kSide, 1, 0), pixel, 0.5, 5, 0).f);
  const double variance = 1.6 * 1.6 * 250 + 1.0 / 12;
  EXPECT_NEAR(m.mean, 256 + 1.6 * 250, 5 * std::sqrt(variance / kCount));
  EXPECT_NEAR(m.variance, variance, 5 * variance * std::sqrt(2 / kCount));
}

TEST(Raw, PhotositesDifferByAFixedPattern) {
  PixelOptions pixel = quiet();
  pixel.prnu = 0.03;
  const Plane light = constant_plane(kSide, kSide, 1, 5000);
  std::vector<double> mean(light.f.size()), difference(light.f.size());
  const Plane a = digitise(light, pixel, 0.02, 5, 0), b = digitise(light, pixel, 0.02, 5, 1);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = static_cast<double>(a.f[i] + b.f[i]) / 2;
    difference[i] = static_cast<double>(a.f[i] - b.f[i]);
  }
  // The difference of two frames has the temporal noise twice and no pattern; half of it is left in their mean.
  const double temporal = 1.6 * 1.6 * 5000 + 1.0 / 12, pattern = std::pow(1.6 * 0.03 * 5000, 2);
  EXPECT_NEAR(moments(difference).variance, 2 * temporal, 5 * 2 * temporal * std::sqrt(2 / kCount));
  const double expected = pattern + temporal / 2;
  EXPECT_NEAR(moments(mean).variance, expected, 5 * expected * std::sqrt(2 / kCount));
}

TEST(Raw, RowsShareTheirNoise) {
  PixelOptions pixel = quiet();
  pixel.row_noise_e = 40;
  const Plane raw = digitise(constant_plane(kSide, kSide, 1, 100), pixel, 0.02, 5, 0);
  std::vector<double> rows(kSide);
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) rows[static_cast<std::size_t>(r)] += static_cast<double>(raw.f[raw.at(r, c)]) / kSide;
  const double expected = std::pow(1.6 * 40, 2) + 1.6 * 1.6 * 100 / kSide;
  EXPECT_NEAR(moments(rows).variance, expected, 5 * expected * std::sqrt(2.0 / kSide));
}

TEST(Raw, TheFullWellAndTheLargestNumberAreLimits) {
  PixelOptions pixel = quiet();
  for (const float v : digitise(constant_plane(8, 8, 1, 1e6), pixel, 0.02, 5, 0).f) EXPECT_EQ(v, 256 + std::round(1.6f * 9000));
  pixel.gain_dn_per_e = 10;
  for (const float v : digitise(constant_plane(8, 8, 1, 1e6), pixel, 0.02, 5, 0).f) EXPECT_EQ(v, 16383);
  pixel.black_level_dn = 16383;
  EXPECT_THROW(digitise(constant_plane(8, 8, 1, 1), pixel, 0.02, 5, 0), Error);
}

TEST(Raw, PhotonsFollowTheCameraEquation) {
  // 1 W/(sr m^2) at f/2, all of it let through: pi/16 W/m^2 on a photosite of 1 um^2 for 1 s, in quanta of 550 nm.
  const ExposureOptions exposure{.time_ms = 1000, .f_number = 2, .transmission = 1};
  const double quantum = 6.62607015e-34 * 299792458 / 550e-9;
  EXPECT_NEAR(photons_per_radiance(exposure, 1) / (0.19634954084936207e-12 / quantum), 1, 1e-12);
  const ExposureOptions stop{.time_ms = 1000, .f_number = 2.8284271247461903, .transmission = 1};
  EXPECT_NEAR(photons_per_radiance(stop, 1) / photons_per_radiance(exposure, 1), 0.5, 1e-12);
}

TEST(Raw, DemosaicOfAConstantColorIsExact) {
  const double color[3] = {0.75, 0.3125, 0.125};
  const Plane image = test::plane_of(9, 7, 3, [&](int, int, int k) { return color[k]; });
  for (const char* pattern : {"rggb", "bggr", "grbg", "gbrg"})
    for (const Demosaic method : {Demosaic::bilinear, Demosaic::malvar})
      EXPECT_EQ(demosaic(mosaic(image, pattern), pattern, method).f, image.f) << pattern;
}

TEST(Raw, DemosaicKeepsWhatWasMeasured) {
  const Plane image = test::plane_of(12, 10, 3, [](int r, int c, int k) { return std::sin(r * 1.3 + c * 0.7 + k); });
  for (const char* pattern : {"rggb", "gbrg"}) {
    const Plane raw = mosaic(image, pattern);
    const Plane back = demosaic(raw, pattern, Demosaic::malvar);
    for (int r = 0; r < 10; ++r)
      for (int c = 0; c < 12; ++c) EXPECT_EQ(back.f[back.at(r, c, filter_color(pattern, r, c))], raw.f[raw.at(r, c)]);
  }
}

TEST(Raw, GradientCorrectionBeatsBilinearOnGrayDetail) {
  // On gray detail the Laplacian of the known color is that of the wanted one.
  const Plane image = test::plane_of(64, 64, 3, [](int r, int c, int) { return 0.5 + 0.3 * std::sin(0.9 * c) * std::cos(0.8 * r); });
  const auto error = [&](Demosaic method) {
    const Plane back = demosaic(mosaic(image, "rggb"), "rggb", method);
    double sum = 0;
    for (std::size_t i = 0; i < image.f.size(); ++i) sum += std::pow(static_cast<double>(back.f[i] - image.f[i]), 2);
    return sum;
  };
  EXPECT_LT(error(Demosaic::malvar), 0.4 * error(Demosaic::bilinear));
  EXPECT_THROW(demosaic(constant_plane(2, 9, 1, 0), "rggb", Demosaic::malvar), Error);
}

}  // namespace
}  // namespace simulacra::sensor
