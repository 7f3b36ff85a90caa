// SPDX-License-Identifier: Apache-2.0
// Random choices that give the same values on every machine: integer arithmetic and correctly rounded
// operations only (no std:: distributions, no sin or cos).
#pragma once

#include <cstddef>
#include <cstdint>

namespace simulacra::rooms {

/// SplitMix64 (Steele, Lea, Flood 2014). A value; copying it copies the stream.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  double between(double lo, double hi) { return lo + (hi - lo) * unit(); }
  /// Uniform in [0, count); count > 0.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(unit() * static_cast<double>(count)); }
  bool chance(double probability) { return unit() < probability; }
  /// A stream of its own: what is drawn from it does not move this one. `name` tells streams apart.
  Random fork(std::uint64_t name) const { return Random(Random(state_ ^ (name * 0xd1342543de82ef95u)).bits()); }

 private:
  std::uint64_t state_;
};

}  // namespace simulacra::rooms
