// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 floats; included inside the namespace of a path.
#pragma once

template <int N>
struct Number {
  static constexpr int value = N;
};

struct Simd {
  using V = __m512;
  static constexpr int kWidth = 16, kVectors = 4;

  static V all(float x) { return _mm512_set1_ps(x); }
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, V x) { _mm512_storeu_ps(p, x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
  static V fnma(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }
  static V add(V a, V b) { return _mm512_add_ps(a, b); }
  static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
  static V absolute(V a) { return _mm512_abs_ps(a); }
  /// A NaN stays one.
  static V at_most(V a, float limit) { return _mm512_min_ps(all(limit), a); }
  static V lanes() { return _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0); }
  /// p * 2^k, also where that is 0.
  static V times_power_of_two(V p, V k, V) { return _mm512_scalef_ps(p, k); }
  /// 2^-14, then one Newton step: 2^-23.
  static V reciprocal(V x) {
    const V r = _mm512_rcp14_ps(x);
    return fma(r, fnma(x, r, all(1.0f)), r);
  }
  static double sum(V x) {
    alignas(64) float lane[16];
    store(lane, x);
    double s = 0;
    for (const float l : lane) s += static_cast<double>(l);
    return s;
  }

  /// 16 rows of `depth` numbers, `width` apart and padded to a multiple of 16, to columns: to[k * ldt + row].
  static void transpose(const float* from, std::int64_t width, std::int64_t depth, float* to, std::int64_t ldt) {
    for (std::int64_t k = 0; k < depth; k += 16) {
      __m512 r[16], t[16];
      for (int i = 0; i < 16; ++i) r[i] = load(from + i * width + k);
      for (int i = 0; i < 8; ++i) {
        t[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
        t[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
      }
      for (int i = 0; i < 4; ++i)
        for (int h = 0; h < 2; ++h) {
          const __m512d a = _mm512_castps_pd(t[4 * i + h]), b = _mm512_castps_pd(t[4 * i + 2 + h]);
          r[4 * i + 2 * h] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, b));
          r[4 * i + 2 * h + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, b));
        }
      // r[4 i + c]: lane group g holds column 4 g + c of rows 4 i … 4 i + 3.
      for (int c = 0; c < 4; ++c) {
        const __m512 a = _mm512_shuffle_f32x4(r[c], r[4 + c], 0x88), b = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0x88);
        const __m512 d = _mm512_shuffle_f32x4(r[c], r[4 + c], 0xdd), e = _mm512_shuffle_f32x4(r[8 + c], r[12 + c], 0xdd);
        t[c] = _mm512_shuffle_f32x4(a, b, 0x88);
        t[8 + c] = _mm512_shuffle_f32x4(a, b, 0xdd);
        t[4 + c] = _mm512_shuffle_f32x4(d, e, 0x88);
        t[12 + c] = _mm512_shuffle_f32x4(d, e, 0xdd);
      }
      const std::int64_t count = depth - k < 16 ? depth - k : 16;
      for (std::int64_t i = 0; i < count; ++i) store(to + (k + i) * ldt, t[i]);
    }
  }
};
