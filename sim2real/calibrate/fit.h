// SPDX-License-Identifier: Apache-2.0
// A camera from unlabelled pictures: the method of simulated moments (McFadden 1989). Renders are photographed by a candidate
// camera, with the same random numbers for every candidate, and the statistics of the pictures (statistics.h) are brought to those
// of the real ones by Gauss-Newton steps with finite differences, since rounding, mosaic and JPEG have no derivative.
//
//   least sum over statistics of huber((s(camera) - s(real)) / sqrt(var_real + var_synthetic + floor^2)) + weak beliefs in the start
//
// What is behind every number: the renders show the same kind of scenes as the pictures. A camera cannot make other furniture, so
// differences of content end up in blur, contrast and fall-off. Statistics that no camera reaches count linearly only (Huber).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/calibrate/parameters.h"
#include "sim2real/calibrate/statistics.h"
#include "sim2real/sensor/options.h"

namespace simulacra::calibrate {

/// Linear radiance as a camera takes it, and depth for blur by depth where the start asks for it.
struct Render {
  Plane radiance;
  Plane depth;               ///< may be empty
};

struct FitOptions {
  std::vector<std::string> parameters;   ///< parts of names; empty = all that apply
  int most_steps = 10;
  double least_gain = 0.002;             ///< of the objective, relative: below, a step was the last one
  double huber = 3;                      ///< deviations from which a statistic counts linearly
  std::uint64_t seed = 1;                ///< of the simulated pictures
  ParallelFor parallel = serial_for;     ///< over pictures
  std::function<void(const std::string&)> say;
};

struct FittedParameter {
  std::string name;
  double start = 0, value = 0;
  /// 68 % interval by the sandwich formula: scatter of the statistics over pictures of both sides, and their floors as if they were
  /// scatter too. Differences of content are not in it.
  double lo = 0, hi = 0;
  bool told = false;                     ///< the pictures tell of it: the interval is under half of the weak belief's
};

struct Fit {
  sensor::CameraOptions camera;
  std::vector<FittedParameter> parameters;
  double before = 0, after = 0;          ///< the objective at start and end
  int steps = 0;
  std::size_t simulated = 0;             ///< pictures taken
  Measured real, start, end;             ///< statistics
};

/// Throws UsageError for fewer than eight pictures on either side, or gray ones. The same seed gives the same bits.
Fit fit_camera(std::span<const Render> renders, std::span<const Plane> real, const sensor::CameraOptions& start, const FitOptions& options);

/// Pictures of all renders.
std::vector<Plane> photographs(std::span<const Render> renders, const sensor::CameraOptions& camera, std::uint64_t seed,
                               const ParallelFor& parallel = serial_for);

}  // namespace simulacra::calibrate
