// SPDX-License-Identifier: Apache-2.0
// The loops of activations.h, once for each instruction set; as in optim_loops.h nothing of a standard header may be
// instantiated here.
#pragma once

#include <cstddef>
#include <cstdint>

#define SIM_DECLARE_ACTIVATIONS(isa)                                                                                   \
  namespace simulacra::kernels::isa {                                                                                  \
  void gelu(const float* x, float* y, std::size_t n);                                                                  \
  void gelu(const std::uint16_t* x, std::uint16_t* y, std::size_t n);                                                  \
  void gelu_backward(const float* x, const float* dy, float* dx, std::size_t n);                                       \
  void gelu_backward(const std::uint16_t* x, const std::uint16_t* dy, std::uint16_t* dx, std::size_t n);               \
  }
SIM_DECLARE_ACTIVATIONS(plain)
SIM_DECLARE_ACTIVATIONS(avx2)
SIM_DECLARE_ACTIVATIONS(avx512)
#undef SIM_DECLARE_ACTIVATIONS

#ifdef SIM_ACTIVATIONS_ISA
namespace {

inline float widened(float x) { return x; }
inline float widened(std::uint16_t x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16); }

inline void store(float* out, float x) { *out = x; }
inline void store(std::uint16_t* out, float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  *out = static_cast<std::uint16_t>((x == x ? rounded : bits | 0x400000u) >> 16);
}

struct Normal {
  float below, density;  ///< Phi(x) and the density at x
};

/// Without a branch, so that the loops below become vectors.
inline Normal normal_at(float x) {
  const float z = __builtin_fabsf(x) * 0.70710678f, square = z * z, reachable = square < 87.0f ? square : 87.0f;
  // exp(-square) = 2^-k e^r, |r| <= ln 2 / 2, by a series to r^6; 0 where it is below 2^-125.
  const std::int32_t k = static_cast<std::int32_t>(reachable * 1.44269504f + 0.5f);
  const float n = static_cast<float>(k), r = (n * 0.693359375f - reachable) - n * 2.12194440e-4f;
  const float series = 1 + r * (1 + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
  const std::int32_t exponent = (127 - k) & ((k - 126) >> 31);
  const float bell = series * __builtin_bit_cast(float, exponent << 23);
  const float t = 1 / (1 + 0.3275911f * z);
  const float tail = 0.5f * bell * t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return {0.5f + __builtin_copysignf(0.5f - tail, x), 0.39894228f * bell};
}

template <typename T>
inline void gelu_loop(const T* x, T* y, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const float at = widened(x[i]);
    store(y + i, at * normal_at(at).below);
  }
}

template <typename T>
inline void gelu_backward_loop(const T* x, const T* dy, T* dx, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const float at = widened(x[i]);
    const Normal normal = normal_at(at);
    store(dx + i, widened(dy[i]) * (normal.below + at * normal.density));
  }
}

}  // namespace

namespace simulacra::kernels::SIM_ACTIVATIONS_ISA {
void gelu(const float* x, float* y, std::size_t n) { gelu_loop(x, y, n); }
void gelu(const std::uint16_t* x, std::uint16_t* y, std::size_t n) { gelu_loop(x, y, n); }
void gelu_backward(const float* x, const float* dy, float* dx, std::size_t n) { gelu_backward_loop(x, dy, dx, n); }
void gelu_backward(const std::uint16_t* x, const std::uint16_t* dy, std::uint16_t* dx, std::size_t n) { gelu_backward_loop(x, dy, dx, n); }
}  // namespace simulacra::kernels::SIM_ACTIVATIONS_ISA
#endif
