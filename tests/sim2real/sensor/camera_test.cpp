// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/camera.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "sim2real/sensor/develop.h"
#include "tests/sim2real/sensor/planes.h"
#include "tests/support/message_of.h"

namespace simulacra::sensor {
namespace {

using test::message_of;
using ::testing::HasSubstr;

Plane scene() {
  return test::plane_of(48, 36, 3, [](int r, int c, int k) { return 0.2 + 0.1 * k + 0.15 * std::sin(0.5 * c) + 0.1 * (r > 18); });
}

CameraOptions everything() {
  CameraOptions camera;
  camera.lens.k1 = -0.1, camera.lens.red_px_at_corner = 0.7, camera.lens.cos4 = 1, camera.lens.corner_loss = {0.2, 0.1, 0.15};
  camera.lens.shading_corrected = 0.5, camera.lens.zoom = 0;
  camera.blur.psf_sigma_px = 0.5, camera.blur.defocus_radius_px = 1, camera.blur.motion_px = 3, camera.blur.motion_random = true;
  camera.pixel.prnu = 0.01, camera.pixel.dark_current_e_per_s = 20, camera.pixel.read_noise_e = 2, camera.pixel.row_noise_e = 0.5;
  camera.develop.jpeg_quality = 85;
  return camera;
}

TEST(Camera, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  const Plane color = scene();
  const Photograph one = photograph(color, nullptr, everything(), 4, 2), two = photograph(color, nullptr, everything(), 4, 2, test::on_threads(2)),
                   three = photograph(color, nullptr, everything(), 4, 2, test::on_threads(3));
  EXPECT_EQ(one.image.f, two.image.f);
  EXPECT_EQ(one.raw.f, two.raw.f);
  EXPECT_EQ(one.raw.f, three.raw.f);
  EXPECT_NE(one.raw.f, photograph(color, nullptr, everything(), 5, 2).raw.f);
  EXPECT_NE(one.raw.f, photograph(color, nullptr, everything(), 4, 3).raw.f);
  EXPECT_GT(one.jpeg_bytes, 100u);
}

TEST(Camera, ManyPhotonsAndNoMosaicGiveTheSceneBack) {
  // With 1e9 electrons shot noise is 3e-5 of white; crosstalk, efficiencies and fall-off are undone by the development.
  CameraOptions camera;
  camera.lens.cos4 = 1, camera.lens.corner_loss = {0.3, 0.2, 0.1}, camera.lens.shading_corrected = 1;
  camera.pixel.crosstalk = {0.85, 0.1, 0.05, 0.1, 0.8, 0.1, 0.02, 0.18, 0.8};
  camera.pixel.full_well_e = 1e7, camera.pixel.mosaic = "none", camera.pixel.adc_bits = 16, camera.pixel.black_level_dn = 0;
  camera.exposure.auto_level = 0.4;
  camera.develop.curve = "linear", camera.develop.bits = 0;
  const Plane color = scene();
  const Photograph shot = photograph(color, nullptr, camera, 1, 0);
  const double scale = static_cast<double>(shot.image.f[0] / color.f[0]);
  for (std::size_t i = 0; i < color.f.size(); ++i)
    EXPECT_NEAR(shot.image.f[i] / scale, color.f[i], 0.004 * static_cast<double>(color.f[i]) + 0.001) << i;
}

TEST(Camera, AutomaticExposureFillsTheWellToItsLevel) {
  CameraOptions camera;
  camera.exposure.auto_level = 0.5, camera.exposure.auto_percentile = 1;
  camera.pixel.quantum_efficiency = {0.5, 0.5, 0.5};
  const Photograph shot = photograph(test::constant_plane(40, 40, 3, 3), nullptr, camera, 1, 0);
  const auto m = test::moments(shot.raw.f);
  const double gain = (4095.0 - 64) / 10000;
  EXPECT_NEAR(m.mean, 64 + gain * 5000, 5 * gain * std::sqrt(5000.0 / 1600));
  EXPECT_NEAR(shot.electrons_per_radiance * 3, 5000, 0.01);
  // And a black scene stays black.
  const Photograph dark = photograph(test::constant_plane(40, 40, 3, 0), nullptr, camera, 1, 0);
  EXPECT_EQ(std::ranges::max(dark.image.f), 0);
}

TEST(Camera, WhatIsTooBrightIsWhite) {
  CameraOptions camera;
  camera.exposure.auto_level = 5;
  for (const float v : photograph(test::constant_plane(8, 8, 3, 1), nullptr, camera, 1, 0).image.f) EXPECT_EQ(v, 1);
}

TEST(Camera, WrongImagesAreRefusedInOneLine) {
  Plane bad = scene();
  bad.f[bad.at(3, 5, 1)] = NAN;
  EXPECT_THAT(message_of([&] { photograph(bad, nullptr, {}, 1, 0); }), HasSubstr("color is nan at row 3, column 5"));
  bad.f[bad.at(3, 5, 1)] = -0.5f;
  EXPECT_THAT(message_of([&] { photograph(bad, nullptr, {}, 1, 0); }), HasSubstr("color is -0.5 at row 3, column 5"));
  EXPECT_THAT(message_of([&] { photograph(test::constant_plane(8, 8, 1, 1), nullptr, {}, 1, 0); }), HasSubstr("takes 3 channels"));
  EXPECT_THAT(message_of([&] { photograph(test::constant_plane(2, 2, 3, 1), nullptr, {}, 1, 0); }), HasSubstr("2 x 2 pixels is too small for a mosaic"));
  CameraOptions deep;
  deep.blur.focus_distance_m = 2;
  EXPECT_THAT(message_of([&] { photograph(scene(), nullptr, deep, 1, 0); }), HasSubstr("focus_distance_m asks for depth"));
}

}  // namespace
}  // namespace simulacra::sensor
