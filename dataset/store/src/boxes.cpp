// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "render/base/error.h"

namespace simulacra {
namespace {

double cross2(Vec2d a, Vec2d b) { return a.x * b.y - a.y * b.x; }
Vec2d turned(Vec2d a) { return {-a.y, a.x}; }

/// The rectangle around `points` with sides along `axis`.
Rectangle rectangle_along(std::span<const Vec2d> points, Vec2d axis) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Rectangle r{axis, inf, -inf, inf, -inf};
  for (const Vec2d p : points) {
    const double x = dot(p, axis), y = dot(p, turned(axis));
    r.lo_x = std::min(r.lo_x, x), r.hi_x = std::max(r.hi_x, x);
    r.lo_y = std::min(r.lo_y, y), r.hi_y = std::max(r.hi_y, y);
  }
  return r;
}

}  // namespace

std::vector<Vec2d> convex_hull(std::vector<Vec2d> points) {
  std::sort(points.begin(), points.end(), [](Vec2d a, Vec2d b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  // Andrew's monotone chain: the lower border from left to right, the upper one back.
  std::vector<Vec2d> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const Vec2d p : points) {
      while (hull.size() >= first + 2 && cross2(hull.back() - hull[hull.size() - 2], p - hull.back()) <= 0)
        hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();  // it begins the other side
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Rectangle smallest_rectangle(std::span<const Vec2d> hull) {
  SIM_CHECK(!hull.empty());
  const std::size_t n = hull.size();
  if (n == 1) return rectangle_along(hull, {1, 0});
  if (n == 2) {
    const Vec2d d = hull[1] - hull[0];
    return rectangle_along(hull, d * (1 / std::hypot(d.x, d.y)));
  }
  const auto point = [&](std::size_t i) { return hull[i % n]; };
  // While the edge i turns once around, the points farthest ahead, above and behind go round with it.
  std::size_t ahead = 1, above = 1, behind = 1;
  Vec2d best_axis{1, 0};
  double best_area = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2d edge = point(i + 1) - point(i);
    const Vec2d axis = edge * (1 / std::hypot(edge.x, edge.y));
    const auto x = [&](std::size_t k) { return dot(point(k) - point(i), axis); };
    const auto y = [&](std::size_t k) { return cross2(axis, point(k) - point(i)); };
    ahead = std::max(ahead, i + 1);
    while (ahead < i + n && x(ahead + 1) > x(ahead)) ++ahead;
    above = std::max(above, ahead);
    while (above < i + n && y(above + 1) > y(above)) ++above;
    behind = std::max(behind, above);
    while (behind < i + n && x(behind + 1) < x(behind)) ++behind;
    const double area = (x(ahead) - std::min(x(behind), 0.0)) * y(above);
    if (area < best_area) {
      best_area = area;
      best_axis = axis;
    }
  }
  return rectangle_along(hull, best_axis);
}

OrientedBox object_aligned_box(std::span<const Vec3d> points, Vec3d centroid) {
  SIM_CHECK(!points.empty());
  double lo_z = points[0].z, hi_z = points[0].z;
  std::vector<Vec2d> footprint;
  footprint.reserve(points.size());
  for (const Vec3d& p : points) {
    footprint.push_back({p.x, p.y});
    lo_z = std::min(lo_z, p.z), hi_z = std::max(hi_z, p.z);
  }
  const Rectangle r = smallest_rectangle(convex_hull(std::move(footprint)));
  const Vec2d u = r.axis, v = turned(r.axis);
  const double middle_u = 0.5 * (r.lo_x + r.hi_x), middle_v = 0.5 * (r.lo_y + r.hi_y);
  const Vec2d center = u * middle_u + v * middle_v;
  const double side_u = r.hi_x - r.lo_x, side_v = r.hi_y - r.lo_y;

  Vec2d x = side_u >= side_v ? u : v;
  if (dot(Vec2d{centroid.x, centroid.y} - center, x) < 0) x = x * -1.0;
  OrientedBox box;
  box.center = {center.x, center.y, 0.5 * (lo_z + hi_z)};
  box.world_from_box = Mat3d::from_columns({x.x, x.y, 0}, {-x.y, x.x, 0}, {0, 0, 1});
  box.extents = {std::max(side_u, side_v), std::min(side_u, side_v), hi_z - lo_z};
  return box;
}

OrientedBox axis_aligned_box(std::span<const Vec3d> points) {
  SIM_CHECK(!points.empty());
  Box3d box;
  for (const Vec3d& p : points) box.add(p);
  return {box.center(), Mat3d{}, box.size()};
}

}  // namespace simulacra
