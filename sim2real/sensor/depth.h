// SPDX-License-Identifier: Apache-2.0
// Depth images as structured light and time of flight measure them. Depth is planar, in metres; NaN is no depth.
#pragma once

#include <cstdint>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

/// 1 where the surface jumps: |1/z(-1) + 1/z(+1) - 2/z(0)| z(0) > jump along the row or the column, or a neighbor has no
/// depth. 1/z is affine in the image on a plane, so a plane of any slant has no edges.
std::vector<std::uint8_t> depth_edges(const Plane& depth, double jump);

/// 1 where a projector at baseline_m to the right of the camera does not shine: in its column lies a surface whose
/// disparity is larger by more than 1.5 px.
std::vector<std::uint8_t> projector_shadow(const Plane& depth, double focal_px, double baseline_m);

/// Disparity d = f b / z of the depth that a laterally jittered pixel sees, with Gaussian noise, rounded to steps; depth f b / d.
/// So steps and noise of depth grow with z^2 (Khoshelham and Elberink 2012).
/// Without range, edges and storage: see measure_depth().
Plane structured_light(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame,
                       const ParallelFor& parallel = serial_for);

/// Phase 4 pi f r / c of the sum of the returns around a pixel, each with amplitude 1/r^2, and a later indirect return; the
/// distance r of that phase with Gaussian noise sigma_m + sigma_per_m2 r^2, as a depth.
Plane time_of_flight(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame,
                     const ParallelFor& parallel = serial_for);

/// The depth image of the chosen kind: as above, then dropout at edges, the range, and rounding to step_m. `none` gives
/// the depth back. The same seed and frame give the same bytes on any number of threads. Throws Error when `depth` is not
/// one channel or not positive.
Plane measure_depth(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame,
                    const ParallelFor& parallel = serial_for);

double focal_px(const DepthOptions& options, int width);

}  // namespace simulacra::sensor
