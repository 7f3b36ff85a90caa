// SPDX-License-Identifier: Apache-2.0
// Numbers as a device stores them.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "learning/kernels/cuda/emulator.h"
#include "learning/kernels/sigmoid_attention_cuda.h"

namespace simulacra::test::half {

using kernels::attention::cuda::Element;

inline std::string name_of(Element e) {
  constexpr const char* kNames[] = {"float64", "float32", "bfloat16", "float16"};
  return kNames[static_cast<int>(e)];
}
inline std::size_t size_of(Element e) { return e == Element::float64 ? 8 : e == Element::float32 ? 4 : 2; }

/// The first size_of(e) bytes.
inline std::array<char, 8> to_bytes(Element e, double x) {
  std::array<char, 8> bytes{};
  const auto put = [&](auto value) { std::memcpy(bytes.data(), &value, sizeof(value)); };
  if (e == Element::float64) put(x);
  if (e == Element::float32) put(static_cast<float>(x));
  if (e == Element::bfloat16) put(kernels::gpu::emulated::to_bfloat16(static_cast<float>(x)));
  if (e == Element::float16) put(kernels::gpu::emulated::to_float16(static_cast<float>(x)));
  return bytes;
}
inline double from_bytes(Element e, const char* bytes) {
  const auto take = [&](auto value) {
    std::memcpy(&value, bytes, sizeof(value));
    return value;
  };
  if (e == Element::float64) return take(double{});
  if (e == Element::float32) return static_cast<double>(take(float{}));
  const auto bits = take(std::uint16_t{});
  return static_cast<double>(e == Element::bfloat16 ? kernels::gpu::emulated::from_bfloat16(bits) : kernels::gpu::emulated::from_float16(bits));
}

}  // namespace simulacra::test::half
