// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/src/sigmoid_attention_paths.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

namespace simulacra::kernels::attention::avx2 {
namespace {

template <int N>
struct Number {
  static constexpr int value = N;
};

struct Simd {
  using V = __m256;
  static constexpr int kWidth = 8, kVectors = 2;

  static V all(float x) { return _mm256_set1_ps(x); }
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, V x) { _mm256_storeu_ps(p, x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm256_fnmadd_ps(a, b, c); }
  static V add(V a, V b) { return _mm256_add_ps(a, b); }
  static V sub(V a, V b) { return _mm256_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static V absolute(V a) { return _mm256_andnot_ps(all(-0.0f), a); }
  /// And at least -87, below which 1 + exp is 1 anyway; a NaN stays one.
  static V at_most(V a, float limit) { return _mm256_max_ps(all(-87.0f), _mm256_min_ps(all(limit), a)); }
  static V lanes() { return _mm256_set_ps(7, 6, 5, 4, 3, 2, 1, 0); }
  /// p * 2^k by adding k, which `shifted` has in its lowest bits, to the exponent.
  static V times_power_of_two(V p, V, V shifted) {
    const __m256i k = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p), k));
  }
  static V reciprocal(V x) { return _mm256_div_ps(all(1.0f), x); }
  static double sum(V x) {
    alignas(32) float lane[8];
    store(lane, x);
    double s = 0;
    for (const float l : lane) s += static_cast<double>(l);
    return s;
  }

  /// 8 rows of `depth` numbers, `width` apart and padded to a multiple of 8, to columns: to[k * ldt + row].
  static void transpose(const float* from, std::int64_t width, std::int64_t depth, float* to, std::int64_t ldt) {
    for (std::int64_t k = 0; k < depth; k += 8) {
      __m256 r[8], t[8];
      for (int i = 0; i < 8; ++i) r[i] = load(from + i * width + k);
      for (int i = 0; i < 4; ++i) {
        t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
      }
      for (int i = 0; i < 2; ++i)
        for (int h = 0; h < 2; ++h) {
          const __m256d a = _mm256_castps_pd(t[4 * i + h]), b = _mm256_castps_pd(t[4 * i + 2 + h]);
          r[4 * i + 2 * h] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, b));
          r[4 * i + 2 * h + 1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, b));
        }
      for (int c = 0; c < 4; ++c) {
        t[c] = _mm256_permute2f128_ps(r[c], r[4 + c], 0x20);
        t[4 + c] = _mm256_permute2f128_ps(r[c], r[4 + c], 0x31);
      }
      const std::int64_t count = depth - k < 8 ? depth - k : 8;
      for (std::int64_t i = 0; i < count; ++i) store(to + (k + i) * ldt, t[i]);
    }
  }
};

#include "learning/kernels/src/sigmoid_attention_tiles.h"

}  // namespace

void forward(const ForwardTask<float>& task) { forward_task(task); }
void forward(const ForwardTask<Bfloat16>& task) { forward_task(task); }
void backward(BackwardTask<float>& task) { backward_task(task); }
void backward(BackwardTask<Bfloat16>& task) { backward_task(task); }

}  // namespace simulacra::kernels::attention::avx2
#else
#include "render/base/error.h"

namespace simulacra::kernels::attention::avx2 {

// Built for another processor: has_cpu_path() says so, and nobody calls these.
void forward(const ForwardTask<float>&) { check_failed("no avx2 here", __FILE__, __LINE__); }
void forward(const ForwardTask<Bfloat16>&) { check_failed("no avx2 here", __FILE__, __LINE__); }
void backward(BackwardTask<float>&) { check_failed("no avx2 here", __FILE__, __LINE__); }
void backward(BackwardTask<Bfloat16>&) { check_failed("no avx2 here", __FILE__, __LINE__); }

}  // namespace simulacra::kernels::attention::avx2
#endif
