// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/optim.h"

#include "learning/kernels/src/optim_isa.h"
#include "learning/kernels/src/optim_loops.h"

SIM_DEFINE_OPTIM_LOOPS(plain)

namespace simulacra::kernels::optim {

void update(const Update& u, const States<float>& s, std::size_t n, Isa isa) {
  if (isa == Isa::avx512) return avx512::update(u, s, n);
  if (isa == Isa::avx2) return avx2::update(u, s, n);
  plain::update(u, s, n);
}
void update(const Update& u, const States<double>& s, std::size_t n) { update_any(u, s, n); }

void update_bf16(const Update& u, const States<float>& s, const Bf16Average& average, std::size_t n, Isa isa) {
  if (isa == Isa::avx512) return avx512::update_bf16(u, s, average, n);
  if (isa == Isa::avx2) return avx2::update_bf16(u, s, average, n);
  plain::update_bf16(u, s, average, n);
}

void average(double rho, float* mean, const float* theta, std::size_t n, Isa isa) {
  if (isa == Isa::avx512) return avx512::average(rho, mean, theta, n);
  if (isa == Isa::avx2) return avx2::average(rho, mean, theta, n);
  plain::average(rho, mean, theta, n);
}
void average(double rho, double* mean, const double* theta, std::size_t n) { average_loop(rho, mean, theta, n); }

double sum_of_squares(const float* x, std::size_t n, Isa isa) {
  if (isa == Isa::avx512) return avx512::sum_of_squares(x, n);
  if (isa == Isa::avx2) return avx2::sum_of_squares(x, n);
  return plain::sum_of_squares(x, n);
}
double sum_of_squares(const double* x, std::size_t n) { return squares_loop(x, n); }

}  // namespace simulacra::kernels::optim
