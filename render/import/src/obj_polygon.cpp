// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_polygon.h"

#include <algorithm>
#include <cmath>

namespace simulacra::obj {
namespace {

// Ear clipping is quadratic at best; outlines beyond this are cut as a fan.
constexpr std::size_t kMaxClipped = 1024;

// Of the polygon's area; files carry six digits or so.
constexpr double kRoundingShare = 1e-3;

/// Twice the signed area of (a, b, c); positive counter-clockwise.
double turn(Vec2d a, Vec2d b, Vec2d c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

bool inside_or_on(Vec2d p, Vec2d a, Vec2d b, Vec2d c) {
  return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

/// Area vector of the outline (Newell's method): its direction is the polygon's normal.
Vec3d newell_normal(std::span<const Vec3d> corners) {
  Vec3d sum;
  for (std::size_t i = 0; i < corners.size(); ++i)
    sum += cross(corners[i] - corners[0], corners[(i + 1) % corners.size()] - corners[0]);
  return sum;
}

/// The corners in the plane of the polygon's larger extent, counter-clockwise.
std::vector<Vec2d> flattened(std::span<const Vec3d> corners, Vec3d normal) {
  const Vec3d n{std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
  const std::size_t drop = n.x >= n.y && n.x >= n.z ? 0u : n.y >= n.z ? 1u : 2u;
  const std::size_t u = (drop + 1) % 3, v = (drop + 2) % 3;
  const double sign = normal[drop] < 0 ? -1 : 1;
  std::vector<Vec2d> flat;
  flat.reserve(corners.size());
  for (const Vec3d& p : corners) flat.push_back({(p[u] - corners[0][u]) * sign, p[v] - corners[0][v]});
  return flat;
}

bool is_convex(const std::vector<Vec2d>& p) {
  // A star polygon also turns one way only, but its fan from the first corner has a negative triangle.
  for (std::size_t i = 0; i < p.size(); ++i)
    if (turn(p[i], p[(i + 1) % p.size()], p[(i + 2) % p.size()]) < 0) return false;
  for (std::size_t i = 1; i + 1 < p.size(); ++i)
    if (turn(p[0], p[i], p[i + 1]) < 0) return false;
  return true;
}

void fan(std::size_t count, std::vector<std::array<std::uint32_t, 3>>& triangles) {
  for (std::uint32_t i = 1; i + 1 < count; ++i) triangles.push_back({0, i, i + 1});
}

bool is_ear(const std::vector<Vec2d>& p, const std::vector<std::uint32_t>& left, std::size_t i) {
  const std::size_t n = left.size();
  const Vec2d a = p[left[(i + n - 1) % n]], b = p[left[i]], c = p[left[(i + 1) % n]];
  if (turn(a, b, c) <= 0) return false;
  for (std::size_t k = 2; k + 1 < n; ++k) {
    const Vec2d q = p[left[(i + k) % n]];
    // Doubled points, as holes have them, do not block their own corner.
    if (q == a || q == b || q == c) continue;
    if (inside_or_on(q, a, b, c)) return false;
  }
  return true;
}

constexpr std::size_t kNoCorner = static_cast<std::size_t>(-1);

/// The corner to cut next: an ear, else one without area, else none.
std::size_t next_corner(const std::vector<Vec2d>& p, const std::vector<std::uint32_t>& left, std::size_t start) {
  const std::size_t n = left.size();
  for (std::size_t k = 0; k < n; ++k)
    if (is_ear(p, left, (start + k) % n)) return (start + k) % n;
  for (std::size_t i = 0; i < n; ++i)
    if (turn(p[left[(i + n - 1) % n]], p[left[i]], p[left[(i + 1) % n]]) == 0) return i;
  return kNoCorner;
}

}  // namespace

bool triangulate(std::span<const Vec3d> corners, std::vector<std::array<std::uint32_t, 3>>& triangles) {
  const std::size_t count = corners.size();
  if (count == 3) {
    triangles.push_back({0, 1, 2});
    return true;
  }
  const Vec3d normal = newell_normal(corners);
  const bool flat_outline = !(length_squared(normal) > 0);
  const std::vector<Vec2d> p = flat_outline ? std::vector<Vec2d>() : flattened(corners, normal);
  if (flat_outline || is_convex(p)) {
    fan(count, triangles);
    return true;
  }
  if (count > kMaxClipped) {
    fan(count, triangles);
    return false;
  }
  std::vector<std::uint32_t> left(count);
  for (std::uint32_t i = 0; i < count; ++i) left[i] = i;
  std::size_t start = 0;
  while (left.size() > 3) {
    const std::size_t n = left.size();
    const std::size_t i = next_corner(p, left, start);
    if (i == kNoCorner) {
      for (std::size_t k = 1; k + 1 < n; ++k) triangles.push_back({left[0], left[k], left[k + 1]});
      return false;
    }
    triangles.push_back({left[(i + n - 1) % n], left[i], left[(i + 1) % n]});
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
    start = i % left.size();
  }
  triangles.push_back({left[0], left[1], left[2]});
  // Corners on one line leave a last triangle without area, up to the rounding of the file's digits.
  return turn(p[left[0]], p[left[1]], p[left[2]]) >= -kRoundingShare * length(normal);
}

}  // namespace simulacra::obj
