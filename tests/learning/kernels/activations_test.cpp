// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "learning/kernels/activations.h"

namespace simulacra::kernels {
namespace {

double exact(double x) { return x * 0.5 * std::erfc(-x * std::numbers::sqrt2 / 2); }
double exact_slope(double x) { return exact(x) / x + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

/// Lengths around those of vectors, so that no loop reads or writes past its end.
TEST(GeluKernel, EveryLengthIsTheFormula) {
  for (std::size_t n = 1; n < 70; ++n) {
    std::vector<float> x(n), up(n), y(n), dx(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 0.37f * static_cast<float>(i + 1) * (i % 2 ? -1.0f : 1.0f), up[i] = 0.5f + static_cast<float>(i);
    gelu(x.data(), y.data(), n);
    gelu_backward(x.data(), up.data(), dx.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const double at = static_cast<double>(x[i]), above = static_cast<double>(up[i]);
      EXPECT_NEAR(static_cast<double>(y[i]), exact(at), 3e-7 * (1 + std::abs(at))) << at;
      EXPECT_NEAR(static_cast<double>(dx[i]), above * exact_slope(at), 6e-7 * above) << at;
    }
  }
}

TEST(GeluKernel, HalvesAreRoundedToTheNearestEven) {
  for (std::uint32_t bits = 0; bits < 0x10000; bits += 7) {
    const std::uint16_t x = static_cast<std::uint16_t>(bits);
    const float wide = std::bit_cast<float>(bits << 16);
    std::uint16_t got = 0;
    gelu(&x, &got, 1);
    const float value = std::bit_cast<float>(std::uint32_t{got} << 16);
    if (std::isnan(wide) || (std::isinf(wide) && wide < 0)) {
      EXPECT_TRUE(std::isnan(value)) << wide;
      continue;
    }
    float single = 0;
    gelu(&wide, &single, 1);
    if (std::isinf(single)) {
      EXPECT_EQ(value, single);
      continue;
    }
    // Half the distance of neighbours of 8 bits.
    EXPECT_LE(std::abs(value - single), std::abs(single) / 256 + 1e-38f) << wide;
  }
}

}  // namespace
}  // namespace simulacra::kernels
