// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace simulacra::gap {
namespace {

constexpr double kDarkest = 0.02, kBrightest = 0.95;

struct Sample {
  float mean, residual, gradient;
};

Sample sample_at(const std::array<float, 9>& v) {
  float sum = 0;
  for (const float x : v) sum += x;
  const float residual = (v[0] - 2 * v[1] + v[2] - 2 * v[3] + 4 * v[4] - 2 * v[5] + v[6] - 2 * v[7] + v[8]) / 6;
  const float gx = v[2] + 2 * v[5] + v[8] - v[0] - 2 * v[3] - v[6], gy = v[6] + 2 * v[7] + v[8] - v[0] - 2 * v[1] - v[2];
  return {sum / 9, std::abs(residual), gx * gx + gy * gy};
}

std::vector<Sample> samples_of(const Plane& image) {
  std::vector<Sample> samples;
  const int channel = image.channels == 3 ? 1 : 0;
  for (int r = 1; r + 1 < image.height; ++r)
    for (int c = 1; c + 1 < image.width; ++c) {
      std::array<float, 9> v{};
      for (int k = 0; k < 9; ++k) v[static_cast<std::size_t>(k)] = image.f[image.at(r + k / 3 - 1, c + k % 3 - 1, channel)];
      samples.push_back(sample_at(v));
    }
  return samples;
}

/// Those of the smallest gradients, in the order of the image.
void keep_smooth(std::vector<Sample>& samples, double share) {
  if (samples.empty()) return;
  std::vector<float> gradients;
  for (const Sample& s : samples) gradients.push_back(s.gradient);
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(gradients.size() - 1));
  std::nth_element(gradients.begin(), gradients.begin() + rank, gradients.end());
  const float limit = gradients[static_cast<std::size_t>(rank)];
  std::erase_if(samples, [limit](const Sample& s) { return s.gradient > limit; });
}

/// Deviation of normal values from the mean of the lowest 60 % of their magnitudes: robust as a median is, but it does not move
/// in steps where values are equal.
double robust_deviation(std::vector<float>& magnitudes) {
  // Of n normal values these sum to n times 2 (phi(0) - phi(z)), z = 0.8416 the quantile of the magnitude.
  constexpr double kShare = 0.6, kOfNormal = 0.23796071998724888;
  const double wanted = kShare * static_cast<double>(magnitudes.size());
  const auto whole = static_cast<std::size_t>(wanted);
  const auto limit = magnitudes.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(magnitudes.begin(), limit, magnitudes.end());
  double sum = (wanted - static_cast<double>(whole)) * static_cast<double>(*limit);
  for (auto v = magnitudes.begin(); v != limit; ++v) sum += static_cast<double>(*v);
  return sum / (kOfNormal * static_cast<double>(magnitudes.size()));
}

double interpolated(std::span<const NoiseBin> bins, double intensity) {
  const auto above = std::ranges::lower_bound(bins, intensity, {}, &NoiseBin::intensity);
  if (above == bins.begin()) return above->sigma;
  const NoiseBin& hi = *above, &lo = *(above - 1);
  const double t = (intensity - lo.intensity) / (hi.intensity - lo.intensity);
  return lo.sigma + t * (hi.sigma - lo.sigma);
}

}  // namespace

NoiseLine fit_noise_line(std::span<const NoiseBin> bins) {
  if (bins.size() < 2) return {};
  NoiseLine line;
  double floor = 0;
  for (const NoiseBin& b : bins) floor = std::max(floor, b.sigma * b.sigma);
  floor = std::max(1e-3 * floor, 1e-14);
  for (int iteration = 0; iteration < 20; ++iteration) {
    double s = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const NoiseBin& b : bins) {
      const double variance = b.sigma * b.sigma;
      const double expected = std::max(floor, iteration == 0 ? variance : line.read_variance + line.shot * b.intensity);
      const double w = static_cast<double>(b.pixels) / (expected * expected);
      s += w, sx += w * b.intensity, sy += w * variance, sxx += w * b.intensity * b.intensity, sxy += w * b.intensity * variance;
    }
    const double determinant = s * sxx - sx * sx;
    if (!(determinant > 0)) return {};
    line = {(sxx * sy - sx * sxy) / determinant, (s * sxy - sx * sy) / determinant};
  }
  return line;
}

Noise measure_noise(std::span<const Plane> images, const NoiseOptions& options) {
  const auto count = static_cast<std::size_t>(options.bins);
  std::vector<std::vector<float>> residuals(count);
  std::vector<double> sums(count);
  double total = 0;
  for (const Plane& image : images) total += options.smooth_share * image.width * image.height;
  const auto step = static_cast<std::size_t>(std::ceil(std::max(1.0, total / static_cast<double>(options.most_pixels))));
  for (const Plane& image : images) {
    std::vector<Sample> samples = samples_of(image);
    keep_smooth(samples, options.smooth_share);
    for (std::size_t i = 0; i < samples.size(); i += step) {
      const double mean = static_cast<double>(samples[i].mean);
      if (!(mean >= kDarkest && mean < kBrightest)) continue;
      const auto bin = std::min(count - 1, static_cast<std::size_t>((mean - kDarkest) / (kBrightest - kDarkest) * options.bins));
      residuals[bin].push_back(samples[i].residual), sums[bin] += mean;
    }
  }
  Noise noise;
  for (std::size_t b = 0; b < count; ++b) {
    const std::size_t pixels = residuals[b].size();
    if (pixels < options.least_pixels) continue;
    noise.bins.push_back({sums[b] / static_cast<double>(pixels), robust_deviation(residuals[b]), pixels});
  }
  noise.line = fit_noise_line(noise.bins);
  return noise;
}

double noise_distance(const Noise& a, const Noise& b) {
  const double rounding = 1 / (255 * std::sqrt(12.0));
  double sum = 0;
  int count = 0;
  for (const NoiseBin& bin : a.bins) {
    if (b.bins.empty() || bin.intensity < b.bins.front().intensity || bin.intensity > b.bins.back().intensity) continue;
    const double octaves = std::log2((bin.sigma + rounding) / (interpolated(b.bins, bin.intensity) + rounding));
    sum += octaves * octaves, ++count;
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(sum / count);
}

}  // namespace simulacra::gap
