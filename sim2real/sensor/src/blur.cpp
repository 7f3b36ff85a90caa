// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/blur.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "render/base/error.h"

namespace simulacra::sensor {
namespace {

Kernel normalised(int rx, int ry, const std::vector<double>& weights) {
  double sum = 0;
  for (const double w : weights) sum += w;
  Kernel kernel{rx, ry, {}};
  for (const double w : weights) kernel.weights.push_back(static_cast<float>(w / sum));
  return kernel;
}

/// Blur disks are taken from a table with this many radii a pixel.
constexpr int kRadiiPerPixel = 4;

struct DefocusMap {
  std::vector<int> radius_idx;  ///< of each pixel, in the table
  std::vector<float> depth;     ///< infinite where there is none
  std::vector<Kernel> disks;
  int reach = 0;                ///< of the largest disk in use
};

DefocusMap defocus_map(const Plane& depth, const BlurOptions& blur, double f_number, double pitch_um) {
  DefocusMap map;
  int largest = 0;
  for (const float z : depth.f) {
    const double radius = defocus_radius_px(blur, f_number, pitch_um, static_cast<double>(z));
    map.radius_idx.push_back(static_cast<int>(std::lround(radius * kRadiiPerPixel)));
    map.depth.push_back(std::isnan(z) ? std::numeric_limits<float>::infinity() : z);
    largest = std::max(largest, map.radius_idx.back());
  }
  for (int i = 0; i <= largest; ++i) map.disks.push_back(disk_kernel(static_cast<double>(i) / kRadiiPerPixel));
  map.reach = map.disks.back().rx;
  return map;
}

float disk_weight(const Kernel& disk, int dx, int dy) {
  if (std::abs(dx) > disk.rx || std::abs(dy) > disk.ry) return 0;
  return disk.weights[static_cast<std::size_t>((dy + disk.ry) * (2 * disk.rx + 1) + dx + disk.rx)];
}

}  // namespace

Kernel gaussian_kernel(double sigma_px, bool along_y) {
  if (!(sigma_px > 0)) return {};
  const int radius = std::max(1, static_cast<int>(std::ceil(4 * sigma_px)));
  std::vector<double> weights;
  for (int i = -radius; i <= radius; ++i) weights.push_back(std::exp(-0.5 * i * i / (sigma_px * sigma_px)));
  return along_y ? normalised(0, radius, weights) : normalised(radius, 0, weights);
}

Kernel disk_kernel(double radius_px) {
  if (!(radius_px > 0)) return {};
  constexpr int kSub = 16;
  const int reach = static_cast<int>(std::ceil(radius_px - 0.5));
  if (reach <= 0) return {};
  std::vector<double> weights;
  for (int dy = -reach; dy <= reach; ++dy)
    for (int dx = -reach; dx <= reach; ++dx) {
      int covered = 0;
      for (int j = 0; j < kSub; ++j)
        for (int i = 0; i < kSub; ++i)
          covered += std::hypot(dx + (i + 0.5) / kSub - 0.5, dy + (j + 0.5) / kSub - 0.5) <= radius_px;
      weights.push_back(covered);
    }
  return normalised(reach, reach, weights);
}

Kernel line_kernel(double length_px, double angle_deg) {
  if (!(length_px > 0)) return {};
  const double angle = angle_deg * std::numbers::pi / 180;
  const double x = 0.5 * length_px * std::cos(angle), y = 0.5 * length_px * std::sin(angle);
  const int rx = static_cast<int>(std::ceil(std::abs(x))) + 1, ry = static_cast<int>(std::ceil(std::abs(y))) + 1;
  const int width = 2 * rx + 1;
  std::vector<double> weights(static_cast<std::size_t>(width * (2 * ry + 1)));
  const int samples = 16 * static_cast<int>(std::ceil(length_px)) + 1;
  for (int s = 0; s < samples; ++s) {
    const double t = 2 * (s + 0.5) / samples - 1, px = rx + t * x, py = ry + t * y;
    const int c = static_cast<int>(px), r = static_cast<int>(py);
    const double fx = px - c, fy = py - r;
    const auto add = [&](int row, int column, double w) { weights[static_cast<std::size_t>(row * width + column)] += w; };
    add(r, c, (1 - fx) * (1 - fy)), add(r, c + 1, fx * (1 - fy)), add(r + 1, c, (1 - fx) * fy), add(r + 1, c + 1, fx * fy);
  }
  return normalised(rx, ry, weights);
}

Plane convolve(const Plane& image, const Kernel& kernel, const ParallelFor& parallel) {
  if (kernel.weights.size() == 1) return image;
  Plane out{image.width, image.height, image.channels, std::vector<float>(image.f.size()), {}};
  parallel(static_cast<std::size_t>(image.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < image.width; ++column)
      for (int channel = 0; channel < image.channels; ++channel) {
        float sum = 0;
        const float* weight = kernel.weights.data();
        for (int dy = -kernel.ry; dy <= kernel.ry; ++dy)
          for (int dx = -kernel.rx; dx <= kernel.rx; ++dx)
            sum += *weight++ * image.f[image.at(std::clamp(row + dy, 0, image.height - 1), std::clamp(column + dx, 0, image.width - 1), channel)];
        out.f[out.at(row, column, channel)] = sum;
      }
  });
  return out;
}

double defocus_radius_px(const BlurOptions& blur, double f_number, double pitch_um, double depth_m) {
  const double focal = blur.focal_length_mm * 1e-3, focus = blur.focus_distance_m;
  if (!(focus > focal)) return 0;
  const double share = std::isfinite(depth_m) ? std::abs(depth_m - focus) / std::max(depth_m, 1e-6) : 1;
  return std::min(blur.max_radius_px, 0.5 * focal / f_number * focal / (focus - focal) * share / (pitch_um * 1e-6));
}

Plane defocus_by_depth(const Plane& color, const Plane& depth, const BlurOptions& blur, double f_number, double pitch_um,
                       const ParallelFor& parallel) {
  SIM_CHECK(depth.channels == 1 && depth.width == color.width && depth.height == color.height);
  const DefocusMap map = defocus_map(depth, blur, f_number, pitch_um);
  if (map.reach == 0) return color;
  Plane out{color.width, color.height, color.channels, std::vector<float>(color.f.size()), {}};
  parallel(static_cast<std::size_t>(color.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < color.width; ++column) {
      const std::size_t here = depth.at(row, column);
      std::vector<float> sum(static_cast<std::size_t>(color.channels));
      float total = 0;
      for (int dy = -map.reach; dy <= map.reach; ++dy)
        for (int dx = -map.reach; dx <= map.reach; ++dx) {
          const int rr = std::clamp(row + dy, 0, color.height - 1), cc = std::clamp(column + dx, 0, color.width - 1);
          const std::size_t there = depth.at(rr, cc);
          const bool behind = map.depth[there] > map.depth[here];
          const int idx = behind ? std::min(map.radius_idx[there], map.radius_idx[here]) : map.radius_idx[there];
          const float w = disk_weight(map.disks[static_cast<std::size_t>(idx)], dx, dy);
          if (w == 0) continue;
          total += w;
          for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += w * color.f[color.at(rr, cc, static_cast<int>(k))];
        }
      for (std::size_t k = 0; k < sum.size(); ++k) out.f[out.at(row, column, static_cast<int>(k))] = sum[k] / total;
    }
  });
  return out;
}

}  // namespace simulacra::sensor
