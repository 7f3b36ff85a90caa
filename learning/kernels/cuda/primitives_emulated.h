// SPDX-License-Identifier: Apache-2.0
// The operations of primitives_nvidia.h by the emulator.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "learning/kernels/cuda/emulator.h"

#define SIM_DEVICE inline
#define SIM_CONSTEXPR constexpr
#define SIM_UNROLL
#define SIM_UNROLL_BY(count)
#define SIM_KEEP_LOOP

namespace simulacra::kernels::gpu {

using Shared = std::uint32_t;

inline int thread_index() { return emulated::thread_index(); }
inline std::int64_t block_index() { return emulated::block_index(); }
inline void sync_block() { emulated::sync_block(); }
inline void sync_warp() { emulated::sync_warp(); }

template <typename T>
T shared_load(Shared at) {
  T value;
  std::memcpy(&value, emulated::shared_read(at, sizeof(T)), sizeof(T));
  return value;
}
template <typename T>
void shared_store(Shared at, T value) {
  std::memcpy(emulated::shared_write(at, sizeof(T)), &value, sizeof(T));
}
template <typename T>
T global_load(const T* from) {
  emulated::global_read(from, sizeof(T));
  return *from;
}
template <typename T>
void global_store(T* to, T value) {
  emulated::global_write(to, sizeof(T));
  *to = value;
}
inline void global_store_16(void* to, const std::uint32_t (&value)[4]) {
  emulated::global_write(to, 16);
  std::memcpy(to, value, 16);
}

inline void copy_16(Shared to, const void* from, bool valid) { emulated::copy_16(to, from, valid); }
inline void copy_commit() { emulated::copy_commit(); }
template <int left>
void copy_wait() {
  emulated::copy_wait(left);
}
inline void load_matrices(std::uint32_t (&r)[4], Shared row) { emulated::load_matrices(r, row, false); }
inline void load_matrices_transposed(std::uint32_t (&r)[4], Shared row) { emulated::load_matrices(r, row, true); }

/// Correctly rounded, where the device is within 2^-22; zeros for what is not normal, as there.
inline float exp2_approx(float x) { return x < -126 ? 0.0f : std::exp2(x); }
inline float reciprocal_approx(float x) { return 1 / x; }
inline float min_or_nan(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : a < b ? a : b; }
inline float fused_multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
inline double fused_multiply_add(double a, double b, double c) { return std::fma(a, b, c); }

inline std::uint32_t shuffle_xor(std::uint32_t x, int mask) { return emulated::shuffle_xor(x, mask); }
inline float shuffle_xor(float x, int mask) { return std::bit_cast<float>(emulated::shuffle_xor(std::bit_cast<std::uint32_t>(x), mask)); }

struct Bfloat16Element {
  static std::uint32_t pack(float low, float high) {
    return emulated::to_bfloat16(low) | static_cast<std::uint32_t>(emulated::to_bfloat16(high)) << 16;
  }
  static void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    emulated::multiply_add(c, a, b0, b1, emulated::from_bfloat16);
  }
};
struct Float16Element {
  static std::uint32_t pack(float low, float high) {
    return emulated::to_float16(low) | static_cast<std::uint32_t>(emulated::to_float16(high)) << 16;
  }
  static void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    emulated::multiply_add(c, a, b0, b1, emulated::from_float16);
  }
};

}  // namespace simulacra::kernels::gpu
