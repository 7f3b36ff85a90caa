// SPDX-License-Identifier: Apache-2.0
// All meters on two sets, as numbers, as JSON and as a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "render/base/parallel.h"
#include "sim2real/gap/color.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/features.h"
#include "sim2real/gap/images.h"
#include "sim2real/gap/noise.h"
#include "sim2real/gap/patches.h"
#include "sim2real/gap/spectrum.h"

namespace simulacra::gap {

/// What is known of one set.
struct SetFacts {
  std::string name;
  std::size_t images = 0;
  int channels = 0, least_width = 0, least_height = 0;
  Noise noise;
  Spectrum spectrum;
  Colors colors;
  Edges edges;
};

/// How far two sets are apart; 0 is equal, up to what the floor says.
struct Distances {
  double noise = 0;                    ///< octaves; not a number without common intensities
  double spectrum = 0;                 ///< dB
  ColorDistance color;
  double edges = 0;                    ///< octaves
  std::vector<double> patches;         ///< by level, finest first, in deviations of the real set
  double frechet = 0;                  ///< of features, standardised by the real set
  KernelDistance kernel;
  Area classifier;
};

/// By how much the mean of one hand-made feature differs, in the real set's deviations; above 0: the synthetic set has more.
struct FeatureShift {
  std::string name;
  double shift = 0;
};

struct GapOptions {
  std::uint64_t seed = 1;
  PatchOptions patches;                ///< its seed is not used: `seed` is
  int permutations = 199;
  FeatureMap features = hand_made_features();
  ParallelFor parallel = serial_for;
};

struct Gap {
  SetFacts synthetic, real;
  Distances distances;
  /// The same between two seeded halves of the real set: what sets of half the size without any gap come to.
  Distances floor;
  std::vector<FeatureShift> shifts;    ///< of hand_made_features(), whatever the map; largest first
  std::string features;                ///< name of the map
  std::uint64_t seed = 0;
};

/// Throws UsageError as check_sets() does. The same seed gives the same bits on any number of threads.
Gap measure_gap(const ImageSet& synthetic, const ImageSet& real, const GapOptions& options = {});

/// Keys as the fields above, with units; a number that does not exist is null.
std::string gap_json(const Gap& gap);
/// For a terminal: each distance beside its floor, and what differs most.
std::string gap_text(const Gap& gap);
/// One HTML page without other resources: a table, curves, and example pictures of both sets (seeded).
std::string gap_page(const Gap& gap, const ImageSet& synthetic, const ImageSet& real);

}  // namespace simulacra::gap
