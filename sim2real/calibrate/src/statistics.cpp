// SPDX-License-Identifier: Apache-2.0
#include "sim2real/calibrate/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "render/base/error.h"
#include "sim2real/gap/spectrum.h"

namespace simulacra::calibrate {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// Where the sums of each trace begin.
constexpr std::size_t kLevels = 64;                       // of display values
constexpr std::size_t kNoiseBins = 6, kNoiseLevels = 48;  // intensities, and octave quarters of |residual|
constexpr std::size_t kTile = 32, kBands = 7;
constexpr std::size_t kSlopes = 48;                       // quarters of an octave of |gradient|
constexpr std::size_t kRings = 6;
constexpr std::size_t kTone = 0, kNoise = kTone + 3 * kLevels, kSpectrum = kNoise + 2 * kNoiseBins * kNoiseLevels,
                      kEdges = kSpectrum + 2 * kBands + 1, kShading = kEdges + kSlopes, kLens = kShading + 4 * kRings, kBlocks = kLens + 7,
                      kAll = kBlocks + 8;

constexpr std::array kQuantiles = {0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95};
constexpr std::array kSlopeQuantiles = {0.25, 0.5, 0.75, 0.9, 0.97};
constexpr std::size_t kTonePerChannel = kQuantiles.size(), kNoiseRows = 2 * kNoiseBins, kSpectrumRows = 2 * kBands;

constexpr std::size_t kRows = 3 * kTonePerChannel + kNoiseRows + kSpectrumRows + kSlopeQuantiles.size() + 3 * (kRings - 1) + 2 + 2;

std::array<StatisticRow, kRows> make_rows() {
  std::array<StatisticRow, kRows> rows{};
  std::size_t i = 0;
  const auto add = [&](std::size_t count, Trace trace, double floor) {
    for (std::size_t k = 0; k < count; ++k) rows[i++] = {trace, floor};
  };
  add(3 * kTonePerChannel, Trace::tone, 0.01);
  add(kNoiseRows, Trace::noise, 0.1);
  add(kSpectrumRows, Trace::spectrum, 0.05);
  add(kSlopeQuantiles.size(), Trace::edges, 0.1);
  add(3 * (kRings - 1), Trace::shading, 0.01);
  add(2, Trace::aberration, 0.02);
  add(2, Trace::blocks, 0.02);
  SIM_CHECK(i == kRows);
  return rows;
}

/// One channel, row major.
struct Gray {
  int width = 0, height = 0;
  std::vector<double> v;
  double operator()(int r, int c) const { return v[static_cast<std::size_t>(r) * static_cast<std::size_t>(width) + static_cast<std::size_t>(c)]; }
};

Gray mixed(const Plane& image, double r, double g, double b) {
  Gray out{image.width, image.height, std::vector<double>(image.f.size() / 3)};
  for (std::size_t p = 0; p < out.v.size(); ++p)
    out.v[p] = r * static_cast<double>(image.f[3 * p]) + g * static_cast<double>(image.f[3 * p + 1]) + b * static_cast<double>(image.f[3 * p + 2]);
  return out;
}

void add_tone(const Plane& image, Sums& s) {
  for (std::size_t k = 0; k < image.f.size(); ++k) {
    const auto level = static_cast<std::size_t>(std::clamp(static_cast<double>(image.f[k]) * kLevels, 0.0, kLevels - 1.0));
    s[kTone + k % 3 * kLevels + level] += 1;
  }
}

double slope_at(const Gray& g, int r, int c) { return std::hypot(g(r, c + 1) - g(r, c - 1), g(r + 1, c) - g(r - 1, c)) / 2; }

/// Quarter octaves of a magnitude, from 2^-12.
std::size_t quarter(double magnitude, std::size_t count) {
  return static_cast<std::size_t>(std::clamp(4 * (12 + std::log2(std::max(magnitude, 1e-9))), 0.0, static_cast<double>(count - 1)));
}

/// The mask (1 -2 1) x (1 -2 1) / 6 of Immerkaer 1996, which keeps the variance of white noise and no surface of second order.
double residual_at(const Gray& g, int r, int c) {
  const auto row = [&](int y) { return g(y, c - 1) - 2 * g(y, c) + g(y, c + 1); };
  return (row(r - 1) - 2 * row(r) + row(r + 1)) / 6;
}

void add_noise(const Gray& luma, const Gray& of, std::size_t which, double most_slope, Sums& s) {
  for (int r = 1; r + 1 < luma.height; ++r)
    for (int c = 1; c + 1 < luma.width; ++c) {
      if (slope_at(luma, r, c) > most_slope) continue;
      const double mean = (luma(r, c) + luma(r - 1, c) + luma(r + 1, c) + luma(r, c - 1) + luma(r, c + 1)) / 5;
      if (mean < 0.04 || mean > 0.94) continue;
      const auto bin = static_cast<std::size_t>((mean - 0.04) / 0.9 * kNoiseBins);
      s[kNoise + (which * kNoiseBins + std::min(bin, kNoiseBins - 1)) * kNoiseLevels + quarter(std::abs(residual_at(of, r, c)), kNoiseLevels)] += 1;
    }
}

void add_edges(const Gray& luma, Sums& s, double& most_slope) {
  std::vector<double> slopes;
  for (int r = 1; r + 1 < luma.height; ++r)
    for (int c = 1; c + 1 < luma.width; ++c) {
      slopes.push_back(slope_at(luma, r, c));
      s[kEdges + quarter(slopes.back(), kSlopes)] += 1;
    }
  const auto smooth = slopes.begin() + static_cast<std::ptrdiff_t>(0.35 * static_cast<double>(slopes.size()));
  std::ranges::nth_element(slopes, smooth);
  most_slope = *smooth;
}

void add_spectrum(const Gray& g, std::size_t which, Sums& s) {
  Plane plane{g.width, g.height, 1, {}, {}};
  for (const double v : g.v) plane.f.push_back(static_cast<float>(v));
  const gap::Spectrum spectrum = gap::measure_spectrum(std::span(&plane, 1), kTile);
  // Bands a third of the rings wide at low frequencies, wider above: edges in cycles per pixel.
  constexpr std::array<double, kBands + 1> kEdgesOfBands = {0.02, 0.05, 0.09, 0.14, 0.21, 0.3, 0.4, 0.51};
  const double tiles = static_cast<double>((g.width / static_cast<int>(kTile)) * (g.height / static_cast<int>(kTile)));
  for (std::size_t b = 0; b < kBands; ++b) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < spectrum.frequency.size(); ++i)
      if (spectrum.frequency[i] >= kEdgesOfBands[b] && spectrum.frequency[i] < kEdgesOfBands[b + 1]) sum += spectrum.power[i], ++count;
    if (count > 0) s[kSpectrum + which * kBands + b] += tiles * sum / count;
  }
  if (which == 0) s[kSpectrum + 2 * kBands] += tiles;
}

/// Radius over that of the corner.
double radius_at(int width, int height, int r, int c, double& x, double& y) {
  x = c + 0.5 - 0.5 * width, y = r + 0.5 - 0.5 * height;
  return std::hypot(x, y) / std::hypot(0.5 * width, 0.5 * height);
}

void add_shading(const Plane& image, Sums& s) {
  for (int r = 0; r < image.height; ++r)
    for (int c = 0; c < image.width; ++c) {
      double x = 0, y = 0;
      const double rho = radius_at(image.width, image.height, r, c, x, y);
      const auto ring = std::min(static_cast<std::size_t>(rho * rho * kRings), kRings - 1);   // of equal area, up to the frame's shape
      for (int k = 0; k < 3; ++k)
        s[kShading + static_cast<std::size_t>(k) * kRings + ring] += std::pow(static_cast<double>(image.f[image.at(r, c, k)]), 2.2);
      s[kShading + 3 * kRings + ring] += 1;
    }
}

/// Means over (2 reach + 1)^2 pixels; the border is repeated.
Gray box(const Gray& g, int reach) {
  const auto along = [&](const Gray& in, int dr, int dc) {
    Gray out = in;
    for (int r = 0; r < in.height; ++r)
      for (int c = 0; c < in.width; ++c) {
        double sum = 0;
        for (int k = -reach; k <= reach; ++k) sum += in(std::clamp(r + k * dr, 0, in.height - 1), std::clamp(c + k * dc, 0, in.width - 1));
        out.v[static_cast<std::size_t>(r) * static_cast<std::size_t>(in.width) + static_cast<std::size_t>(c)] = sum / (2 * reach + 1);
      }
    return out;
  };
  return along(along(g, 0, 1), 1, 0);
}

/// Structure of two to ten pixels: below, there is noise, and JPEG keeps no color.
Gray details(const Gray& g) {
  const Gray fine = box(g, 1), coarse = box(g, 5);
  Gray out = fine;
  for (std::size_t p = 0; p < out.v.size(); ++p) out.v[p] -= coarse.v[p];
  return out;
}

/// Normal equations of red and blue details as a g - c rho dg/dr: c is by how many px at the corner they lie outside green.
void add_lens(const Plane& image, Sums& s) {
  const Gray red = details(mixed(image, 1, 0, 0)), green = details(mixed(image, 0, 1, 0)), blue = details(mixed(image, 0, 0, 1));
  for (int r = 3; r + 3 < image.height; ++r)
    for (int c = 3; c + 3 < image.width; ++c) {
      double x = 0, y = 0;
      const double rho = radius_at(image.width, image.height, r, c, x, y), away = std::hypot(x, y) + 1e-9;
      const double slope = (x * (green(r, c + 1) - green(r, c - 1)) + y * (green(r + 1, c) - green(r - 1, c))) / (2 * away);
      const double g = green(r, c), d = -rho * slope;
      const std::array<double, 7> terms = {g * g, g * d, d * d, red(r, c) * g, red(r, c) * d, blue(r, c) * g, blue(r, c) * d};
      for (std::size_t k = 0; k < terms.size(); ++k) s[kLens + k] += terms[k];
    }
}

/// The column (or row) modulo 8 at which blocks begin is where differences are largest, so pictures may be cut out of others.
void add_blocks(const Gray& g, Sums& s) {
  for (int axis = 0; axis < 2; ++axis) {
    std::array<double, 8> sum{}, count{};
    for (int r = axis; r < g.height; ++r)
      for (int c = 1 - axis; c < g.width; ++c) {
        const double step = std::abs(g(r, c) - (axis == 0 ? g(r, c - 1) : g(r - 1, c)));
        const auto phase = static_cast<std::size_t>(axis == 0 ? c : r) % 8;
        sum[phase] += std::min(step, 0.06), ++count[phase];   // large steps are edges of things
      }
    std::size_t most = 0;
    for (std::size_t k = 1; k < 8; ++k)
      if (sum[k] / std::max(count[k], 1.0) > sum[most] / std::max(count[most], 1.0)) most = k;
    const std::size_t at = kBlocks + 4 * static_cast<std::size_t>(axis);
    for (std::size_t k = 0; k < 8; ++k) s[at + (k == most ? 0 : 2)] += sum[k], s[at + (k == most ? 1 : 3)] += count[k];
  }
}

/// Position in bins of the quantile; NaN for an empty histogram.
double quantile(std::span<const double> histogram, double q) {
  double all = 0, below = 0;
  for (const double n : histogram) all += n;
  if (!(all > 0)) return kMissing;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    if (below + histogram[i] >= q * all && histogram[i] > 0) return static_cast<double>(i) + (q * all - below) / histogram[i];
    below += histogram[i];
  }
  return static_cast<double>(histogram.size());
}

/// log2 of a robust deviation: the median of |residual| in octaves.
double noise_value(std::span<const double> histogram) {
  constexpr double kLeast = 150;
  double all = 0;
  for (const double n : histogram) all += n;
  return all < kLeast ? kMissing : quantile(histogram, 0.5) / 4 - 12;
}

double log_ratio(double a, double b, double c, double d) { return a > 0 && b > 0 && c > 0 && d > 0 ? std::log(a / b / (c / d)) : kMissing; }

/// c of add_lens().
double aberration(std::span<const double> s, std::size_t channel) {
  const double gg = s[kLens], gd = s[kLens + 1], dd = s[kLens + 2], cg = s[kLens + 3 + 2 * channel], cd = s[kLens + 4 + 2 * channel];
  const double determinant = gg * dd - gd * gd;
  if (!(determinant > 1e-12 * gg * dd) || gg <= 0) return kMissing;
  const double a = (cg * dd - cd * gd) / determinant, ac = (cd * gg - cg * gd) / determinant;
  return a > 0.05 ? ac / a : kMissing;
}

std::vector<double> values_of(const Sums& s) {
  std::vector<double> out;
  const auto part = [&](std::size_t at, std::size_t count) { return std::span(s).subspan(at, count); };
  for (std::size_t k = 0; k < 3; ++k)
    for (const double q : kQuantiles) out.push_back(quantile(part(kTone + k * kLevels, kLevels), q) / kLevels);
  for (std::size_t b = 0; b < 2 * kNoiseBins; ++b) out.push_back(noise_value(part(kNoise + b * kNoiseLevels, kNoiseLevels)));
  const double tiles = s[kSpectrum + 2 * kBands];
  for (std::size_t b = 0; b < 2 * kBands; ++b) out.push_back(tiles > 0 ? std::log10(std::max(s[kSpectrum + b] / tiles, 1e-12)) : kMissing);
  for (const double q : kSlopeQuantiles) out.push_back(quantile(part(kEdges, kSlopes), q) / 4 - 12);
  const auto pixels = part(kShading + 3 * kRings, kRings);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto light = part(kShading + k * kRings, kRings);
    for (std::size_t ring = 1; ring < kRings; ++ring) out.push_back(log_ratio(light[ring], pixels[ring], light[0], pixels[0]));
  }
  for (std::size_t k = 0; k < 2; ++k) out.push_back(aberration(s, k));
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto b = part(kBlocks + 4 * axis, 4);
    out.push_back(log_ratio(b[0], b[1], b[2], b[3]));
  }
  SIM_CHECK(out.size() == kRows);
  return out;
}

Sums total(std::span<const Sums> pictures) {
  Sums sum(kAll);
  for (const Sums& s : pictures)
    for (std::size_t k = 0; k < kAll; ++k) sum[k] += s[k];
  return sum;
}

}  // namespace

std::span<const StatisticRow> statistic_rows() {
  static const auto rows = make_rows();
  return rows;
}

double spread_of(std::size_t row, double real_variance, double synthetic_variance) {
  const double floor = statistic_rows()[row].floor;
  return std::sqrt(real_variance + synthetic_variance + floor * floor);
}

std::string_view name_of(Trace trace) {
  switch (trace) {
    case Trace::tone: return "tone";
    case Trace::noise: return "noise";
    case Trace::spectrum: return "spectrum";
    case Trace::edges: return "edges";
    case Trace::shading: return "shading";
    case Trace::aberration: return "aberration";
    case Trace::blocks: return "blocks";
  }
  return "";
}

Sums sums_of(const Plane& image) {
  SIM_CHECK(image.channels == 3 && image.width >= static_cast<int>(kTile) && image.height >= static_cast<int>(kTile));
  Sums s(kAll);
  const Gray luma = mixed(image, 0.2126, 0.7152, 0.0722), chroma = mixed(image, 1, -1, 0);
  double most_slope = 0;
  add_tone(image, s);
  add_edges(luma, s, most_slope);
  add_noise(luma, luma, 0, most_slope, s);
  add_noise(luma, chroma, 1, most_slope, s);
  add_spectrum(luma, 0, s);
  add_spectrum(chroma, 1, s);
  add_shading(image, s);
  add_lens(image, s);
  add_blocks(luma, s);
  return s;
}

std::vector<double> statistics_of(std::span<const Sums> pictures) { return values_of(total(pictures)); }

Measured measure(std::span<const Sums> pictures) {
  const Sums all = total(pictures);
  Measured m{values_of(all), std::vector<double>(kRows, kMissing), {}};
  const auto n = static_cast<double>(pictures.size());
  if (n < 2) return m;
  std::vector<std::vector<double>> without;
  std::vector<double> mean(kRows);
  for (const Sums& s : pictures) {
    Sums rest = all;
    for (std::size_t k = 0; k < kAll; ++k) rest[k] -= s[k];
    without.push_back(values_of(rest));
    for (std::size_t k = 0; k < kRows; ++k) mean[k] += without.back()[k] / n;
  }
  m.covariance.assign(kRows * kRows, kMissing);
  for (std::size_t k = 0; k < kRows; ++k)
    for (std::size_t l = k; l < kRows; ++l) {
      double sum = 0;
      for (const std::vector<double>& v : without) sum += (v[k] - mean[k]) * (v[l] - mean[l]);
      m.covariance[k * kRows + l] = m.covariance[l * kRows + k] = (n - 1) / n * sum;
    }
  for (std::size_t k = 0; k < kRows; ++k) m.variance[k] = m.covariance[k * kRows + k];
  return m;
}

}  // namespace simulacra::calibrate
