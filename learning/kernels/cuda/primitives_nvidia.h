// SPDX-License-Identifier: Apache-2.0
// The operations as instructions, by their PTX names (PTX ISA: "Data Movement", "Warp-level Matrix Instructions").
// Addresses of shared memory are byte offsets from the block's dynamic shared memory.
#pragma once

#include <cstdint>

#define SIM_DEVICE __device__ __forceinline__
#define SIM_CONSTEXPR __host__ __device__ constexpr
#define SIM_UNROLL _Pragma("unroll")
#define SIM_PRAGMA(text) _Pragma(#text)
#define SIM_UNROLL_BY(count) SIM_PRAGMA(unroll(count))
#define SIM_KEEP_LOOP _Pragma("unroll 1")

namespace simulacra::kernels::gpu {

using Shared = std::uint32_t;

SIM_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
SIM_DEVICE std::int64_t block_index() { return static_cast<std::int64_t>(blockIdx.x); }
SIM_DEVICE void sync_block() { __syncthreads(); }
SIM_DEVICE void sync_warp() { __syncwarp(); }

SIM_DEVICE char* shared_base() {
  extern __shared__ __align__(128) char shared_bytes[];
  return shared_bytes;
}
template <typename T>
SIM_DEVICE T shared_load(Shared at) {
  return *reinterpret_cast<const T*>(shared_base() + at);
}
template <typename T>
SIM_DEVICE void shared_store(Shared at, T value) {
  *reinterpret_cast<T*>(shared_base() + at) = value;
}

template <typename T>
SIM_DEVICE T global_load(const T* from) {
  return __ldg(from);
}
template <typename T>
SIM_DEVICE void global_store(T* to, T value) {
  *to = value;
}
/// 16 aligned bytes.
SIM_DEVICE void global_store_16(void* to, const std::uint32_t (&value)[4]) {
  *static_cast<uint4*>(to) = make_uint4(value[0], value[1], value[2], value[3]);
}

/// Starts to copy 16 aligned bytes to shared memory; zeros where not valid (then nothing is read).
SIM_DEVICE void copy_16(Shared to, const void* from, bool valid) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_base() + to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(__cvta_generic_to_global(from)), "r"(valid ? 16 : 0)
               : "memory");
}
SIM_DEVICE void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most `left` of this thread's newest groups are unfinished.
template <int left>
SIM_DEVICE void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
}

/// Four 8x8 matrices of 16-bit elements; lane i gives the address of row i % 8 of matrix i / 8.
SIM_DEVICE void load_matrices(std::uint32_t (&r)[4], Shared row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_base() + row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
SIM_DEVICE void load_matrices_transposed(std::uint32_t (&r)[4], Shared row) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_base() + row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

SIM_DEVICE float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SIM_DEVICE float reciprocal_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// The smaller one; NaN where either is.
SIM_DEVICE float min_or_nan(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
SIM_DEVICE float fused_multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
SIM_DEVICE double fused_multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }

SIM_DEVICE std::uint32_t shuffle_xor(std::uint32_t x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }
SIM_DEVICE float shuffle_xor(float x, int mask) { return __shfl_xor_sync(0xffffffffu, x, mask); }

/// Element types of the tensor cores: two in 32 bits, the first in the low half; c += a b with float sums.
struct Bfloat16Element {
  SIM_DEVICE static std::uint32_t pack(float low, float high) {
    std::uint32_t y;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
  }
  SIM_DEVICE static void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};
struct Float16Element {
  SIM_DEVICE static std::uint32_t pack(float low, float high) {
    std::uint32_t y;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
    return y;
  }
  SIM_DEVICE static void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};

}  // namespace simulacra::kernels::gpu
