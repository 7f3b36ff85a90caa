// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/spectrum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "render/base/error.h"
#include "sim2real/gap/images.h"

namespace simulacra::gap {
namespace {

using Complex = std::complex<double>;

std::vector<double> hann(std::size_t n) {
  std::vector<double> w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  return w;
}

void fft_2d(std::vector<Complex>& values, std::size_t n) {
  for (std::size_t r = 0; r < n; ++r) fft(std::span(values).subspan(r * n, n));
  std::vector<Complex> column(n);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t r = 0; r < n; ++r) column[r] = values[r * n + c];
    fft(column);
    for (std::size_t r = 0; r < n; ++r) values[r * n + c] = column[r];
  }
}

std::vector<Complex> windowed_tile(const Plane& y, std::size_t top, std::size_t left, std::span<const double> window) {
  const std::size_t n = window.size(), width = static_cast<std::size_t>(y.width);
  double mean = 0;
  for (std::size_t i = 0; i < n * n; ++i) mean += static_cast<double>(y.f[(top + i / n) * width + left + i % n]);
  mean /= static_cast<double>(n * n);
  std::vector<Complex> tile(n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    tile[i] = (static_cast<double>(y.f[(top + i / n) * width + left + i % n]) - mean) * window[i / n] * window[i % n];
  return tile;
}

/// Adds the mean power of each ring; ring k holds radii that round to k.
void add_rings(const std::vector<Complex>& transform, std::size_t n, double scale, std::vector<double>& rings) {
  std::vector<double> sum(n / 2 + 1), count(n / 2 + 1);
  const auto signed_of = [n](std::size_t k) { return static_cast<double>(k) - (k >= n / 2 ? static_cast<double>(n) : 0.0); };
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      const auto ring = static_cast<std::size_t>(std::lround(std::hypot(signed_of(r), signed_of(c))));
      if (ring < 1 || ring > n / 2) continue;
      sum[ring] += std::norm(transform[r * n + c]) * scale, count[ring] += 1;
    }
  for (std::size_t k = 1; k <= n / 2; ++k) rings[k - 1] += sum[k] / count[k];
}

/// Ring powers of one picture, mean over its tiles.
std::vector<double> rings_of(const Plane& image, std::span<const double> window) {
  const std::size_t n = window.size();
  double energy = 0;
  for (const double w : window) energy += w * w;
  const Plane y = luma(image);
  std::vector<double> rings(n / 2);
  const std::size_t down = static_cast<std::size_t>(y.height) / n, across = static_cast<std::size_t>(y.width) / n;
  for (std::size_t tile = 0; tile < down * across; ++tile) {
    std::vector<Complex> values = windowed_tile(y, tile / across * n, tile % across * n, window);
    fft_2d(values, n);
    add_rings(values, n, 1 / (energy * energy), rings);
  }
  for (double& v : rings) v /= static_cast<double>(down * across);
  return rings;
}

double slope_of(const Spectrum& s) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < s.power.size(); ++i) {
    if (s.frequency[i] < 0.03 || s.frequency[i] > 0.35) continue;
    const double x = std::log(s.frequency[i]), y = std::log(std::max(s.power[i], 1e-12));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

void fft(std::span<Complex> v) {
  const std::size_t n = v.size();
  SIM_CHECK(std::has_single_bit(n));
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(v[i], v[j]);
  }
  std::vector<Complex> roots(n / 2);
  for (std::size_t k = 0; k < n / 2; ++k) roots[k] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (std::size_t half = 1; half < n; half *= 2)
    for (std::size_t start = 0; start < n; start += 2 * half)
      for (std::size_t k = 0; k < half; ++k) {
        const Complex even = v[start + k], odd = v[start + k + half] * roots[k * (n / (2 * half))];
        v[start + k] = even + odd, v[start + k + half] = even - odd;
      }
}

int tile_size(std::span<const Plane> images) {
  int side = 256;
  for (const Plane& image : images) side = std::min({side, image.width, image.height});
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1, side))));
}

Spectrum measure_spectrum(std::span<const Plane> images, int size, const ParallelFor& parallel) {
  const auto n = static_cast<std::size_t>(size);
  SIM_CHECK(std::has_single_bit(n) && !images.empty());
  const std::vector<double> window = hann(n);
  std::vector<std::vector<double>> rings(images.size());
  parallel(images.size(), [&](std::size_t i) { rings[i] = rings_of(images[i], window); });
  Spectrum s;
  for (std::size_t k = 1; k <= n / 2; ++k) {
    double sum = 0;
    for (const auto& r : rings) sum += r[k - 1];
    s.frequency.push_back(static_cast<double>(k) / size), s.power.push_back(sum / static_cast<double>(images.size()));
  }
  s.slope = slope_of(s);
  return s;
}

double spectrum_distance(const Spectrum& a, const Spectrum& b) {
  if (a.power.size() != b.power.size()) fail("spectra of {} and {} rings cannot be compared", a.power.size(), b.power.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.power.size(); ++i) {
    const double d = 10 * std::log10(std::max(a.power[i], 1e-12) / std::max(b.power[i], 1e-12));
    sum += d * d;
  }
  return std::sqrt(sum / static_cast<double>(a.power.size()));
}

}  // namespace simulacra::gap
