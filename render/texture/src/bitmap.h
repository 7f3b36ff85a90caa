// SPDX-License-Identifier: Apache-2.0
// Decoded texels in the compact form in which they stay resident.
#pragma once

#include <cstddef>
#include <cstdint>

#include "render/base/half.h"
#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

/// How a channel is stored.
enum class TexelFormat : std::uint8_t { u8, u16, f16, f32 };

constexpr std::size_t byte_size(TexelFormat format) {
  return format == TexelFormat::u8 ? 1 : format == TexelFormat::f32 ? 4 : 2;
}

/// The sRGB decoding curve: code value in [0, 1] to linear.
float linear_from_srgb(float code);

/// Linear values of all codes of a byte (256) or of a 16-bit integer (65536).
const float* decoding_table(TexelFormat format, ColorSpace space);

/// What is known of an image besides its texels.
struct BitmapShape {
  std::int32_t width = 0, height = 0;
  std::int32_t channels = 0;               ///< 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA
  TexelFormat format = TexelFormat::u8;
  std::size_t texel_bytes() const { return static_cast<std::size_t>(channels) * byte_size(format); }
  std::size_t total_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * texel_bytes();
  }
};

/// Linear RGBA of the texel at `texel`. `table` is decoding_table() for integers, else unused.
template <TexelFormat kFormat, int kChannels>
inline Vec4 decode_texel(const std::uint8_t* texel, const float* table) {
  const auto color = [&](std::size_t c) -> float {
    if constexpr (kFormat == TexelFormat::u8) return table[texel[c]];
    if constexpr (kFormat == TexelFormat::u16) return table[reinterpret_cast<const std::uint16_t*>(texel)[c]];
    if constexpr (kFormat == TexelFormat::f16) return float_from_half(reinterpret_cast<const std::uint16_t*>(texel)[c]);
    if constexpr (kFormat == TexelFormat::f32) return reinterpret_cast<const float*>(texel)[c];
  };
  const auto alpha = [&](std::size_t c) -> float {
    if constexpr (kFormat == TexelFormat::u8) return static_cast<float>(texel[c]) / 255.0f;
    if constexpr (kFormat == TexelFormat::u16)
      return static_cast<float>(reinterpret_cast<const std::uint16_t*>(texel)[c]) / 65535.0f;
    return color(c);
  };
  if constexpr (kChannels == 1) {
    const float gray = color(0);
    return {gray, gray, gray, 1.0f};
  } else if constexpr (kChannels == 2) {
    const float gray = color(0);
    return {gray, gray, gray, alpha(1)};
  } else if constexpr (kChannels == 3) {
    return {color(0), color(1), color(2), 1.0f};
  } else {
    return {color(0), color(1), color(2), alpha(3)};
  }
}

using DecodeTexel = Vec4 (*)(const std::uint8_t* texel, const float* table);

/// Calls visit.template operator()<format, channels>() for the shape's combination.
template <typename Visit>
decltype(auto) with_layout(TexelFormat format, int channels, Visit&& visit) {
  const auto by_channels = [&]<TexelFormat kFormat>() -> decltype(auto) {
    switch (channels) {
      case 1: return visit.template operator()<kFormat, 1>();
      case 2: return visit.template operator()<kFormat, 2>();
      case 3: return visit.template operator()<kFormat, 3>();
      default: return visit.template operator()<kFormat, 4>();
    }
  };
  switch (format) {
    case TexelFormat::u8: return by_channels.template operator()<TexelFormat::u8>();
    case TexelFormat::u16: return by_channels.template operator()<TexelFormat::u16>();
    case TexelFormat::f16: return by_channels.template operator()<TexelFormat::f16>();
    case TexelFormat::f32: break;
  }
  return by_channels.template operator()<TexelFormat::f32>();
}

}  // namespace simulacra
