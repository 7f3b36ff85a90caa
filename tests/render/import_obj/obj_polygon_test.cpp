// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_polygon.h"

#include <gtest/gtest.h>

#include <cmath>

namespace simulacra::obj {
namespace {

using Cut = std::vector<std::array<std::uint32_t, 3>>;

double signed_area(const std::vector<Vec3d>& p, const std::array<std::uint32_t, 3>& t, Vec3d normal) {
  return 0.5 * dot(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]), normal);
}

/// A proper cut: n - 2 triangles, none turned over, their areas adding up to the polygon's.
void expect_covers(const std::vector<Vec3d>& p, Vec3d normal, double area) {
  Cut cut;
  EXPECT_TRUE(triangulate(p, cut));
  EXPECT_EQ(cut.size(), p.size() - 2);
  double sum = 0;
  for (const auto& t : cut) {
    EXPECT_GE(signed_area(p, t, normal), -1e-12);  // rounding of unit-sized products
    sum += signed_area(p, t, normal);
  }
  EXPECT_NEAR(sum, area, 1e-9 * area);
}

TEST(Polygon, AConvexOneBecomesAFan) {
  Cut cut;
  EXPECT_TRUE(triangulate(std::vector<Vec3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, cut));
  EXPECT_EQ(cut, (Cut{{0, 1, 2}, {0, 2, 3}}));
}

TEST(Polygon, ConcaveOutlinesAreCoveredOnce) {
  expect_covers({{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.5, 0}}, {0, 0, 1}, 1.5);
  // An L in the yz plane, clockwise seen from +x.
  expect_covers({{5, 0, 0}, {5, 0, 3}, {5, 1, 3}, {5, 1, 1}, {5, 3, 1}, {5, 3, 0}}, {-1, 0, 0}, 5);
}

TEST(Polygon, AHoleJoinedByADoubledEdgeStaysOpen) {
  // A 4 x 4 square with a 2 x 2 hole, entered and left along one edge.
  const std::vector<Vec3d> p{{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                             {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  expect_covers(p, {0, 0, 1}, 12);
}

TEST(Polygon, ACombWithManyTeethIsCovered) {
  std::vector<Vec3d> p{{0, 0, 0}};
  constexpr int kTeeth = 40;
  p.push_back({kTeeth, 0, 0});
  for (int i = kTeeth; i > 0; --i) {
    p.push_back({i + 0.0, 5, 0});
    p.push_back({i - 0.5, 1, 0});
  }
  // Below the comb's valleys 39.5 x 1 and what the teeth hold: by the shoelace formula.
  double area = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3d a = p[i], b = p[(i + 1) % p.size()];
    area += 0.5 * (a.x * b.y - b.x * a.y);
  }
  expect_covers(p, {0, 0, 1}, area);
}

TEST(Polygon, ACrossingOutlineIsReportedAndStillCut) {
  Cut cut;
  EXPECT_FALSE(triangulate(std::vector<Vec3d>{{0, 0, 0}, {4, 0, 0}, {0, 3, 0}, {3, 1, 0}}, cut));
  EXPECT_EQ(cut.size(), 2u);
}

TEST(Polygon, ADegenerateOneDoesNotHang) {
  Cut cut;
  EXPECT_TRUE(triangulate(std::vector<Vec3d>(7, Vec3d{1, 1, 1}), cut));
  EXPECT_EQ(cut.size(), 5u);
}

}  // namespace
}  // namespace simulacra::obj
