// SPDX-License-Identifier: Apache-2.0
// From the samples of one pixel to the stored split: color = reflectance * illumination + residual.
#pragma once

#include <cstdint>

#include "render/base/vec.h"
#include "render/integrator/path.h"

namespace simulacra {

/// Largest value that color may take: half a float16 step below it stays finite for every reader.
inline constexpr float kColorLimit = 65472.0f;

/// Sums over the camera samples of a pixel.
struct PixelSums {
  Rgb reflectance, diffuse, residual;
  std::uint32_t samples = 0;       ///< finite ones
  std::uint32_t nan_samples = 0;   ///< left out

  void add(const PathSample& s);
};

/// The values of one pixel, all exactly representable in float16.
struct SplitPixel {
  Rgb reflectance, illumination, residual, color;
  bool limited = false;            ///< illumination or residual was lowered so that color fits float16
  double identity_error = 0;       ///< largest |color - (reflectance * illumination + residual)|, exact arithmetic
  double identity_error_steps = 0; ///< the same in float16 steps of color; at most 0.5
};

/// `white_illumination` stands in for the illumination of channels in which no sample had any reflectance.
SplitPixel split_pixel(const PixelSums& sums, Rgb white_illumination);

/// The float16 value nearest to a double, as a float (one rounding, ties to even).
float half_nearest(double value);
/// Distance from |value| (a float16) to the next larger float16.
double half_step(float value);

}  // namespace simulacra
