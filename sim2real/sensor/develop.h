// SPDX-License-Identifier: Apache-2.0
// From raw numbers to a picture. The hard steps stand alone, so that a fit can put a surrogate in their place.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/lens.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

using Matrix3 = std::array<double, 9>;  ///< row by row

/// Throws Error for a matrix without inverse.
Matrix3 inverse(const Matrix3& m);

/// Factors r g b that make white gray, the smallest 1, so that what is full stays white. `linear`: raw values in 0 .. 1, for
/// gray_world.
std::array<double, 3> white_gains(const CameraOptions& camera, const Plane& linear);
/// Linear Rec. 709 from balanced sensor color.
Matrix3 color_matrix(const CameraOptions& camera);

/// Display value in 0 .. 1 of a linear value: limited to 0 .. 1, then the curve and the contrast.
float tone(const DevelopOptions& develop, float linear);

/// Rounds values in 0 .. 1 to 2^bits levels; 0 bits leaves them.
void quantise(Plane& image, int bits);

struct JpegResult {
  Plane image;            ///< values k/255
  std::size_t bytes = 0;  ///< of the file
};
/// Through a baseline JPEG file in memory. 3 channels in 0 .. 1.
JpegResult jpeg_round_trip(const Plane& image, int quality, std::string_view subsampling);

/// Raw numbers to a picture of 3 channels in 0 .. 1. bytes: 0 without JPEG.
JpegResult develop(const Plane& raw, const CameraOptions& camera, const Pinhole& pinhole, const ParallelFor& parallel = serial_for);

}  // namespace simulacra::sensor
