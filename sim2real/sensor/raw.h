// SPDX-License-Identifier: Apache-2.0
// From light to raw numbers, and back to three colors a pixel.
#pragma once

#include <cstdint>
#include <string_view>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

/// Photons of 550 nm that arrive at a photosite per W/(sr m^2): pi/4 / N^2 * transmission * pitch^2 * time * lambda/(h c),
/// on the axis. Times the quantum efficiency: electrons.
double photons_per_radiance(const ExposureOptions& exposure, double pitch_um);

/// 0 red, 1 green, 2 blue of a photosite of "rggb" and the like.
int filter_color(std::string_view mosaic, int row, int column);

/// One of three channels each.
Plane mosaic(const Plane& color, std::string_view pattern);

enum class Demosaic : std::uint8_t { bilinear, malvar };
/// Three channels from one. `malvar`: the linear filters of Malvar, He and Cutler, "High-quality linear interpolation for
/// demosaicing of Bayer-patterned color images", ICASSP 2004, fig. 2: bilinear plus a share of the Laplacian of the known
/// color. Both give back a constant color exactly, up to rounding. Beyond the image it is mirrored, so that the pattern
/// goes on. Throws Error below 3 x 3 pixels.
Plane demosaic(const Plane& raw, std::string_view pattern, Demosaic method, const ParallelFor& parallel = serial_for);

double gain_dn_per_e(const PixelOptions& pixel);
double largest_dn(const PixelOptions& pixel);

/// Raw numbers of mean electrons: gain of the photosite (PRNU), dark current, Poisson, full well, read noise and row noise,
/// gain and black level, rounding to integers in 0 .. 2^bits - 1. Variance of a number between its limits, without row
/// noise: gain * (mean - black) + gain^2 read^2 + 1/12. Throws Error when the black level leaves no numbers.
Plane digitise(const Plane& electrons, const PixelOptions& pixel, double exposure_s, std::uint64_t seed, std::uint32_t frame,
               const ParallelFor& parallel = serial_for);

}  // namespace simulacra::sensor
