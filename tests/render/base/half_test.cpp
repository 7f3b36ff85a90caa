// SPDX-License-Identifier: Apache-2.0
#include "render/base/half.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <gtest/gtest.h>

namespace simulacra {
namespace {

bool is_nan_code(std::uint32_t code) { return (code & 0x7fffu) > 0x7c00u; }

TEST(Half, AllCodesComeBack) {
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    const float value = float_from_half(half);
    if (is_nan_code(code)) {
      EXPECT_TRUE(std::isnan(value)) << code;
      EXPECT_TRUE(is_nan_code(half_from_float(value))) << code;
    } else {
      EXPECT_EQ(half_from_float(value), half) << code;
    }
  }
}

TEST(Half, ValuesAreThoseOfTheFormat) {
  EXPECT_EQ(float_from_half(0x3c00), 1.0f);
  EXPECT_EQ(float_from_half(0xc000), -2.0f);
  EXPECT_EQ(float_from_half(0x7bff), 65504.0f);
  EXPECT_EQ(float_from_half(0x0400), 0x1p-14f);
  EXPECT_EQ(float_from_half(0x0001), 0x1p-24f);
  EXPECT_EQ(float_from_half(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::signbit(float_from_half(0x8000)));
}

TEST(Half, CodesGrowWithTheValue) {
  for (std::uint16_t code = 0; code < 0x7c00; ++code)
    EXPECT_LT(float_from_half(code), float_from_half(static_cast<std::uint16_t>(code + 1)));
}

TEST(Half, TiesGoToTheEvenCodeAndTheRestToTheNearest) {
  for (std::uint16_t code = 0; code < 0x7bff; ++code) {
    const auto next = static_cast<std::uint16_t>(code + 1);
    // Neighbours have at most 12 significant bits together: their middle is exact in float.
    const float middle = (float_from_half(code) + float_from_half(next)) / 2;
    EXPECT_EQ(half_from_float(middle), code % 2 == 0 ? code : next) << code;
    EXPECT_EQ(half_from_float(std::nextafter(middle, 0.0f)), code) << code;
    EXPECT_EQ(half_from_float(std::nextafter(middle, 1e9f)), next) << code;
  }
}

TEST(Half, WhatIsTooLargeBecomesInfiniteAndWhatIsTooSmallZero) {
  EXPECT_EQ(half_from_float(std::nextafter(65520.0f, 0.0f)), 0x7bff);
  EXPECT_EQ(half_from_float(65520.0f), 0x7c00);
  EXPECT_EQ(half_from_float(-1e30f), 0xfc00);
  EXPECT_EQ(half_from_float(0x1p-25f), 0x0000);  // a tie: zero is even
  EXPECT_EQ(half_from_float(std::nextafter(0x1p-25f, 1.0f)), 0x0001);
  EXPECT_EQ(half_from_float(-0x1p-30f), 0x8000);
}

#ifdef __FLT16_MANT_DIG__
TEST(Half, AgreesWithTheCompilersConversion) {
  // Every 251st float, so that exponents, signs and all roundings are met; 251 is odd.
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 251) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (std::isnan(value)) continue;
    const auto compiled = static_cast<_Float16>(value);
    std::uint16_t expected = 0;
    std::memcpy(&expected, &compiled, sizeof expected);
    ASSERT_EQ(half_from_float(value), expected) << value;
  }
}
#endif

}  // namespace
}  // namespace simulacra
