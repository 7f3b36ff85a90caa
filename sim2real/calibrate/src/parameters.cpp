// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/parameters.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "render/base/error.h"

namespace simulacra::calibrate {
namespace {

using sensor::CameraOptions;

constexpr double kAnywhere = -1e9;

const std::array kParameters = {
    Parameter{"pixel.full_well_e", true, 3.9, 13.8, 0.25, kAnywhere, 2.5, [](const CameraOptions& c) { return c.pixel.full_well_e; },
              [](CameraOptions& c, double v) { c.pixel.full_well_e = v; }},
    Parameter{"pixel.read_noise_share", true, -10, -1.5, 0.3, kAnywhere, 2,
              [](const CameraOptions& c) { return std::max(c.pixel.read_noise_e / c.pixel.full_well_e, 1e-4); },
              [](CameraOptions& c, double v) { c.pixel.read_noise_e = v * c.pixel.full_well_e; }},
    Parameter{"blur.psf_sigma_px", false, 0, 4, 0.1, 0.5, 1, [](const CameraOptions& c) { return c.blur.psf_sigma_px; },
              [](CameraOptions& c, double v) { c.blur.psf_sigma_px = v; }},
    Parameter{"lens.corner_loss[0]", false, 0, 0.9, 0.05, kAnywhere, 0.3, [](const CameraOptions& c) { return c.lens.corner_loss[0]; },
              [](CameraOptions& c, double v) { c.lens.corner_loss[0] = v; }},
    Parameter{"lens.corner_loss[1]", false, 0, 0.9, 0.05, kAnywhere, 0.3, [](const CameraOptions& c) { return c.lens.corner_loss[1]; },
              [](CameraOptions& c, double v) { c.lens.corner_loss[1] = v; }},
    Parameter{"lens.corner_loss[2]", false, 0, 0.9, 0.05, kAnywhere, 0.3, [](const CameraOptions& c) { return c.lens.corner_loss[2]; },
              [](CameraOptions& c, double v) { c.lens.corner_loss[2] = v; }},
    Parameter{"lens.red_px_at_corner", false, -8, 8, 0.2, kAnywhere, 1.5, [](const CameraOptions& c) { return c.lens.red_px_at_corner; },
              [](CameraOptions& c, double v) { c.lens.red_px_at_corner = v; }},
    Parameter{"lens.blue_px_at_corner", false, -8, 8, 0.2, kAnywhere, 1.5, [](const CameraOptions& c) { return c.lens.blue_px_at_corner; },
              [](CameraOptions& c, double v) { c.lens.blue_px_at_corner = v; }},
    Parameter{"exposure.auto_level", true, -3, 1.6, 0.06, kAnywhere, 0.7, [](const CameraOptions& c) { return std::max(c.exposure.auto_level, 0.05); },
              [](CameraOptions& c, double v) { c.exposure.auto_level = v; }},
    Parameter{"develop.white_gains[0]", true, -1.5, 1.5, 0.04, kAnywhere, 0.4, [](const CameraOptions& c) { return c.develop.white_gains[0]; },
              [](CameraOptions& c, double v) { c.develop.white_gains[0] = v; }},
    Parameter{"develop.white_gains[2]", true, -1.5, 1.5, 0.04, kAnywhere, 0.4, [](const CameraOptions& c) { return c.develop.white_gains[2]; },
              [](CameraOptions& c, double v) { c.develop.white_gains[2] = v; }},
    Parameter{"develop.contrast", false, 0, 1, 0.08, kAnywhere, 0.5, [](const CameraOptions& c) { return c.develop.contrast; },
              [](CameraOptions& c, double v) { c.develop.contrast = v; }},
    Parameter{"develop.gamma", true, -0.5, 1.5, 0.05, kAnywhere, 0.5, [](const CameraOptions& c) { return c.develop.gamma; },
              [](CameraOptions& c, double v) { c.develop.gamma = v; }},
};

bool applies(const Parameter& p, const CameraOptions& camera) {
  if (p.name == "develop.gamma") return camera.develop.curve == "gamma";
  if (p.name == "exposure.auto_level") return camera.exposure.auto_level > 0;
  return true;
}

}  // namespace

std::span<const Parameter> parameters() { return kParameters; }

std::vector<const Parameter*> fitted_parameters(const CameraOptions& camera, std::span<const std::string> names) {
  std::vector<const Parameter*> chosen;
  std::vector<std::size_t> uses(names.size());
  std::string all;
  for (const Parameter& p : kParameters) {
    bool wanted = names.empty();
    all += (all.empty() ? "" : ", ") + std::string(p.name);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (p.name.find(names[i]) != std::string_view::npos) wanted = true, ++uses[i];
    if (wanted && applies(p, camera)) chosen.push_back(&p);
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (uses[i] == 0) fail_usage("'{}' is part of no parameter; there are {}", names[i], all);
  if (chosen.empty()) fail_usage("none of these parameters applies to this camera; there are {}", all);
  return chosen;
}

double on_scale(const Parameter& p, const CameraOptions& camera) {
  const double value = p.get(camera);
  return std::clamp(p.logarithm ? std::log(value) : value, p.lo, p.hi);
}

void put_on_scale(const Parameter& p, CameraOptions& camera, double value) {
  const double inside = std::clamp(value, p.lo, p.hi);
  p.set(camera, p.logarithm ? std::exp(inside) : inside);
}

}  // namespace simulacra::calibrate
