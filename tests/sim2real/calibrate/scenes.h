// SPDX-License-Identifier: Apache-2.0
// Radiance of made-up scenes of one kind: colored shapes of all sizes over one another (dead leaves), softly lit.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim2real/calibrate/fit.h"
#include "sim2real/sensor/random.h"

namespace simulacra::test {

inline Plane leaves(int width, int height, std::uint64_t seed, std::uint32_t number) {
  sensor::Stream random(seed, number, sensor::Purpose::motion, 77);
  Plane plane{width, height, 3, std::vector<float>(static_cast<std::size_t>(width * height * 3), 0.3f), {}};
  for (int leaf = 0; leaf < 60; ++leaf) {
    const double size = width * 0.5 * std::pow(0.04, random.uniform());   // from half the width down to 2 %
    const double cx = random.uniform() * width, cy = random.uniform() * height, angle = 3.14159 * random.uniform();
    const bool disk = random.uniform() < 0.4;
    const double level = 0.08 * std::pow(10, random.uniform()), tint[3] = {0.7 + 0.6 * random.uniform(), 0.8 + 0.4 * random.uniform(), 0.6 + 0.8 * random.uniform()};
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c) {
        const double x = (c + 0.5 - cx) * std::cos(angle) + (r + 0.5 - cy) * std::sin(angle), y = (r + 0.5 - cy) * std::cos(angle) - (c + 0.5 - cx) * std::sin(angle);
        if (disk ? x * x + y * y > size * size : std::abs(x) > size || std::abs(y) > 0.6 * size) continue;
        for (int k = 0; k < 3; ++k) plane.f[plane.at(r, c, k)] = static_cast<float>(level * tint[k]);
      }
  }
  const double gx = random.uniform() - 0.5, gy = random.uniform() - 0.5;
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c) {
      const double light = 1 + gx * (c - 0.5 * width) / width + gy * (r - 0.5 * height) / height;
      for (int k = 0; k < 3; ++k) plane.f[plane.at(r, c, k)] *= static_cast<float>(light);
    }
  return plane;
}

inline std::vector<calibrate::Render> scenes(std::size_t count, int width, int height, std::uint64_t seed) {
  std::vector<calibrate::Render> renders;
  for (std::size_t i = 0; i < count; ++i) renders.push_back({leaves(width, height, seed, static_cast<std::uint32_t>(i)), {}});
  return renders;
}

}  // namespace simulacra::test
