// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/camera.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "render/base/error.h"
#include "sim2real/sensor/blur.h"
#include "sim2real/sensor/develop.h"
#include "sim2real/sensor/random.h"
#include "sim2real/sensor/raw.h"

namespace simulacra::sensor {
namespace {

void check(const Plane& radiance, const Plane* depth, const CameraOptions& camera) {
  if (radiance.channels != 3 || radiance.f.empty())
    fail("a camera takes 3 channels of color; this image has {} of {} x {} pixels", radiance.channels, radiance.width, radiance.height);
  for (std::size_t i = 0; i < radiance.f.size(); ++i)
    if (!(radiance.f[i] >= 0) || !std::isfinite(radiance.f[i])) {
      const std::size_t pixel = i / 3, width = static_cast<std::size_t>(radiance.width);
      fail("color is {} at row {}, column {}; a camera takes finite radiance, 0 or more", radiance.f[i], pixel / width, pixel % width);
    }
  if (camera.blur.focus_distance_m > 0 && depth == nullptr)
    fail("camera.blur.focus_distance_m asks for depth, and there is none; 0 turns blur by depth off");
}

Plane blurred(const Plane& radiance, const Plane* depth, const CameraOptions& camera, std::uint64_t seed, std::uint32_t frame,
              const ParallelFor& parallel) {
  const BlurOptions& blur = camera.blur;
  Plane image = radiance;
  if (blur.focus_distance_m > 0) image = defocus_by_depth(image, *depth, blur, camera.exposure.f_number, camera.pixel.pitch_um, parallel);
  image = convolve(image, disk_kernel(blur.defocus_radius_px), parallel);
  double way = blur.motion_px, angle = blur.motion_angle_deg;
  if (blur.motion_random) {
    Stream stream(seed, frame, Purpose::motion, 0);
    way *= stream.uniform();
    angle = 360 * stream.uniform();
  }
  image = convolve(image, line_kernel(way, angle), parallel);
  image = convolve(image, gaussian_kernel(blur.psf_sigma_px, false), parallel);
  return convolve(image, gaussian_kernel(blur.psf_sigma_px, true), parallel);
}

/// Mean electrons of the photosites, three a pixel, before automatic exposure.
Plane electrons_of(const Plane& color, const CameraOptions& camera, const Pinhole& pinhole, const ParallelFor& parallel) {
  const double photons = photons_per_radiance(camera.exposure, camera.pixel.pitch_um);
  const double corner = corner_distance_px(pinhole, color.width, color.height);
  const std::vector<double>& mix = camera.pixel.crosstalk;
  Plane electrons = color;
  parallel(static_cast<std::size_t>(color.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < color.width; ++column)
      for (int channel = 0; channel < 3; ++channel) {
        const auto k = static_cast<std::size_t>(channel);
        double light = 0;
        for (std::size_t j = 0; j < 3; ++j) light += mix[3 * k + j] * static_cast<double>(color.f[color.at(row, column) + j]);
        light *= relative_illumination(camera.lens, pinhole, corner, {column + 0.5, row + 0.5}, channel);
        electrons.f[electrons.at(row, column, channel)] =
            static_cast<float>(std::max(0.0, light) * photons * camera.pixel.quantum_efficiency[k]);
      }
  });
  return electrons;
}

double exposure_factor(const Plane& electrons, const CameraOptions& camera) {
  if (!(camera.exposure.auto_level > 0)) return 1;
  std::vector<float> values = electrons.f;
  const auto rank = static_cast<std::ptrdiff_t>(camera.exposure.auto_percentile * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  const double level = static_cast<double>(values[static_cast<std::size_t>(rank)]);
  return level > 0 ? camera.exposure.auto_level * camera.pixel.full_well_e / level : 1;
}

}  // namespace

Photograph photograph(const Plane& radiance, const Plane* depth, const CameraOptions& camera, std::uint64_t seed,
                      std::uint32_t frame, const ParallelFor& parallel) {
  check(radiance, depth, camera);
  Photograph result;

  // Light on the sensor.
  result.warp = make_warp(camera.lens, radiance.width, radiance.height, parallel);
  const Plane color = warp_color(blurred(radiance, depth, camera, seed, frame, parallel), camera.lens, result.warp, parallel);
  Plane electrons = electrons_of(color, camera, result.warp.picture, parallel);
  if (camera.pixel.mosaic != "none") electrons = mosaic(electrons, camera.pixel.mosaic);
  const double factor = exposure_factor(electrons, camera);
  for (float& e : electrons.f) e = static_cast<float>(static_cast<double>(e) * factor);
  result.electrons_per_radiance =
      photons_per_radiance(camera.exposure, camera.pixel.pitch_um) * camera.pixel.quantum_efficiency[1] * factor;

  // Raw numbers, and the picture made of them.
  result.raw = digitise(electrons, camera.pixel, camera.exposure.time_ms * 1e-3, seed, frame, parallel);
  auto developed = develop(result.raw, camera, result.warp.picture, parallel);
  result.image = std::move(developed.image);
  result.jpeg_bytes = developed.bytes;
  return result;
}

}  // namespace simulacra::sensor
