// SPDX-License-Identifier: Apache-2.0
// The loops for floats, once for each instruction set; plain code in their place where the compiler has none.
#pragma once

#include "learning/kernels/optim.h"

#define SIM_DECLARE_OPTIM_LOOPS(isa)                                                                            \
  namespace simulacra::kernels::optim::isa {                                                                    \
  void update(const Update& u, const States<float>& s, std::size_t n);                                          \
  void update_bf16(const Update& u, const States<float>& s, const Bf16Average& average, std::size_t n);         \
  void average(double rho, float* mean, const float* theta, std::size_t n);                                     \
  double sum_of_squares(const float* x, std::size_t n);                                                         \
  }

SIM_DECLARE_OPTIM_LOOPS(plain)
SIM_DECLARE_OPTIM_LOOPS(avx2)
SIM_DECLARE_OPTIM_LOOPS(avx512)

#undef SIM_DECLARE_OPTIM_LOOPS

// The definitions, in a file that has included optim_loops.h.
#define SIM_DEFINE_OPTIM_LOOPS(isa)                                                                             \
  namespace simulacra::kernels::optim::isa {                                                                    \
  void update(const Update& u, const States<float>& s, std::size_t n) { update_any(u, s, n); }                  \
  void update_bf16(const Update& u, const States<float>& s, const Bf16Average& average, std::size_t n) {        \
    update_bf16_any(u, s, average, n);                                                                          \
  }                                                                                                             \
  void average(double rho, float* mean, const float* theta, std::size_t n) { average_loop(rho, mean, theta, n); } \
  double sum_of_squares(const float* x, std::size_t n) { return squares_loop(x, n); }                           \
  }
