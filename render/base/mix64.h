// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simulacra {

/// The output function of SplitMix64 [Steele, Lea, Flood 2014]: a bijection whose every output bit depends on all input bits.
constexpr std::uint64_t mix64(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace simulacra
