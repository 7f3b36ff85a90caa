// SPDX-License-Identifier: Apache-2.0
// One update of AdamW and AdEMAMix, the average of a model, and the norm of a gradient, each in one pass over flat arrays.
//
//   g   = grad_scale * gradient
//   m1  = beta1 m1 + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2          m2 = beta3 m2 + (1 - beta3) g
//   u   = (m1 / (1 - beta1^t) + alpha m2) / (sqrt(v / (1 - beta2^t)) + eps)
//   theta -= lr (u + weight_decay theta)
//
// [Loshchilov, Hutter 2019], [Pagliardini, Ablin, Grangier 2025]; AdamW is the case without m2. m2 has no bias correction.
//
//  - Every function works on one range in one thread; ranges may run in parallel, for elements do not depend on each other.
//  - float and double. Floats run as AVX-512, AVX2 or plain code, chosen at run time from one source without contraction to
//    FMA: all three give the same bits.
//  - No alignment is asked for, and arrays must not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learning/kernels/isa.h"

namespace simulacra::kernels::optim {

/// The numbers of one update.
struct Update {
  double lr = 0;
  double beta1 = 0.9, beta2 = 0.999, beta3 = 0.9999;
  double alpha = 0;
  double eps = 1e-8;
  double weight_decay = 0;
  double correction1 = 1, correction2 = 1;  ///< 1 - beta1^t and 1 - beta2^t, t counted from 1
  double grad_scale = 1;
};

/// `n` elements each; null m2 is AdamW; null m1 stands for beta1 = 0, where m1 would be the gradient.
template <typename T>
struct States {
  T* theta = nullptr;
  const T* gradient = nullptr;
  T* m1 = nullptr;
  T* v = nullptr;
  T* m2 = nullptr;
};

void update(const Update& u, const States<float>& s, std::size_t n, Isa isa = best_isa());
void update(const Update& u, const States<double>& s, std::size_t n);

/// m2 kept in bfloat16 and rounded at random, up with the probability that keeps its expectation: rounded to nearest it
/// would stall, since its increments fall below half a unit in the last place. The draw of element i depends on
/// (seed, first + i) only.
struct Bf16Average {
  std::uint16_t* m2 = nullptr;
  std::uint64_t seed = 0;  ///< another one each update
  std::uint64_t first = 0;  ///< index of element 0 in the whole array
};
void update_bf16(const Update& u, const States<float>& s, const Bf16Average& average, std::size_t n, Isa isa = best_isa());

/// average = rho average + (1 - rho) theta.
void average(double rho, float* mean, const float* theta, std::size_t n, Isa isa = best_isa());
void average(double rho, double* mean, const double* theta, std::size_t n);

/// Sum of squares in double. The order of additions depends on n only.
double sum_of_squares(const float* x, std::size_t n, Isa isa = best_isa());
double sum_of_squares(const double* x, std::size_t n);

}  // namespace simulacra::kernels::optim
