// SPDX-License-Identifier: Apache-2.0
#include "learning/tensors/views.h"

#include <algorithm>
#include <cmath>

#include "render/base/error.h"

namespace simulacra {
namespace {

constexpr std::size_t kCells = kViewGridRows * kViewGridColumns;

/// (u, v, 1) of a cell's center.
Vec3d uv_of(std::size_t cell) {
  const double row = static_cast<double>(cell / kViewGridColumns), column = static_cast<double>(cell % kViewGridColumns);
  return {2 * (column + 0.5) / kViewGridColumns - 1, 1 - 2 * (row + 0.5) / kViewGridRows, 1};
}

}  // namespace

double seen_share(const ViewGeometry& a, const ViewGeometry& b) {
  SIM_CHECK(a.distance.size() == kCells && b.distance.size() == kCells);
  const Affine3d b_from_a = inverse(b.world_from_cam) * a.world_from_cam;
  const Mat3d uv_from_cam = inverse(b.cam_from_uv);
  std::size_t points = 0, seen = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double distance = static_cast<double>(a.distance[cell]);
    if (!std::isfinite(distance)) continue;
    ++points;
    const Vec3d in_b = b_from_a.point(normalize(a.cam_from_uv * uv_of(cell)) * distance);
    const Vec3d uv = uv_from_cam * in_b;
    if (!(uv.z > 0) || std::abs(uv.x) >= uv.z || std::abs(uv.y) >= uv.z) continue;
    const auto column = static_cast<std::size_t>((uv.x / uv.z + 1) / 2 * kViewGridColumns);
    const auto row = static_cast<std::size_t>((1 - uv.y / uv.z) / 2 * kViewGridRows);
    const double there = static_cast<double>(b.distance[std::min(row * kViewGridColumns + column, kCells - 1)]);
    seen += length(in_b) <= there * (1 + kOcclusionTolerance);
  }
  return points == 0 ? 0 : static_cast<double>(seen) / static_cast<double>(points);
}

double view_overlap(const ViewGeometry& a, const ViewGeometry& b) { return std::min(seen_share(a, b), seen_share(b, a)); }

}  // namespace simulacra
