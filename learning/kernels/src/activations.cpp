// SPDX-License-Identifier: Apache-2.0
#define SIM_ACTIVATIONS_ISA plain
#include "learning/kernels/activations.h"

#include "learning/kernels/optim.h"
#include "learning/kernels/src/activations_loops.h"

namespace simulacra::kernels {
namespace {

/// What activations_avx2.cpp is compiled for beside AVX2.
bool has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

template <typename T>
void forward(const T* x, T* y, std::size_t n) {
  const optim::Isa isa = optim::best_isa();
  if (isa == optim::Isa::avx512) return avx512::gelu(x, y, n);
  if (isa == optim::Isa::avx2 && has_fma()) return avx2::gelu(x, y, n);
  plain::gelu(x, y, n);
}

template <typename T>
void backward(const T* x, const T* dy, T* dx, std::size_t n) {
  const optim::Isa isa = optim::best_isa();
  if (isa == optim::Isa::avx512) return avx512::gelu_backward(x, dy, dx, n);
  if (isa == optim::Isa::avx2 && has_fma()) return avx2::gelu_backward(x, dy, dx, n);
  plain::gelu_backward(x, dy, dx, n);
}

}  // namespace

void gelu(const float* x, float* y, std::size_t n) { forward(x, y, n); }
void gelu(const std::uint16_t* x, std::uint16_t* y, std::size_t n) { forward(x, y, n); }
void gelu_backward(const float* x, const float* dy, float* dx, std::size_t n) { backward(x, dy, dx, n); }
void gelu_backward(const std::uint16_t* x, const std::uint16_t* dy, std::uint16_t* dx, std::size_t n) { backward(x, dy, dx, n); }

}  // namespace simulacra::kernels
