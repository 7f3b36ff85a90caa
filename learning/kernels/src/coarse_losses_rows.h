// SPDX-License-Identifier: Apache-2.0
// What the pixels of one row do with logits, once for each instruction set: plain loops of kLanes that the compiler turns into
// vectors. As in optim_loops.h, nothing of a standard header may be instantiated here.
#pragma once

#include <cstdint>

namespace simulacra::kernels::coarse {

constexpr std::int64_t kLanes = 16;

/// Where a pixel lies between two coarse ones.
struct Tap {
  std::int64_t low = 0, high = 0;
  float weight_high = 0;
};

struct LogitRow {
  std::int64_t width = 0, padded_channels = 0;  ///< a multiple of kLanes; logits of the padding are far below the others
  const Tap* taps = nullptr;                    ///< [width]
  const float* line = nullptr;                  ///< [coarse_width, padded_channels], already between two coarse rows
  float* line_gradient = nullptr;               ///< the same, added to; nullptr: not wanted
  const std::int64_t* classes = nullptr;        ///< [width] from 1; below 1: does not count
  float* scratch = nullptr;                     ///< [padded_channels]
};

#define SIM_DECLARE_COARSE_ROWS(isa)                                                                    \
  namespace isa {                                                                                       \
  /* out = low + weight_high * (high - low) */                                                          \
  void blend(const float* low, const float* high, float weight_high, float* out, std::int64_t n);       \
  /* low += (1 - weight_high) * in, high += weight_high * in; low and high may be the same */           \
  void spread(const float* in, float weight_high, float* low, float* high, std::int64_t n);             \
  double cross_entropy_row(const LogitRow& row);                                                        \
  }
SIM_DECLARE_COARSE_ROWS(plain)
SIM_DECLARE_COARSE_ROWS(avx2)
SIM_DECLARE_COARSE_ROWS(avx512)
#undef SIM_DECLARE_COARSE_ROWS

}  // namespace simulacra::kernels::coarse

#ifdef SIM_COARSE_ISA
namespace {

using simulacra::kernels::coarse::kLanes;
using simulacra::kernels::coarse::LogitRow;
using simulacra::kernels::coarse::Tap;

/// exp(x) for x <= 0: 2^k e^r with |r| <= ln 2 / 2, by a series to r^6; relative error below 4e-7. Below -87 it is exp(-87).
inline float exponential(float x) {
  const float t = x < -87.0f ? -87.0f : x;
  const std::int32_t k = static_cast<std::int32_t>(t * 1.44269504f - 0.5f);
  const float n = static_cast<float>(k);
  const float r = (t - n * 0.693359375f) + n * 2.12194440e-4f;
  const float series = 1 + r * (1 + r * (0.5f + r * (1.0f / 6 + r * (1.0f / 24 + r * (1.0f / 120 + r * (1.0f / 720))))));
  return series * __builtin_bit_cast(float, (k + 127) << 23);
}

inline void blend_loop(const float* __restrict low, const float* __restrict high, float weight, float* __restrict out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = low[i] + weight * (high[i] - low[i]);
}

inline void add_loop(const float* __restrict in, float weight, float* __restrict out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) out[i] += weight * in[i];
}

inline void spread_loop(const float* in, float weight_high, float* low, float* high, std::int64_t n) {
  add_loop(in, 1 - weight_high, low, n);
  add_loop(in, weight_high, high, n);
}

inline float greatest(const float* z, std::int64_t n) {
  float lanes[kLanes];
  for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = z[l];
  for (std::int64_t c = kLanes; c < n; c += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = lanes[l] > z[c + l] ? lanes[l] : z[c + l];
  float most = lanes[0];
  for (std::int64_t l = 1; l < kLanes; ++l) most = most > lanes[l] ? most : lanes[l];
  return most;
}

/// z becomes exp(z - most); gives the sum.
inline float exponentials(float* z, float most, std::int64_t n) {
  float lanes[kLanes] = {};
  for (std::int64_t c = 0; c < n; c += kLanes)
    for (std::int64_t l = 0; l < kLanes; ++l) {
      const float e = exponential(z[c + l] - most);
      z[c + l] = e;
      lanes[l] += e;
    }
  float sum = 0;
  for (std::int64_t l = 0; l < kLanes; ++l) sum += lanes[l];
  return sum;
}

inline double cross_entropy_row_any(const LogitRow& row) {
  const std::int64_t n = row.padded_channels;
  float* z = row.scratch;
  double loss = 0;
  for (std::int64_t x = 0; x < row.width; ++x) {
    if (row.classes[x] < 1) continue;
    const Tap& tap = row.taps[x];
    blend_loop(row.line + tap.low * n, row.line + tap.high * n, tap.weight_high, z, n);
    const std::int64_t right = row.classes[x] - 1;
    const float most = greatest(z, n), above = z[right] - most, sum = exponentials(z, most, n);
    loss += __builtin_log(static_cast<double>(sum)) - static_cast<double>(above);
    if (!row.line_gradient) continue;
    const float inverse = 1 / sum;
    for (std::int64_t c = 0; c < n; ++c) z[c] *= inverse;
    z[right] -= 1;
    spread_loop(z, tap.weight_high, row.line_gradient + tap.low * n, row.line_gradient + tap.high * n, n);
  }
  return loss;
}

}  // namespace

namespace simulacra::kernels::coarse::SIM_COARSE_ISA {
void blend(const float* low, const float* high, float weight_high, float* out, std::int64_t n) {
  blend_loop(low, high, weight_high, out, n);
}
void spread(const float* in, float weight_high, float* low, float* high, std::int64_t n) { spread_loop(in, weight_high, low, high, n); }
double cross_entropy_row(const LogitRow& row) { return cross_entropy_row_any(row); }
}  // namespace simulacra::kernels::coarse::SIM_COARSE_ISA
#endif
