// SPDX-License-Identifier: Apache-2.0
// Sliced Wasserstein distance of patches, level by level of a Laplacian pyramid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"

namespace simulacra::gap {

/// Levels of detail (Burt and Adelson 1983), finest first, the last is the coarse rest: image = detail + enlarged(rest), with the
/// binomial filter 1 4 6 4 1; borders are mirrored. Stops before a side falls below 16 px.
std::vector<Plane> laplacian_pyramid(const Plane& image, int levels);
/// The inverse, up to rounding.
Plane collapsed(std::vector<Plane> pyramid);

/// Mean over `projections` seeded directions of the W1 between the projected samples (Rabin et al. 2011): rows of `dimension`
/// values, the same number on both sides. A shift by a vector s gives |s| E|cos|, in d dimensions
/// |s| Gamma(d/2) / (sqrt(pi) Gamma((d+1)/2)).
double sliced_wasserstein(std::span<const float> a, std::span<const float> b, std::size_t dimension, int projections, std::uint64_t seed,
                          const ParallelFor& parallel = serial_for);

struct PatchOptions {
  int levels = 4;
  int patch_px = 7;
  std::size_t patches = 8192;    ///< per set and level, at seeded places; pictures in turn
  int projections = 128;
  std::uint64_t seed = 1;
};
/// One value a level, finest first, as in Karras et al. 2018 ("Progressive growing of GANs", section 5), but both sets are
/// divided by the deviation of `real` per level and channel, so that a set without noise does not look like one with it.
/// Bias: two samples of one distribution are about 1.8/sqrt(patches) apart (normal values) and not 0:
/// compare with the distance of two halves of one set.
std::vector<double> patch_distance(std::span<const Plane> synthetic, std::span<const Plane> real, const PatchOptions& options = {},
                                   const ParallelFor& parallel = serial_for);

}  // namespace simulacra::gap
