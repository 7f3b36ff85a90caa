// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/jpeg_traces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

namespace simulacra::calibrate {
namespace {

using Block = std::array<double, 64>;

/// Luma steps of ISO 10918-1, table K.1, row by row.
constexpr std::array<int, 64> kLuma = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24, 40, 57,
                                       69, 56, 14, 17, 22,  29,  51,  87,  80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35, 55, 64,
                                       81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
/// Zigzag position to row-major.
constexpr std::array<std::size_t, 64> kZigzag = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
                                                 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
                                                 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

int step_of(int quality, std::size_t at) {
  const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  return std::clamp((kLuma[at] * scale + 50) / 100, 1, 255);
}

std::array<std::array<double, 8>, 8> make_cosines() {
  std::array<std::array<double, 8>, 8> c{};
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t x = 0; x < 8; ++x)
      c[k][x] = (k == 0 ? std::sqrt(0.125) : 0.5) * std::cos((2 * static_cast<double>(x) + 1) * static_cast<double>(k) * std::numbers::pi / 16);
  return c;
}

Block transformed(const Block& in) {
  static const auto cosines = make_cosines();
  Block rows{}, out{};
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t k = 0; k < 8; ++k)
      for (std::size_t x = 0; x < 8; ++x) rows[8 * y + k] += cosines[k][x] * in[8 * y + x];
  for (std::size_t k = 0; k < 8; ++k)
    for (std::size_t x = 0; x < 8; ++x)
      for (std::size_t y = 0; y < 8; ++y) out[8 * k + x] += cosines[k][y] * rows[8 * y + x];
  return out;
}

std::vector<double> luma_255(const Plane& image) {
  std::vector<double> luma(image.f.size() / static_cast<std::size_t>(image.channels));
  for (std::size_t p = 0; p < luma.size(); ++p) {
    const float* v = image.f.data() + p * static_cast<std::size_t>(image.channels);
    luma[p] = 255 * (image.channels == 3 ? 0.299 * static_cast<double>(v[0]) + 0.587 * static_cast<double>(v[1]) + 0.114 * static_cast<double>(v[2])
                                         : static_cast<double>(v[0]));
  }
  return luma;
}

/// Where blocks begin along an axis: the phase of the largest differences.
int phase_of(const std::vector<double>& luma, int width, int height, bool rows) {
  std::array<double, 8> sum{};
  for (int r = rows ? 1 : 0; r < height; ++r)
    for (int c = rows ? 0 : 1; c < width; ++c) {
      const auto at = static_cast<std::size_t>(r) * static_cast<std::size_t>(width) + static_cast<std::size_t>(c);
      sum[static_cast<std::size_t>(rows ? r : c) % 8] += std::min(std::abs(luma[at] - luma[at - (rows ? static_cast<std::size_t>(width) : 1)]), 15.0);
    }
  // Phase 0 lacks one line of the image: its mean counts.
  const int length = rows ? height : width;
  int best = 0;
  double most = -1;
  for (int k = 0; k < 8; ++k) {
    const int lines = (length - 1 - (k == 0 ? 8 : k)) / 8 + 1;
    const double mean = lines > 0 ? sum[static_cast<std::size_t>(k)] / lines : 0;
    if (mean > most) most = mean, best = k;
  }
  return best;
}

void add_blocks(const Plane& image, std::vector<Block>& blocks, std::size_t most) {
  const std::vector<double> luma = luma_255(image);
  const int top = phase_of(luma, image.width, image.height, true), left = phase_of(luma, image.width, image.height, false);
  for (int r = top; r + 8 <= image.height; r += 8)
    for (int c = left; c + 8 <= image.width && blocks.size() < most; c += 8) {
      Block b{};
      bool clipped = false;
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
          const double v = luma[static_cast<std::size_t>(r + y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(c + x)];
          clipped = clipped || v < 3 || v > 252;
          b[static_cast<std::size_t>(8 * y + x)] = v - 128;
        }
      if (!clipped) blocks.push_back(transformed(b));
    }
}

/// How well coefficients lie on multiples of the quality's steps: the mean of cos(2 pi c / step) over those that are not rounded
/// to 0, minus nothing; 1 = all do, about 0 = they do not care. Steps below 3 are lost in rounding.
double comb(const std::vector<Block>& blocks, int quality, double& count) {
  double sum = 0;
  count = 0;
  for (std::size_t k = 1; k < 64; ++k) {
    const int step = step_of(quality, k);
    if (step < 3) continue;
    for (const Block& b : blocks) {
      if (std::abs(b[k]) < 0.6 * step) continue;
      sum += std::cos(2 * std::numbers::pi * b[k] / step), ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

std::size_t word(std::span<const std::uint8_t> file, std::size_t at) { return static_cast<std::size_t>(file[at]) * 256 + file[at + 1]; }

int nearest_quality(const std::array<int, 64>& table) {
  int best = 1;
  double least = 1e300;
  for (int q = 1; q <= 100; ++q) {
    double gap = 0;
    for (std::size_t k = 0; k < 64; ++k) gap += std::abs(std::log(static_cast<double>(table[k]) / step_of(q, k)));
    if (gap < least) least = gap, best = q;
  }
  return best;
}

}  // namespace

std::optional<JpegTrace> jpeg_trace_of_file(std::span<const std::uint8_t> file) {
  if (file.size() < 4 || file[0] != 0xff || file[1] != 0xd8) return std::nullopt;
  JpegTrace trace;
  for (std::size_t at = 2; at + 4 <= file.size();) {
    if (file[at] != 0xff) return std::nullopt;
    const std::uint8_t marker = file[at + 1];
    if (marker == 0xff) { ++at; continue; }
    const std::size_t length = word(file, at + 2), body = at + 4, end = at + 2 + length;
    if (length < 2 || end > file.size()) return std::nullopt;
    if (marker == 0xdb && body < end && (file[body] & 15) == 0) {   // the first table is luma's
      const bool wide = (file[body] >> 4) != 0;
      std::array<int, 64> table{};
      if (body + 1 + (wide ? 128 : 64) > end) return std::nullopt;
      for (std::size_t k = 0; k < 64; ++k)
        table[kZigzag[k]] = std::max(1, static_cast<int>(wide ? word(file, body + 1 + 2 * k) : file[body + 1 + k]));
      trace.quality = nearest_quality(table);
    }
    if ((marker == 0xc0 || marker == 0xc1 || marker == 0xc2) && end >= body + 15 && file[body + 5] == 3) {
      const int luma = file[body + 7], chroma = file[body + 10];
      const int across = (luma >> 4) / std::max(chroma >> 4, 1), down = (luma & 15) / std::max(chroma & 15, 1);
      trace.subsampling = across == 1 ? "4:4:4" : down == 1 ? "4:2:2" : "4:2:0";
    }
    if (marker == 0xda) break;
    at = end;
  }
  return trace.quality > 0 ? std::optional(trace) : std::nullopt;
}

std::optional<int> jpeg_quality_of_pictures(std::span<const Plane> images) {
  constexpr std::size_t kMostBlocks = 6000;
  constexpr double kLeastCount = 400, kLeastComb = 0.3, kNearBest = 0.93;
  std::vector<Block> blocks;
  for (const Plane& image : images) add_blocks(image, blocks, kMostBlocks);
  std::array<double, 101> score{};
  double best = 0;
  for (int q = 10; q <= 94; ++q) {
    double count = 0;
    score[static_cast<std::size_t>(q)] = comb(blocks, q, count);
    if (count < kLeastCount) score[static_cast<std::size_t>(q)] = 0;
    best = std::max(best, score[static_cast<std::size_t>(q)]);
  }
  if (best < kLeastComb) return std::nullopt;
  // Multiples of a step are multiples of its half too: of the qualities that fit as well, the coarsest is the true one.
  for (int q = 10; q <= 94; ++q)
    if (score[static_cast<std::size_t>(q)] >= kNearBest * best) return q;
  return std::nullopt;
}

}  // namespace simulacra::calibrate
