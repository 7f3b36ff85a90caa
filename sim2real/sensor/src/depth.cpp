// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/depth.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "render/base/error.h"
#include "sim2real/sensor/random.h"

namespace simulacra::sensor {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr double kLightSpeed = 299792458;

Plane like(const Plane& depth) { return {depth.width, depth.height, 1, std::vector<float>(depth.f.size(), kNone), {}}; }

bool bends(float before, float here, float after, double jump) {
  if (std::isnan(before) || std::isnan(after)) return true;
  return std::abs(1 / static_cast<double>(before) + 1 / static_cast<double>(after) - 2 / static_cast<double>(here)) *
             static_cast<double>(here) > jump;
}

/// Length of the ray through a pixel's center to depth 1.
double ray_length(const Plane& depth, double focal, int row, int column) {
  const double x = (column + 0.5 - 0.5 * depth.width) / focal, y = (row + 0.5 - 0.5 * depth.height) / focal;
  return std::sqrt(1 + x * x + y * y);
}

/// The sum of the returns that a pixel collects; nothing where it has no depth itself.
std::complex<double> returns_at(const Plane& depth, const TimeOfFlightOptions& o, double focal, int row, int column) {
  const double wave = 4 * std::numbers::pi * o.modulation_mhz * 1e6 / kLightSpeed;
  const double spread = 0.5 * o.mixing_radius_px;
  std::complex<double> sum = 0;
  for (int dy = -o.mixing_radius_px; dy <= o.mixing_radius_px; ++dy)
    for (int dx = -o.mixing_radius_px; dx <= o.mixing_radius_px; ++dx) {
      const int r = row + dy, c = column + dx;
      if (r < 0 || c < 0 || r >= depth.height || c >= depth.width || std::isnan(depth.f[depth.at(r, c)])) continue;
      const double distance = static_cast<double>(depth.f[depth.at(r, c)]) * ray_length(depth, focal, r, c);
      const double weight = o.mixing_radius_px > 0 ? std::exp(-0.5 * (dx * dx + dy * dy) / (spread * spread)) : 1;
      const double amplitude = weight / (distance * distance);
      sum += std::polar(amplitude, wave * distance) + std::polar(amplitude * o.multipath_share, wave * (distance + o.multipath_extra_m));
    }
  return sum;
}

void drop_edges(Plane& measured, const std::vector<std::uint8_t>& edges, double probability, std::uint64_t seed, std::uint32_t frame) {
  for (std::size_t i = 0; i < measured.f.size(); ++i)
    if (edges[i] && Stream(seed, frame, Purpose::dropout, i).uniform() < probability) measured.f[i] = kNone;
}

void limit_and_round(Plane& measured, const DepthOptions& options) {
  for (float& z : measured.f) {
    const double value = static_cast<double>(z);
    if (!(value >= options.min_m && value <= options.max_m)) {
      z = kNone;
    } else if (options.step_m > 0) {
      z = static_cast<float>(std::round(value / options.step_m) * options.step_m);
    }
  }
}

}  // namespace

double focal_px(const DepthOptions& options, int width) { return 0.5 * width / std::tan(options.fov_x_deg * std::numbers::pi / 360); }

std::vector<std::uint8_t> depth_edges(const Plane& depth, double jump) {
  std::vector<std::uint8_t> edges(depth.f.size());
  for (int row = 0; row < depth.height; ++row)
    for (int column = 0; column < depth.width; ++column) {
      const float here = depth.f[depth.at(row, column)];
      if (std::isnan(here)) continue;
      bool edge = false;
      if (column > 0 && column + 1 < depth.width)
        edge |= bends(depth.f[depth.at(row, column - 1)], here, depth.f[depth.at(row, column + 1)], jump);
      if (row > 0 && row + 1 < depth.height)
        edge |= bends(depth.f[depth.at(row - 1, column)], here, depth.f[depth.at(row + 1, column)], jump);
      edges[depth.at(row, column)] = edge;
    }
  return edges;
}

std::vector<std::uint8_t> projector_shadow(const Plane& depth, double focal, double baseline_m) {
  constexpr double kTolerancePx = 1.5;
  std::vector<std::uint8_t> shadow(depth.f.size());
  const double most = 4.0 * depth.width;  // beyond this a surface lies outside the projector's image
  const auto offset = static_cast<std::size_t>(std::ceil(most)) + 1;
  std::vector<double> nearest(offset + static_cast<std::size_t>(depth.width) + 2);
  for (int row = 0; row < depth.height; ++row) {
    std::ranges::fill(nearest, 0);
    const auto disparity = [&](int column) { return focal * baseline_m / static_cast<double>(depth.f[depth.at(row, column)]); };
    const auto bin = [&](double u) { return static_cast<std::size_t>(std::floor(u) + static_cast<double>(offset)); };
    for (int column = 0; column < depth.width; ++column) {
      const double d = disparity(column);
      if (!(d <= most)) continue;
      for (std::size_t b = bin(column - d); b <= bin(column + 1 - d); ++b) nearest[b] = std::max(nearest[b], d);
    }
    for (int column = 0; column < depth.width; ++column) {
      const double d = disparity(column);
      if (d <= most) shadow[depth.at(row, column)] = nearest[bin(column + 0.5 - d)] > d + kTolerancePx;
    }
  }
  return shadow;
}

Plane structured_light(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame, const ParallelFor& parallel) {
  const StructuredLightOptions& o = options.structured_light;
  const double triangle = focal_px(options, depth.width) * o.baseline_m;
  const std::vector<std::uint8_t> shadow =
      o.shadow ? projector_shadow(depth, focal_px(options, depth.width), o.baseline_m) : std::vector<std::uint8_t>(depth.f.size());
  Plane measured = like(depth);
  parallel(static_cast<std::size_t>(depth.height), [&](std::size_t r) {
    for (int column = 0; column < depth.width; ++column) {
      const std::size_t i = depth.at(static_cast<int>(r), column);
      if (shadow[i] || std::isnan(depth.f[i])) continue;
      Stream lateral(seed, frame, Purpose::lateral, i);
      const auto near = [&](int at, int size) {
        return std::clamp(at + static_cast<int>(std::lround(o.lateral_sigma_px * lateral.normal())), 0, size - 1);
      };
      const int seen_row = near(static_cast<int>(r), depth.height), seen_column = near(column, depth.width);
      double d = triangle / static_cast<double>(depth.f[depth.at(seen_row, seen_column)]);
      d += o.disparity_sigma_px * Stream(seed, frame, Purpose::disparity, i).normal();
      if (o.disparity_steps_per_px > 0) d = std::round(d * o.disparity_steps_per_px) / o.disparity_steps_per_px;
      if (d > 0) measured.f[i] = static_cast<float>(triangle / d);
    }
  });
  return measured;
}

Plane time_of_flight(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame, const ParallelFor& parallel) {
  const TimeOfFlightOptions& o = options.time_of_flight;
  const double focal = focal_px(options, depth.width), range = kLightSpeed / (2 * o.modulation_mhz * 1e6);
  Plane measured = like(depth);
  parallel(static_cast<std::size_t>(depth.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < depth.width; ++column) {
      const std::size_t i = depth.at(row, column);
      if (std::isnan(depth.f[i])) continue;
      const double length = ray_length(depth, focal, row, column), truth = static_cast<double>(depth.f[i]) * length;
      if (!o.wrap && truth > range) continue;
      double distance = std::arg(returns_at(depth, o, focal, row, column)) / (2 * std::numbers::pi) * range;
      distance += (o.sigma_m + o.sigma_per_m2 * truth * truth) * Stream(seed, frame, Purpose::distance, i).normal();
      distance -= range * std::floor(distance / range);
      measured.f[i] = static_cast<float>(distance / length);
    }
  });
  return measured;
}

Plane measure_depth(const Plane& depth, const DepthOptions& options, std::uint64_t seed, std::uint32_t frame, const ParallelFor& parallel) {
  if (depth.channels != 1 || depth.f.empty())
    fail("a depth sensor takes one channel of depth; this image has {} of {} x {} pixels", depth.channels, depth.width, depth.height);
  for (const float z : depth.f)
    if (z <= 0) fail("a depth of {} m: depths are positive, and NaN where there is no surface", z);
  if (options.kind == "none") return depth;
  Plane measured = options.kind == "structured_light" ? structured_light(depth, options, seed, frame, parallel)
                                                      : time_of_flight(depth, options, seed, frame, parallel);
  drop_edges(measured, depth_edges(depth, options.edge_jump), options.edge_dropout, seed, frame);
  limit_and_round(measured, options);
  return measured;
}

}  // namespace simulacra::sensor
