// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/plan.h"

#include <algorithm>
#include <cmath>

namespace simulacra::rooms {

std::string_view room_type_name(RoomType type) { return kRoomTypes[static_cast<std::size_t>(type)]; }

std::array<Wall, 4> Shell::walls() const {
  const double x = width / 2, y = depth / 2;
  return {Wall{{-x, -y}, {1, 0}, {0, 1}, width},
          Wall{{x, -y}, {0, 1}, {-1, 0}, depth},
          Wall{{x, y}, {-1, 0}, {0, -1}, width},
          Wall{{-x, y}, {0, -1}, {1, 0}, depth}};
}

namespace {

/// Half of the extent of a box's plan along a unit direction.
double half_extent(const PlanBox& box, Vec2d direction) {
  return std::abs(dot(box.right, direction)) * box.width / 2 + std::abs(dot(box.back(), direction)) * box.depth / 2;
}

}  // namespace

bool overlap(const PlanBox& a, const PlanBox& b, double tolerance_m) {
  if (std::min(a.z1, b.z1) - std::max(a.z0, b.z0) <= tolerance_m) return false;
  const Vec2d between = b.center - a.center;
  for (const Vec2d axis : {a.right, a.back(), b.right, b.back()})  // separating axes of two rectangles
    if (half_extent(a, axis) + half_extent(b, axis) - std::abs(dot(between, axis)) <= tolerance_m) return false;
  return true;
}

double outside_by(const PlanBox& box, const Shell& shell) {
  const double x = std::abs(box.center.x) + half_extent(box, {1, 0}) - shell.width / 2;
  const double y = std::abs(box.center.y) + half_extent(box, {0, 1}) - shell.depth / 2;
  return std::max({x, y, -box.z0, box.z1 - shell.height});
}

}  // namespace simulacra::rooms
