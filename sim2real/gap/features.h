// SPDX-License-Identifier: Apache-2.0
// Pictures as vectors, for the distances of distances.h.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/dense/dense.h"

namespace simulacra::gap {

/// Any map from a picture to a vector of fixed length: the one below, or the embedding of a network.
struct FeatureMap {
  std::string name;
  std::function<std::vector<double>(const Plane&)> of;
};

/// Interpretable statistics of one picture: mean, deviation and skewness of luma; for color the means of two opponent channels
/// (R - G, B - (R + G)/2) and their deviations; log2 of the noise residual's deviation, median over intensities; log10 of the spectrum in 5
/// octave bands; mean and deviation of log2 gradient, log2 sharpness, shares of strong and of no gradients. 14 numbers for gray,
/// 18 for color.
FeatureMap hand_made_features();
/// Their names, in order.
std::vector<std::string> hand_made_names(int channels);

/// One row a picture. Throws Error when the vectors differ in length or are not finite.
dense::Matrix features_of(std::span<const Plane> images, const FeatureMap& map, const ParallelFor& parallel = serial_for);

}  // namespace simulacra::gap
