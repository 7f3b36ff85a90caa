// SPDX-License-Identifier: Apache-2.0
// Colors and edges of a set as distributions.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "render/image/frame.h"
#include "sim2real/dense/dense.h"

namespace simulacra::gap {

/// Shares of equal bins; they sum to 1.
using Histogram = std::vector<double>;

/// Half of the sum of |p - q|: 0 equal, 1 nothing in common. Biased upwards by about sqrt(bins / samples).
double total_variation(std::span<const double> p, std::span<const double> q);
/// W1 of histograms over an interval of `length`: the area between the distribution functions. Exact up to a bin's width.
double wasserstein_1(std::span<const double> p, std::span<const double> q, double length);

struct Colors {
  std::vector<Histogram> channels;       ///< 64 bins over 0 .. 1, each channel
  Histogram chromaticity;                ///< 32 x 32 over r = R/(R+G+B), g = G/(R+G+B); pixels above 0.05 in mean; empty for gray
  std::vector<double> mean;              ///< of the channels
  dense::Matrix covariance;              ///< of the channels over all pixels
};
/// Every pixel of every picture counts the same. Values beyond 0 .. 1 count as the nearest bin.
Colors measure_colors(std::span<const Plane> images);

struct ColorDistance {
  double histogram = 0;      ///< W1, mean over channels, in display values: a shift by s gives s
  double chromaticity = 0;   ///< total variation; 0 for gray
  double frechet = 0;        ///< squared, between the Gaussians of mean and covariance
};
ColorDistance color_distance(const Colors& a, const Colors& b);

inline constexpr double kGradientOctaves = 12;   ///< the histogram's span: log2 of the magnitude over -12 .. 0

struct Edges {
  Histogram gradients;     ///< 48 bins of log2 |gradient| of luma, central differences per pixel; below 2^-12 in the first bin
  double sharpness = 0;    ///< mean Laplacian^2 / mean |gradient|^2: white noise 20, a sine of w rad/px along a row 4 tan^2(w/2)
  double strong = 0;       ///< share of pixels with |gradient| > 1/16
};
/// Sharpness does not change with contrast; blur lowers it, noise raises it.
Edges measure_edges(std::span<const Plane> images);
/// W1 of the histograms, in octaves: doubling the contrast gives 1.
double edge_distance(const Edges& a, const Edges& b);

}  // namespace simulacra::gap
