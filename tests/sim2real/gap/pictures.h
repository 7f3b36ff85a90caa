// SPDX-License-Identifier: Apache-2.0
// Pictures of known statistics.
#pragma once

#include <vector>

#include "render/image/frame.h"
#include "sim2real/gap/src/random.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::test {

/// Independent normal values around `mean`.
inline std::vector<Plane> noise_planes(std::size_t count, int side, int channels, double mean, double sigma, std::uint64_t seed) {
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < count; ++i) {
    gap::Random random(seed, i);
    planes.push_back(plane_of(side, side, channels, [&](int, int, int) { return mean + sigma * random.normal(); }));
  }
  return planes;
}

/// A soft scene of random waves, of color if wanted, with noise: like a photograph as far as these meters go.
inline std::vector<Plane> soft_scenes(std::size_t count, int side, int channels, double sigma, std::uint64_t seed) {
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < count; ++i) {
    gap::Random random(seed, i);
    const double fx = 0.02 + 0.1 * random.uniform(), fy = 0.02 + 0.1 * random.uniform(), phase = 6 * random.uniform();
    const double level = 0.35 + 0.3 * random.uniform(), depth = 0.1 + 0.15 * random.uniform();
    planes.push_back(plane_of(side, side, channels, [&](int r, int c, int k) {
      return level + 0.03 * k + depth * std::sin(phase + fx * c + fy * r) + sigma * random.normal();
    }));
  }
  return planes;
}

}  // namespace simulacra::test
