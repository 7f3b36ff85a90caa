// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/isa.h"

namespace simulacra::kernels {

bool has_isa(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::avx512) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
  if (isa == Isa::avx2) return __builtin_cpu_supports("avx2");
#endif
  return isa == Isa::plain;
}

Isa best_isa() {
  static const Isa best = has_isa(Isa::avx512) ? Isa::avx512 : has_isa(Isa::avx2) ? Isa::avx2 : Isa::plain;
  return best;
}

const char* name_of(Isa isa) { return isa == Isa::avx512 ? "AVX-512" : isa == Isa::avx2 ? "AVX2" : "plain"; }

}  // namespace simulacra::kernels
