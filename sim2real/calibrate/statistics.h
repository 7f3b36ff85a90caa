// SPDX-License-Identifier: Apache-2.0
// What a set of pictures tells of the camera that took it, as numbers that a fit can match: see statistic_rows() for all of them.
// Every number is a function of sums over pictures, so a delete-one jackknife over pictures gives its variance (Tukey 1958).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "render/image/frame.h"

namespace simulacra::calibrate {

enum class Trace : std::uint8_t { tone, noise, spectrum, edges, shading, aberration, blocks };

struct StatisticRow {
  Trace trace;
  double floor;        ///< differences below are not worth matching: the statistic's own unit
};
/// tone: quantiles of display values, each channel. noise: log2 of the deviation in smooth places, by intensity, of luma and of
/// R - G. spectrum: log10 power in bands, of luma and of R - G. edges: quantiles of log2 |gradient| of luma. shading: log of light in
/// rings around the center over its mean, each channel. aberration: px at the corner by which red and blue lie outside green.
/// blocks: log of luma differences across the borders of 8 x 8 blocks over those elsewhere, along rows and columns.
std::span<const StatisticRow> statistic_rows();
std::string_view name_of(Trace trace);
/// Standard deviation that a difference between the sets is measured by: scatter of both, and the row's floor.
double spread_of(std::size_t row, double real_variance, double synthetic_variance);

/// Sums over one picture: 3 channels in 0 .. 1, at least 32 x 32.
using Sums = std::vector<double>;
Sums sums_of(const Plane& image);

/// One value a row of statistic_rows(); NaN where too few pixels tell of it.
std::vector<double> statistics_of(std::span<const Sums> pictures);

struct Measured {
  std::vector<double> value, variance;
  std::vector<double> covariance;   ///< row major; variance is its diagonal
};
/// With the jackknife's covariance; NaN with fewer than two pictures.
Measured measure(std::span<const Sums> pictures);

}  // namespace simulacra::calibrate
