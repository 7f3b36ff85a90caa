// SPDX-License-Identifier: Apache-2.0
// Random numbers by counter: a seed and a stream number give one sequence, whoever else draws.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "render/base/mix64.h"

namespace simulacra::gap {

class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix64(mix64(seed + kStep) + (stream + 1) * kStep)) {}
  std::uint64_t bits() { return mix64(state_ += kStep); }
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(uniform() * static_cast<double>(n)); }
  std::vector<std::size_t> permutation(std::size_t n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ull;
  std::uint64_t state_;
};

}  // namespace simulacra::gap
