// SPDX-License-Identifier: Apache-2.0
// Does a sampler of directions follow the density that it states? Pearson's chi-square test on a grid that is
// uniform in cos(theta) x phi over the whole sphere.
//
// Its power: a relative RMS error d of the density gives the statistic a non-centrality of samples * d². With
// 1e6 samples in 41 x 80 cells it sees about 1.6 %. It is blind to weights and to the length of directions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "render/base/vec.h"

namespace simulacra::test {

/// Uniform numbers in [0, 1) with 24 bits (splitmix64).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  float next();
  Vec2 next2() {
    const float x = next();
    return {x, next()};
  }

 private:
  std::uint64_t state_;
};

struct ChiSquareOptions {
  int samples = 1'000'000;
  int cos_cells = 41;   ///< odd, so that no border of cells hides an error at the horizon
  int phi_cells = 80;
  std::uint64_t seed = 1;
};

struct ChiSquareResult {
  double statistic = 0;
  int degrees_of_freedom = 0;
  double p_value = 0;   ///< chance of such a deviation when the density is right
  double mass = 0;      ///< integral of the density over the sphere
  std::string text() const;
};

/// Draws a direction; nothing counts as one more cell with the rest of the mass.
using SampleDirection = std::function<std::optional<Vec3>(RandomNumbers&)>;
/// Density per solid angle of a unit direction.
using DirectionDensity = std::function<double(Vec3)>;

ChiSquareResult chi_square(const SampleDirection& sample, const DirectionDensity& density,
                           const ChiSquareOptions& options = {});

/// Level for each of n tests so that all together reject a correct program with chance `level` (Šidák).
double sidak_level(double level, int n);

/// Upper tail of the chi-square distribution.
double chi_square_tail(double statistic, int degrees_of_freedom);

}  // namespace simulacra::test
