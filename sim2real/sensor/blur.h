// SPDX-License-Identifier: Apache-2.0
// Blur of linear light. Every kernel sums to 1, so light is spread and not lost; beyond the image the border is repeated.
#pragma once

#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

/// (2 ry + 1) rows of (2 rx + 1) weights.
struct Kernel {
  int rx = 0, ry = 0;
  std::vector<float> weights = {1};
};

/// One line of a Gaussian, cut at 4 sigma: blur along x, then along y.
Kernel gaussian_kernel(double sigma_px, bool along_y);
/// A disk, its border sampled 16 x 16 times a pixel.
Kernel disk_kernel(double radius_px);
/// A line through the center.
Kernel line_kernel(double length_px, double angle_deg);

Plane convolve(const Plane& image, const Kernel& kernel, const ParallelFor& parallel = serial_for);

/// Radius of the thin lens' blur disk on the sensor: A f |z - z_f| / (2 z (z_f - f)) over the pitch, A = f / f-number, at
/// most blur.max_radius_px. No depth (NaN) counts as infinitely far.
double defocus_radius_px(const BlurOptions& blur, double f_number, double pitch_um, double depth_m);

/// Blur by depth: each pixel's light is spread over its own disk, not over sharper surfaces before it, and divided by
/// the sum of the weights that arrive. depth: planar, one channel, in metres.
Plane defocus_by_depth(const Plane& color, const Plane& depth, const BlurOptions& blur, double f_number, double pitch_um,
                       const ParallelFor& parallel = serial_for);

}  // namespace simulacra::sensor
