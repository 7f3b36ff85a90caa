// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/smallest_rectangle.h"

#include <gtest/gtest.h>

namespace simulacra::auditing {
namespace {

TEST(SmallestRectangle, FollowsATurnedRectangle) {
  std::vector<Vec2d> points;
  for (const Vec2d p : {Vec2d{0, 0}, Vec2d{4, 0}, Vec2d{4, 2}, Vec2d{0, 2}, Vec2d{1, 1}, Vec2d{2, 0}})
    points.push_back({0.8 * p.x - 0.6 * p.y + 3, 0.6 * p.x + 0.8 * p.y + 3});
  EXPECT_NEAR(smallest_rectangle(points), 8, 1e-12);
}

TEST(SmallestRectangle, OfATriangleHasASideOnItsHull) {
  EXPECT_NEAR(smallest_rectangle({{0, 0}, {2, 0}, {1, 1}}), 2, 1e-12);
}

TEST(SmallestRectangle, OfPointsOnALineIsNothing) {
  EXPECT_EQ(smallest_rectangle({{0, 0}, {1, 1}, {2, 2}}), 0);
  EXPECT_EQ(smallest_rectangle({}), 0);
}

}  // namespace
}  // namespace simulacra::auditing
