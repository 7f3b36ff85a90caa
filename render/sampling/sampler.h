// SPDX-License-Identifier: Apache-2.0
// Points in [0,1)^d for one camera sample, a function of (seed, pixel, sample, dimension) alone.
//
// A path is a point in a space of many dimensions. Dimensions are drawn in pairs from the first two Sobol
// dimensions, each pair shuffled and Owen-scrambled on its own with hashes (Burley 2020, "Practical
// Hash-based Owen Scrambling"): every pair is a (0,2)-sequence in the sample index, and pairs are independent.
// Because no state is shared, tiles and threads may come in any order. start(d) jumps to pair d, so that a
// bounce uses the same dimensions whatever happened before it.
#pragma once

#include <array>
#include <cstdint>

#include "render/base/vec.h"
#include "render/sampling/hash.h"

namespace simulacra {

namespace detail {

constexpr std::uint32_t reverse_bits(std::uint32_t x) {
  x = ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
  x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
  return __builtin_bswap32(x);
}

/// Permutation in which bit i depends on the bits below it only (Laine & Karras 2011, constants by N. Vegdahl):
/// an Owen scramble of a number whose bits are reversed.
constexpr std::uint32_t laine_karras(std::uint32_t x, std::uint32_t seed) {
  x ^= x * 0x3d20adeau;
  x += seed;
  x *= (seed >> 16) | 1u;
  x ^= x * 0x05526c56u;
  x ^= x * 0x53a22864u;
  return x;
}

/// The second Sobol dimension (primitive polynomial x + 1) with reversed bits, by bytes of the index.
constexpr std::array<std::array<std::uint32_t, 256>, 4> make_sobol_table() {
  std::array<std::uint32_t, 32> direction{};
  std::uint32_t v = 0x80000000u;
  for (std::size_t i = 0; i < 32; ++i) {
    direction[i] = v;
    v ^= v >> 1;
  }
  std::array<std::array<std::uint32_t, 256>, 4> table{};
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (std::uint32_t value = 0; value < 256; ++value) {
      std::uint32_t sum = 0;
      for (std::size_t bit = 0; bit < 8; ++bit)
        if (value & (1u << bit)) sum ^= direction[8 * byte + bit];
      table[byte][value] = reverse_bits(sum);
    }
  return table;
}
inline constexpr auto kSobolTable = make_sobol_table();

/// In [0, 1) with 24 bits.
constexpr float unit_float(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

}  // namespace detail

class Sampler {
 public:
  Sampler(std::uint64_t seed, std::uint32_t pixel, std::uint32_t sample)
      : key_(hash_combine(hash64(seed), pixel)), reversed_index_(detail::reverse_bits(sample)) {}

  /// The next draw is the pair of dimensions `pair`.
  void start(std::uint32_t pair) { pair_ = pair; }

  Vec2 next2() {
    const std::uint32_t h = hash_combine(key_, pair_++);
    const std::uint32_t index = detail::reverse_bits(detail::laine_karras(reversed_index_, h));
    const auto& t = detail::kSobolTable;
    const std::uint32_t second = t[0][index & 255u] ^ t[1][(index >> 8) & 255u] ^ t[2][(index >> 16) & 255u] ^ t[3][index >> 24];
    return {detail::unit_float(detail::reverse_bits(detail::laine_karras(index, hash32(h + 1u)))),
            detail::unit_float(detail::reverse_bits(detail::laine_karras(second, hash32(h + 2u))))};
  }
  /// Takes a whole pair.
  float next1() {
    const std::uint32_t h = hash_combine(key_, pair_++);
    const std::uint32_t index = detail::reverse_bits(detail::laine_karras(reversed_index_, h));
    return detail::unit_float(detail::reverse_bits(detail::laine_karras(index, hash32(h + 1u))));
  }

 private:
  std::uint32_t key_;
  std::uint32_t reversed_index_;
  std::uint32_t pair_ = 0;
};

}  // namespace simulacra
