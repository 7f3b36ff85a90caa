// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/fit.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/sim2real/calibrate/scenes.h"
#include "tests/support/message_of.h"

namespace simulacra::calibrate {
namespace {

using ::testing::HasSubstr;
using test::message_of;

sensor::CameraOptions start() {
  sensor::CameraOptions c;
  c.pixel.full_well_e = 8000, c.pixel.read_noise_e = 5;
  return c;
}

const FittedParameter& named(const Fit& fit, std::string_view name) {
  for (const FittedParameter& p : fit.parameters)
    if (p.name == name) return p;
  throw std::out_of_range(std::string(name));
}

// Other scenes of the same kind on either side, so nothing is paired. Bounds are about three of the scatters that
// sim2real/RESULTS.md states for sets of this size.
TEST(FitCamera, RecoversASimulatedCameraFromOtherScenes) {
  sensor::CameraOptions truth = start();
  truth.pixel.full_well_e = 900, truth.pixel.read_noise_e = 12;
  truth.blur.psf_sigma_px = 0.9;
  truth.exposure.auto_level = 0.55;
  truth.develop.white_gains = {1.25, 1, 0.85};
  truth.lens.red_px_at_corner = 0.9;
  const auto real = photographs(test::scenes(20, 96, 72, 1), truth, 11);
  const auto renders = test::scenes(20, 96, 72, 2);
  FitOptions options;
  options.parameters = {"pixel", "psf", "auto_level", "white", "red_px"};
  options.most_steps = 6;
  const Fit fit = fit_camera(renders, real, start(), options);
  EXPECT_LT(fit.after, 0.3 * fit.before);
  EXPECT_NEAR(std::log(named(fit, "pixel.full_well_e").value / 900), 0, 0.6);
  EXPECT_NEAR(named(fit, "blur.psf_sigma_px").value, 0.9, 0.2);
  EXPECT_NEAR(std::log(named(fit, "exposure.auto_level").value / 0.55), 0, 0.25);
  EXPECT_NEAR(std::log(named(fit, "develop.white_gains[0]").value / 1.25), 0, 0.15);
  EXPECT_NEAR(std::log(named(fit, "develop.white_gains[2]").value / 0.85), 0, 0.15);
  EXPECT_NEAR(named(fit, "lens.red_px_at_corner").value, 0.9, 0.45);
  for (const FittedParameter& p : fit.parameters) {
    EXPECT_LE(p.lo, p.value) << p.name;
    EXPECT_GE(p.hi, p.value) << p.name;
  }
  EXPECT_TRUE(named(fit, "blur.psf_sigma_px").told);
}

TEST(FitCamera, TheSameSeedGivesTheSameCamera) {
  const auto real = photographs(test::scenes(8, 64, 48, 1), start(), 3);
  const auto renders = test::scenes(8, 64, 48, 2);
  FitOptions options;
  options.parameters = {"psf"}, options.most_steps = 2;
  EXPECT_EQ(fit_camera(renders, real, start(), options).camera.blur.psf_sigma_px, fit_camera(renders, real, start(), options).camera.blur.psf_sigma_px);
}

TEST(FitCamera, RefusesWhatCannotBeFitted) {
  const auto renders = test::scenes(8, 64, 48, 2);
  std::vector<Plane> real(8, Plane{64, 48, 1, std::vector<float>(64 * 48), {}});
  EXPECT_THAT(message_of([&] { fit_camera(renders, real, start(), {}); }), HasSubstr("gray"));
  real.resize(3);
  EXPECT_THAT(message_of([&] { fit_camera(renders, real, start(), {}); }), HasSubstr("at least 8"));
  FitOptions wrong;
  wrong.parameters = {"focus"};
  const auto color = photographs(renders, start(), 1);
  EXPECT_THAT(message_of([&] { fit_camera(renders, color, start(), wrong); }), HasSubstr("'focus' is part of no parameter"));
}

}  // namespace
}  // namespace simulacra::calibrate
