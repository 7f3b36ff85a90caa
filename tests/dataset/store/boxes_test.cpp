// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/boxes.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>

namespace simulacra {
namespace {

std::vector<Vec2d> random_points(std::uint32_t seed, std::size_t count, bool on_grid) {
  std::mt19937 random(seed);
  const auto number = [&] {
    const double x = static_cast<double>(random()) / 4294967296.0;
    return on_grid ? std::floor(6 * x) : x;
  };
  std::vector<Vec2d> points(count);
  for (Vec2d& p : points) p = {3 * number() - 20, number() + 7};
  return points;
}

/// Least area over all directions between points: what calipers must find.
double least_area(const std::vector<Vec2d>& points) {
  double least = INFINITY;
  for (const Vec2d& a : points)
    for (const Vec2d& b : points) {
      if (a == b) continue;
      const Vec2d u = (b - a) * (1 / std::hypot(b.x - a.x, b.y - a.y)), v{-u.y, u.x};
      double lo_u = INFINITY, hi_u = -INFINITY, lo_v = INFINITY, hi_v = -INFINITY;
      for (const Vec2d& p : points) {
        lo_u = std::min(lo_u, dot(p, u)), hi_u = std::max(hi_u, dot(p, u));
        lo_v = std::min(lo_v, dot(p, v)), hi_v = std::max(hi_v, dot(p, v));
      }
      least = std::min(least, (hi_u - lo_u) * (hi_v - lo_v));
    }
  return least;
}

TEST(ConvexHull, HoldsAllPointsAndTurnsLeftEverywhere) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const std::vector<Vec2d> points = random_points(seed, 40, seed % 2 == 0);
    const std::vector<Vec2d> hull = convex_hull(points);
    ASSERT_GE(hull.size(), 3u);
    for (std::size_t i = 0; i < hull.size(); ++i) {
      const Vec2d a = hull[i], b = hull[(i + 1) % hull.size()], c = hull[(i + 2) % hull.size()];
      const auto side = [&](Vec2d p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
      EXPECT_GT(side(c), 0) << "seed " << seed;
      for (const Vec2d p : points) EXPECT_GE(side(p), -1e-12) << "seed " << seed;
    }
  }
}

TEST(SmallestRectangle, IsTheLeastOfAllDirections) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::vector<Vec2d> points = random_points(seed, 5 + seed % 20, seed % 3 == 0);
    const std::vector<Vec2d> hull = convex_hull(points);
    if (hull.size() < 3) continue;
    const double area = smallest_rectangle(hull).area();
    // Coordinates near 20 carry 4e-15, areas near 1 then 1e-13.
    EXPECT_NEAR(area, least_area(points), 1e-12) << "seed " << seed;
  }
}

TEST(SmallestRectangle, OfALineHasNoArea) {
  const std::vector<Vec2d> hull = convex_hull({{0, 0}, {1, 2}, {2, 4}, {0.5, 1}});
  EXPECT_EQ(hull.size(), 2u);
  const Rectangle r = smallest_rectangle(hull);
  EXPECT_NEAR(r.hi_x - r.lo_x, std::sqrt(20.0), 1e-12);
  EXPECT_NEAR(r.hi_y - r.lo_y, 0, 1e-12);
}

std::vector<Vec3d> box_corners(Vec3d center, Vec3d size, double turn) {
  const Affine3d world_from_box = translation(center) * rotation({0, 0, 1}, turn) * scaling(size);
  std::vector<Vec3d> corners;
  for (int i = 0; i < 8; ++i)
    corners.push_back(world_from_box.point({i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5}));
  return corners;
}

TEST(ObjectAlignedBox, FindsATurnedBoxAgain) {
  for (const double turn : {0.0, 0.3, 1.2, 2.0, -0.7, 3.1}) {
    const Vec3d center{1, -2, 0.5};
    const OrientedBox box = object_aligned_box(box_corners(center, {0.4, 1.5, 0.9}, turn), center);
    EXPECT_NEAR(length(box.center - center), 0, 1e-12);
    EXPECT_NEAR(length(box.extents - Vec3d{1.5, 0.4, 0.9}), 0, 1e-12) << "x is the longer side";
    EXPECT_NEAR(determinant(box.world_from_box), 1, 1e-12);
    const Vec3d longer{-std::sin(turn), std::cos(turn), 0};
    EXPECT_NEAR(std::abs(dot(box.world_from_box.column(0), longer)), 1, 1e-12);
    EXPECT_EQ(box.world_from_box.column(2), (Vec3d{0, 0, 1}));
  }
}

TEST(ObjectAlignedBox, XPointsToTheCentroidsSide) {
  const std::vector<Vec3d> corners = box_corners({0, 0, 0}, {2, 1, 1}, 0);
  EXPECT_GT(object_aligned_box(corners, {0.3, 0.1, 0}).world_from_box.column(0).x, 0.99);
  EXPECT_LT(object_aligned_box(corners, {-0.3, 0.1, 0}).world_from_box.column(0).x, -0.99);
}

TEST(ObjectAlignedBox, APointIsABoxWithoutSize) {
  const std::vector<Vec3d> point{{1, 2, 3}};
  const OrientedBox box = object_aligned_box(point, point[0]);
  EXPECT_EQ(box.center, point[0]);
  EXPECT_EQ(box.extents, (Vec3d{0, 0, 0}));
}

}  // namespace
}  // namespace simulacra
