// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/src/image_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "dataset/schema/canonical.h"
#include "render/base/half.h"
#include "render/base/mix64.h"

namespace simulacra::tensors {
namespace {

#if defined(__x86_64__)
bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
  return has;
}

[[gnu::target("avx2,f16c")]] std::size_t widen_by_eight(const std::uint16_t* from, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  return i;
}
#endif

/// 2^(log2(x) / 2.2) for x in (2^-100, 1], by the series of the area tangent and of the exponential.
[[gnu::always_inline]] inline float gamma_encoded(float x) {
  constexpr float kExponent = static_cast<float>(1 / kToneMapGamma);
  // x = m 2^e with m in [sqrt(1/2), sqrt(2))
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  const std::int32_t e = (bits - 0x3f3504f3) >> 23;
  const float m = std::bit_cast<float>(bits - e * (1 << 23));
  const float t = (m - 1) / (m + 1), t2 = t * t;
  const float log2_m = 2.88539008f * t * (1 + t2 * (1 / 3.0f + t2 * (1 / 5.0f + t2 * (1 / 7.0f + t2 * (1 / 9.0f)))));
  const float y = kExponent * (static_cast<float>(e) + log2_m);
  // y = n + f with |f| <= 1/2
  constexpr float kRound = 12582912;   // 1.5 * 2^23
  const float shifted = y + kRound;
  const float f = (y - (shifted - kRound)) * std::numbers::ln2_v<float>;
  const float power = 1 + f * (1 + f * (1 / 2.0f + f * (1 / 6.0f + f * (1 / 24.0f + f * (1 / 120.0f + f * (1 / 720.0f + f / 5040.0f))))));
  const std::int32_t n = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(power) + n * (1 << 23));
}

[[gnu::always_inline]] inline void expose_loop(float* x, std::size_t count, float scale, float limit) {
  for (std::size_t i = 0; i < count; ++i) {
    const float light = scale * x[i];
    x[i] = light > 0 ? (light < limit ? light : limit) : 0;
  }
}
[[gnu::always_inline]] inline void tone_map_loop(float* x, std::size_t count, float scale) {
  expose_loop(x, count, scale, 1);
  // Limits in a loop of their own: in one, GCC finds paths with constants, and jumps instead of vectors. A number far below
  // what images tell apart keeps 0 out of the logarithm, and its encoded form (2.3e-14) is taken off again.
  constexpr float kTiny = 1e-30f, kEncodedTiny = 3e-14f;
  for (std::size_t i = 0; i < count; ++i) {
    const float encoded = gamma_encoded(x[i] + kTiny) - kEncodedTiny;
    x[i] = encoded > 0 ? encoded : 0;
  }
}
[[gnu::always_inline]] inline void change_loop(const ColorChange& change, float offset, float* r, float* g, float* b, std::size_t count,
                                               float limit) {
  const std::array<float, 9> m = change.matrix;
  const auto limited = [limit](float v) { return v > 0 ? (v < limit ? v : limit) : 0; };
  for (std::size_t i = 0; i < count; ++i) {
    const float x = r[i], y = g[i], z = b[i];
    r[i] = limited(m[0] * x + m[1] * y + m[2] * z + offset);
    g[i] = limited(m[3] * x + m[4] * y + m[5] * z + offset);
    b[i] = limited(m[6] * x + m[7] * y + m[8] * z + offset);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void tone_map_avx2(float* x, std::size_t count, float scale) { tone_map_loop(x, count, scale); }
[[gnu::target("avx2")]] void expose_avx2(float* x, std::size_t count, float scale, float limit) { expose_loop(x, count, scale, limit); }
#endif

float luminance_of(float r, float g, float b) { return 0.3f * r + 0.59f * g + 0.11f * b; }   // the tone map's weights

/// Mean 0, variance 1: the sum of four uniform numbers of 16 bits, whose variance is (2^32 - 1) / 12 each.
float nearly_normal(std::uint64_t random) {
  constexpr float kMean = 4 * 65535 / 2.0f, kDeviation = 37837.23f;   // sqrt(4 (2^32 - 1) / 12)
  const std::uint64_t sum = (random & 0xffff) + (random >> 16 & 0xffff) + (random >> 32 & 0xffff) + (random >> 48);
  return (static_cast<float>(sum) - kMean) / kDeviation;
}

}  // namespace

void widen(std::span<const std::uint16_t> from, float* to) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_avx2()) i = widen_by_eight(from.data(), from.size(), to);
#endif
  for (; i < from.size(); ++i) to[i] = float_from_half(from[i]);
}

void tone_map(std::span<float> values, float scale) {
#if defined(__x86_64__)
  if (has_avx2()) return tone_map_avx2(values.data(), values.size(), scale);
#endif
  tone_map_loop(values.data(), values.size(), scale);
}

void expose(std::span<float> values, float scale, float limit) {
#if defined(__x86_64__)
  if (has_avx2()) return expose_avx2(values.data(), values.size(), scale, limit);
#endif
  expose_loop(values.data(), values.size(), scale, limit);
}

bool any_nan(std::span<const float> values) {
  int found = 0;
  for (const float v : values) found |= v != v;
  return found != 0;
}

std::vector<int> nearest_map(int source, int output, bool mirrored) {
  std::vector<int> map(static_cast<std::size_t>(output));
  for (int i = 0; i < output; ++i) {
    const int at = static_cast<int>((2 * std::int64_t{i} + 1) * source / (2 * std::int64_t{output}));
    map[static_cast<std::size_t>(mirrored ? output - 1 - i : i)] = at;
  }
  return map;
}

template <typename T>
void gather(const T* in, int in_rows, int in_columns, int channels, std::span<const int> rows, std::span<const int> columns, T* out) {
  const bool plain = columns.size() == static_cast<std::size_t>(in_columns) && columns.front() == 0;
  const bool reversed = columns.size() == static_cast<std::size_t>(in_columns) && !plain;
  for (int c = 0; c < channels; ++c)
    for (const int row : rows) {
      const T* const from = in + (std::ptrdiff_t{c} * in_rows + row) * in_columns;
      if (plain) std::memcpy(out, from, columns.size() * sizeof(T));
      else if (reversed) std::reverse_copy(from, from + in_columns, out);
      else for (std::size_t j = 0; j < columns.size(); ++j) out[j] = from[columns[j]];
      out += columns.size();
    }
}
template void gather(const float*, int, int, int, std::span<const int>, std::span<const int>, float*);
template void gather(const std::int32_t*, int, int, int, std::span<const int>, std::span<const int>, std::int32_t*);

std::vector<AreaResize::Tap> AreaResize::taps_of(int in, int out, std::vector<float>& weights) {
  std::vector<Tap> taps;
  const double step = static_cast<double>(in) / out;
  for (int i = 0; i < out; ++i) {
    const double begin = i * step, end = (i + 1) * step;
    const int first = static_cast<int>(begin), last = std::min(in - 1, static_cast<int>(std::ceil(end)) - 1);
    taps.push_back({first, last - first + 1, weights.size()});
    for (int k = first; k <= last; ++k)
      weights.push_back(static_cast<float>((std::min(end, k + 1.0) - std::max(begin, static_cast<double>(k))) / step));
  }
  return taps;
}

AreaResize::AreaResize(int in_rows, int in_columns, int out_rows, int out_columns, bool mirrored)
    : in_rows_(in_rows), in_columns_(in_columns), mirrored_(mirrored), row_(static_cast<std::size_t>(in_columns)),
      rows_(taps_of(in_rows, out_rows, weights_)), columns_(taps_of(in_columns, out_columns, weights_)) {
  if (mirrored_) std::reverse(columns_.begin(), columns_.end());
}

void AreaResize::apply(const float* in, int channels, float* out) {
  for (int c = 0; c < channels; ++c)
    for (const Tap& rows : rows_) {
      std::fill(row_.begin(), row_.end(), 0.0f);
      for (int k = 0; k < rows.count; ++k) {
        const float* const from = in + (std::ptrdiff_t{c} * in_rows_ + rows.first + k) * in_columns_;
        const float weight = weights_[rows.weights + static_cast<std::size_t>(k)];
        for (std::size_t j = 0; j < row_.size(); ++j) row_[j] += weight * from[j];
      }
      for (const Tap& columns : columns_) {
        float sum = 0;
        for (int k = 0; k < columns.count; ++k)
          sum += weights_[columns.weights + static_cast<std::size_t>(k)] * row_[static_cast<std::size_t>(columns.first + k)];
        *out++ = sum;
      }
    }
}

void set_change(ColorChange& change, double contrast, double saturation, double hue) {
  // Hue: Rodrigues' rotation about (1, 1, 1) / sqrt(3). Saturation: luminance + s (color - luminance).
  const double angle = 2 * kPiD * hue, cosine = std::cos(angle), side = std::sin(angle) / std::sqrt(3.0), third = (1 - cosine) / 3;
  Mat3d turn, saturate;
  const std::array<double, 3> luminance = {0.3, 0.59, 0.11};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double cross = i == j ? 0 : (j == (i + 1) % 3 ? -side : side);
      turn(i, j) = (i == j ? cosine : 0) + third + cross;
      saturate(i, j) = (i == j ? saturation : 0) + (1 - saturation) * luminance[j];
    }
  const Mat3d both = turn * saturate;
  for (std::size_t i = 0; i < 9; ++i) change.matrix[i] = static_cast<float>(contrast * both(i / 3, i % 3));
  change.mean_share = static_cast<float>(1 - contrast);
}

void apply_change(const ColorChange& change, float* rgb, std::size_t pixels, float limit) {
  if (change.is_identity) return;
  float *const r = rgb, *const g = rgb + pixels, *const b = rgb + 2 * pixels;
  float offset = 0;
  if (change.mean_share != 0) {
    double sum = 0;
    for (std::size_t i = 0; i < pixels; ++i) sum += static_cast<double>(luminance_of(r[i], g[i], b[i]));
    offset = change.mean_share * static_cast<float>(sum / static_cast<double>(pixels));
  }
  change_loop(change, offset, r, g, b, pixels, limit);
  if (change.noise == 0) return;
  for (std::size_t i = 0; i < 3 * pixels; ++i) {
    const float noisy = rgb[i] + change.noise * nearly_normal(mix64(change.noise_key + i * 0x9e3779b97f4a7c15u));
    rgb[i] = std::clamp(noisy, 0.0f, limit);
  }
}

}  // namespace simulacra::tensors
