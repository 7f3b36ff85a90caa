// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/features.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/base/error.h"
#include "sim2real/gap/color.h"
#include "sim2real/gap/images.h"
#include "sim2real/gap/noise.h"
#include "sim2real/gap/spectrum.h"

namespace simulacra::gap {
namespace {

constexpr int kBands = 5;
constexpr double kRounding = 1.0 / 1024;   // below 8 bits' steps nothing is told apart

struct Shape {
  double mean = 0, deviation = 0, skewness = 0;
};

template <typename ValueOf>
Shape shape_of(std::size_t count, const ValueOf& value) {
  Shape s;
  const auto n = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) s.mean += value(i) / n;
  double second = 0, third = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double d = value(i) - s.mean;
    second += d * d / n, third += d * d * d / n;
  }
  s.deviation = std::sqrt(second);
  s.skewness = second > 1e-12 ? third / (second * s.deviation) : 0;
  return s;
}

void add_color(const Plane& image, std::vector<double>& f) {
  const auto v = [&](std::size_t i, std::size_t k) { return static_cast<double>(image.f[3 * i + k]); };
  const Shape red_green = shape_of(image.f.size() / 3, [&](std::size_t i) { return v(i, 0) - v(i, 1); });
  const Shape blue_yellow = shape_of(image.f.size() / 3, [&](std::size_t i) { return v(i, 2) - 0.5 * (v(i, 0) + v(i, 1)); });
  f.insert(f.end(), {red_green.mean, red_green.deviation, blue_yellow.mean, blue_yellow.deviation});
}

/// Median over the picture's bins, in octaves.
double noise_octaves(const Plane& image) {
  const Noise noise = measure_noise({&image, 1}, {.bins = 8, .least_pixels = 20});
  std::vector<double> sigmas;
  for (const NoiseBin& b : noise.bins) sigmas.push_back(b.sigma);
  std::ranges::sort(sigmas);
  return std::log2(kRounding + (sigmas.empty() ? 0.0 : sigmas[sigmas.size() / 2]));
}

/// Powers of octaves below half a cycle per pixel: 1/4 .. 1/2, 1/8 .. 1/4 and so on.
void add_bands(const Plane& image, std::vector<double>& f) {
  const Spectrum s = measure_spectrum({&image, 1}, tile_size({&image, 1}));
  double top = 0.5;
  for (int band = 0; band < kBands; ++band, top /= 2) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < s.power.size(); ++i)
      if (s.frequency[i] <= top && s.frequency[i] > top / 2) sum += s.power[i], count += 1;
    f.push_back(std::log10(1e-7 + (count > 0 ? sum / count : 0)));
  }
}

void add_edges(const Plane& image, std::vector<double>& f) {
  const Edges e = measure_edges({&image, 1});
  const double step = kGradientOctaves / static_cast<double>(e.gradients.size());
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < e.gradients.size(); ++i) {
    const double octave = -kGradientOctaves + (static_cast<double>(i) + 0.5) * step;
    mean += e.gradients[i] * octave, square += e.gradients[i] * octave * octave;
  }
  f.insert(f.end(), {mean, std::sqrt(std::max(0.0, square - mean * mean)), std::log2(kRounding + e.sharpness), e.strong, e.gradients.front()});
}

}  // namespace

FeatureMap hand_made_features() {
  return {"hand-made", [](const Plane& image) {
            const Plane y = luma(image);
            const Shape s = shape_of(y.f.size(), [&](std::size_t i) { return static_cast<double>(y.f[i]); });
            std::vector<double> f = {s.mean, s.deviation, s.skewness};
            if (image.channels == 3) add_color(image, f);
            f.push_back(noise_octaves(image));
            add_bands(image, f);
            add_edges(image, f);
            return f;
          }};
}

std::vector<std::string> hand_made_names(int channels) {
  std::vector<std::string> names = {"luma mean", "luma deviation", "luma skewness"};
  if (channels == 3) names.insert(names.end(), {"red-green mean", "red-green deviation", "blue-yellow mean", "blue-yellow deviation"});
  names.push_back("noise");
  for (int band = 0; band < kBands; ++band) names.push_back("power below 1/" + std::to_string(2 << band) + " cycles per pixel");
  names.insert(names.end(), {"gradient mean", "gradient deviation", "sharpness", "strong edges", "no gradient"});
  return names;
}

dense::Matrix features_of(std::span<const Plane> images, const FeatureMap& map, const ParallelFor& parallel) {
  std::vector<std::vector<double>> rows(images.size());
  parallel(images.size(), [&](std::size_t i) { rows[i] = map.of(images[i]); });
  dense::Matrix m;
  m.rows = rows.size(), m.columns = rows.empty() ? 0 : rows.front().size();
  for (const auto& row : rows) {
    if (row.size() != m.columns) fail("{} features: vectors of {} and {} numbers", map.name, m.columns, row.size());
    if (!std::ranges::all_of(row, [](double v) { return std::isfinite(v); })) fail("{} features: not finite", map.name);
    m.values.insert(m.values.end(), row.begin(), row.end());
  }
  return m;
}

}  // namespace simulacra::gap
