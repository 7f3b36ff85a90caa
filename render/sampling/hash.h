// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace simulacra {

/// A bijective 32-bit finaliser with low bias (the "lowbias32" constants found by C. Wellons' search).
constexpr std::uint32_t hash32(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

constexpr std::uint32_t hash_combine(std::uint32_t seed, std::uint32_t value) {
  return hash32(seed ^ (value + 0x9e3779b9u + (seed << 6) + (seed >> 2)));
}

constexpr std::uint32_t hash64(std::uint64_t x) {
  return hash_combine(hash32(static_cast<std::uint32_t>(x)), static_cast<std::uint32_t>(x >> 32));
}

}  // namespace simulacra
