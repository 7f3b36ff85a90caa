// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "dataset/schema/checksum.h"
#include "render/base/vec.h"

namespace simulacra {

/// A seeded stream of numbers, the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  /// In [0, 1).
  double uniform() {
    const std::array<std::uint64_t, 2> parts{seed_, counter_++};
    return static_cast<double>(mix_seed(parts) >> 11) * 0x1p-53;
  }
  double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }
  std::size_t index(std::size_t count) { return static_cast<std::size_t>(uniform() * static_cast<double>(count)); }

 private:
  std::uint64_t seed_, counter_ = 0;
};

/// Direction i of n, evenly spread over the sphere (Fibonacci lattice).
inline Vec3d sphere_direction(int i, int n) {
  const double z = 1 - (2 * i + 1.0) / n, r = std::sqrt(std::max(0.0, 1 - z * z));
  const double phi = i * kPiD * (3 - std::sqrt(5.0));
  return {r * std::cos(phi), r * std::sin(phi), z};
}

}  // namespace simulacra
