// SPDX-License-Identifier: Apache-2.0
// The loops of optim.h as plain code. Each optim_*.cpp compiles them for one instruction set, so nothing here may come from
// a header of the standard library: the linker could keep its copy with instructions that the processor lacks.
#pragma once

#include "learning/kernels/optim.h"

namespace {

inline float root(float x) { return __builtin_sqrtf(x); }
inline double root(double x) { return __builtin_sqrt(x); }

using simulacra::kernels::optim::Bf16Average;
using simulacra::kernels::optim::States;
using simulacra::kernels::optim::Update;

/// The update's numbers in the type of the arrays, rounded once from double.
template <typename T>
struct Factors {
  explicit Factors(const Update& u)
      : beta1(static_cast<T>(u.beta1)), rest1(static_cast<T>(1 - u.beta1)), beta2(static_cast<T>(u.beta2)),
        rest2(static_cast<T>(1 - u.beta2)), beta3(static_cast<T>(u.beta3)), rest3(static_cast<T>(1 - u.beta3)),
        alpha(static_cast<T>(u.alpha)), eps(static_cast<T>(u.eps)), lr(static_cast<T>(u.lr)),
        keep(static_cast<T>(1 - u.lr * u.weight_decay)), inverse1(static_cast<T>(1 / u.correction1)),
        inverse2(static_cast<T>(1 / u.correction2)), grad_scale(static_cast<T>(u.grad_scale)) {}
  T beta1, rest1, beta2, rest2, beta3, rest3, alpha, eps, lr, keep, inverse1, inverse2, grad_scale;
};

template <bool with_m1, bool with_m2, typename T>
inline void update_loop(const Factors<T> f, const States<T>& s, std::size_t n) {
  T* __restrict theta = s.theta;
  const T* __restrict gradient = s.gradient;
  T* __restrict m1 = s.m1;
  T* __restrict m2 = s.m2;
  T* __restrict v = s.v;
  for (std::size_t i = 0; i < n; ++i) {
    const T g = gradient[i] * f.grad_scale;
    T direction = g;
    if constexpr (with_m1) {
      const T fast = f.beta1 * m1[i] + f.rest1 * g;
      m1[i] = fast;
      direction = fast * f.inverse1;
    }
    if constexpr (with_m2) {
      const T slow = f.beta3 * m2[i] + f.rest3 * g;
      m2[i] = slow;
      direction += f.alpha * slow;
    }
    const T second = f.beta2 * v[i] + f.rest2 * (g * g);
    v[i] = second;
    theta[i] = f.keep * theta[i] - f.lr * (direction / (root(second * f.inverse2) + f.eps));
  }
}

template <typename T>
inline void update_any(const Update& u, const States<T>& s, std::size_t n) {
  const Factors<T> f(u);
  if (s.m1 && s.m2) return update_loop<true, true>(f, s, n);
  if (s.m1) return update_loop<true, false>(f, s, n);
  if (s.m2) return update_loop<false, true>(f, s, n);
  update_loop<false, false>(f, s, n);
}

/// 16 random bits of an index: a multiply-xorshift mixer of 32 bits, which vector units have.
inline std::uint32_t random_bits(std::uint32_t key, std::uint32_t index) {
  std::uint32_t x = index * 0x9E3779B1u ^ key;
  x ^= x >> 16;
  x *= 0x85EBCA6Bu;
  x ^= x >> 13;
  x *= 0xC2B2AE35u;
  return x >> 16;
}

template <bool with_m1>
inline void update_bf16_loop(const Factors<float> f, const States<float>& s, const Bf16Average& average, std::size_t n) {
  float* __restrict theta = s.theta;
  const float* __restrict gradient = s.gradient;
  float* __restrict m1 = s.m1;
  float* __restrict v = s.v;
  std::uint16_t* __restrict m2 = average.m2;
  const std::uint64_t key64 = (average.seed ^ average.first >> 32) * 0x9E3779B97F4A7C15ull;
  const auto key = static_cast<std::uint32_t>(key64 >> 32), first = static_cast<std::uint32_t>(average.first);
  for (std::size_t i = 0; i < n; ++i) {
    const float g = gradient[i] * f.grad_scale;
    float direction = g;
    if constexpr (with_m1) {
      const float fast = f.beta1 * m1[i] + f.rest1 * g;
      m1[i] = fast;
      direction = fast * f.inverse1;
    }
    const float slow = f.beta3 * __builtin_bit_cast(float, static_cast<std::uint32_t>(m2[i]) << 16) + f.rest3 * g;
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, slow);
    m2[i] = static_cast<std::uint16_t>((bits + random_bits(key, first + static_cast<std::uint32_t>(i))) >> 16);
    direction += f.alpha * slow;
    const float second = f.beta2 * v[i] + f.rest2 * (g * g);
    v[i] = second;
    theta[i] = f.keep * theta[i] - f.lr * (direction / (root(second * f.inverse2) + f.eps));
  }
}

inline void update_bf16_any(const Update& u, const States<float>& s, const Bf16Average& average, std::size_t n) {
  const Factors<float> f(u);
  if (s.m1) return update_bf16_loop<true>(f, s, average, n);
  update_bf16_loop<false>(f, s, average, n);
}

template <typename T>
inline void average_loop(double rho, T* __restrict mean, const T* __restrict theta, std::size_t n) {
  const T keep = static_cast<T>(rho), rest = static_cast<T>(1 - rho);
  for (std::size_t i = 0; i < n; ++i) mean[i] = keep * mean[i] + rest * theta[i];
}

/// Sixteen partial sums, added in a fixed order.
template <typename T>
inline double squares_loop(const T* __restrict x, std::size_t n) {
  double partial[16] = {};
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (std::size_t j = 0; j < 16; ++j) partial[j] += static_cast<double>(x[i + j]) * static_cast<double>(x[i + j]);
  for (std::size_t j = 0; i < n; ++i, ++j) partial[j] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace
