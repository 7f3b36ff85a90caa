// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/smallest_rectangle.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace simulacra::auditing {
namespace {

double turn(Vec2d a, Vec2d b, Vec2d c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// Convex hull, counter-clockwise, by two chains over the points sorted by x.
std::vector<Vec2d> hull_of(std::vector<Vec2d> points) {
  std::sort(points.begin(), points.end(), [](Vec2d a, Vec2d b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  std::vector<Vec2d> hull;
  for (int chain = 0; chain < 2; ++chain) {
    const std::size_t first = hull.size();
    for (const Vec2d p : points) {
      while (hull.size() > first + 1 && turn(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

}  // namespace

double smallest_rectangle(std::vector<Vec2d> points) {
  const std::vector<Vec2d> hull = hull_of(std::move(points));
  if (hull.size() < 3) return 0;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < hull.size(); ++i) {   // one side of the smallest rectangle lies on the hull
    Vec2d along = hull[(i + 1) % hull.size()] - hull[i];
    along = along * (1 / std::sqrt(dot(along, along)));
    const Vec2d across{-along.y, along.x};
    constexpr double inf = std::numeric_limits<double>::infinity();
    double low[2] = {inf, inf}, high[2] = {-inf, -inf};
    for (const Vec2d p : hull) {
      const double at[2] = {dot(p, along), dot(p, across)};
      for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], at[k]), high[k] = std::max(high[k], at[k]);
    }
    best = std::min(best, (high[0] - low[0]) * (high[1] - low[1]));
  }
  return best;
}

}  // namespace simulacra::auditing
