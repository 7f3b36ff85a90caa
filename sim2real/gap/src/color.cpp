// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/color.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/base/error.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/images.h"

namespace simulacra::gap {
namespace {

constexpr std::size_t kValueBins = 64, kChromaBins = 32, kGradientBins = 48;
constexpr double kDark = 0.05;

std::size_t bin_of(double share, std::size_t bins) {
  return static_cast<std::size_t>(std::clamp(share * static_cast<double>(bins), 0.0, static_cast<double>(bins) - 1));
}

void normalise(Histogram& h) {
  double sum = 0;
  for (const double v : h) sum += v;
  if (sum > 0)
    for (double& v : h) v /= sum;
}

void add_chromaticity(Histogram& h, const float* rgb) {
  const double r = static_cast<double>(rgb[0]), g = static_cast<double>(rgb[1]), sum = r + g + static_cast<double>(rgb[2]);
  if (sum > 3 * kDark) h[bin_of(r / sum, kChromaBins) * kChromaBins + bin_of(g / sum, kChromaBins)] += 1;
}

/// Moments of what was added: sums of x and x x^T about 1/2, where display values lie.
struct Sums {
  double n = 0;
  std::array<double, 3> x{};
  std::array<double, 9> xx{};
  void add(const float* pixel, std::size_t channels) {
    n += 1;
    for (std::size_t i = 0; i < channels; ++i) {
      const double a = static_cast<double>(pixel[i]) - 0.5;
      x[i] += a;
      for (std::size_t j = 0; j <= i; ++j) xx[3 * i + j] += a * (static_cast<double>(pixel[j]) - 0.5);
    }
  }
};

void set_moments(Colors& colors, const Sums& s, std::size_t channels) {
  colors.covariance = dense::Matrix(channels, channels);
  for (std::size_t i = 0; i < channels; ++i) {
    colors.mean.push_back(0.5 + s.x[i] / s.n);
    for (std::size_t j = 0; j <= i; ++j)
      colors.covariance(i, j) = colors.covariance(j, i) = s.xx[3 * i + j] / s.n - s.x[i] / s.n * s.x[j] / s.n;
  }
}

}  // namespace

double total_variation(std::span<const double> p, std::span<const double> q) {
  SIM_CHECK(p.size() == q.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return sum / 2;
}

double wasserstein_1(std::span<const double> p, std::span<const double> q, double length) {
  SIM_CHECK(p.size() == q.size() && !p.empty());
  double sum = 0, difference = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(difference += p[i] - q[i]);
  return sum * length / static_cast<double>(p.size());
}

Colors measure_colors(std::span<const Plane> images) {
  SIM_CHECK(!images.empty());
  const auto channels = static_cast<std::size_t>(images.front().channels);
  Colors colors;
  colors.channels.assign(channels, Histogram(kValueBins));
  if (channels == 3) colors.chromaticity.resize(kChromaBins * kChromaBins);
  Sums sums;
  for (const Plane& image : images)
    for (std::size_t i = 0; i < image.f.size(); i += channels) {
      const float* pixel = image.f.data() + i;
      for (std::size_t k = 0; k < channels; ++k) colors.channels[k][bin_of(static_cast<double>(pixel[k]), kValueBins)] += 1;
      if (channels == 3) add_chromaticity(colors.chromaticity, pixel);
      sums.add(pixel, channels);
    }
  for (Histogram& h : colors.channels) normalise(h);
  normalise(colors.chromaticity);
  set_moments(colors, sums, channels);
  return colors;
}

ColorDistance color_distance(const Colors& a, const Colors& b) {
  SIM_CHECK(a.channels.size() == b.channels.size());
  ColorDistance d;
  for (std::size_t k = 0; k < a.channels.size(); ++k)
    d.histogram += wasserstein_1(a.channels[k], b.channels[k], 1) / static_cast<double>(a.channels.size());
  d.chromaticity = total_variation(a.chromaticity, b.chromaticity);
  d.frechet = frechet_distance({a.mean, a.covariance}, {b.mean, b.covariance});
  return d;
}

Edges measure_edges(std::span<const Plane> images) {
  Edges edges{Histogram(kGradientBins)};
  double laplacians = 0, gradients = 0, pixels = 0, strong = 0;
  for (const Plane& image : images) {
    const Plane y = luma(image);
    const auto v = [&y](int r, int c) { return static_cast<double>(y.f[y.at(r, c)]); };
    for (int r = 1; r + 1 < y.height; ++r)
      for (int c = 1; c + 1 < y.width; ++c) {
        const double gx = (v(r, c + 1) - v(r, c - 1)) / 2, gy = (v(r + 1, c) - v(r - 1, c)) / 2;
        const double laplacian = v(r, c + 1) + v(r, c - 1) + v(r + 1, c) + v(r - 1, c) - 4 * v(r, c);
        const double square = gx * gx + gy * gy;
        const double octave = square > 0 ? 0.5 * std::log2(square) : -kGradientOctaves;
        edges.gradients[bin_of(1 + octave / kGradientOctaves, kGradientBins)] += 1;
        laplacians += laplacian * laplacian, gradients += square, pixels += 1;
        strong += square > 1.0 / 256 ? 1 : 0;
      }
  }
  normalise(edges.gradients);
  edges.sharpness = gradients > 0 ? laplacians / gradients : 0;
  edges.strong = pixels > 0 ? strong / pixels : 0;
  return edges;
}

double edge_distance(const Edges& a, const Edges& b) { return wasserstein_1(a.gradients, b.gradients, kGradientOctaves); }

}  // namespace simulacra::gap
