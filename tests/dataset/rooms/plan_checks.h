// SPDX-License-Identifier: Apache-2.0
// What holds for every layout.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dataset/rooms/catalogue.h"
#include "dataset/rooms/plan.h"

namespace simulacra::test {

/// 0.2 mm: positions are sums of a few doubles of metres, and touching boxes may share a rounding error.
inline constexpr double kPlanTolerance_m = 2e-4;

inline bool stands_inside(const rooms::PlanBox& top, const rooms::PlanBox& base) {
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) {
      const Vec2d corner = top.center + top.right * (x * top.width) + top.back() * (y * top.depth) - base.center;
      if (std::abs(dot(corner, base.right)) > base.width / 2 + kPlanTolerance_m) return false;
      if (std::abs(dot(corner, base.back())) > base.depth / 2 + kPlanTolerance_m) return false;
    }
  return true;
}

inline std::string support_fault(const rooms::RoomPlan& plan, const rooms::Placement& p) {
  if (p.support == rooms::kOnFloor) return p.box.z0 == 0 ? "" : "does not stand on the floor";
  if (p.support == rooms::kOnCeiling)
    return std::abs(p.box.z1 - plan.shell.height) < kPlanTolerance_m ? "" : "does not hang from the ceiling";
  if (p.support == rooms::kOnWall) {
    for (const rooms::Wall& wall : plan.shell.walls()) {
      const double back = dot(p.box.center - wall.start, wall.inward) - p.box.depth / 2;
      if (dot(p.box.back(), wall.inward) < -0.99 && back >= -kPlanTolerance_m && back < 0.05) return "";
    }
    return "does not hang on a wall with its back";
  }
  const rooms::PlanBox& base = plan.placements[static_cast<std::size_t>(p.support)].box;
  if (p.box.z0 > base.z1 + kPlanTolerance_m || p.box.z0 < base.z0) return "does not stand on its support's top";
  return stands_inside(p.box, base) ? "" : "sticks out over its support";
}

/// "" for a sound plan, else what is wrong with it.
inline std::string first_fault(const rooms::RoomPlan& plan, const rooms::Catalogue& catalogue) {
  using namespace rooms;
  for (std::size_t i = 0; i < plan.placements.size(); ++i) {
    const Placement& p = plan.placements[i];
    const std::string who = fmt::format("{} ({})", p.name, i);
    if (outside_by(p.box, plan.shell) > kPlanTolerance_m) return who + " sticks out of the room";
    if (std::abs(dot(p.box.right, p.box.right) - 1) > 1e-9) return who + " is scaled by its direction";
    if (const std::string fault = support_fault(plan, p); !fault.empty()) return who + " " + fault;
    if (p.piece >= 0) {
      const Piece& piece = catalogue.pieces[static_cast<std::size_t>(p.piece)];
      const bool size = std::abs(p.box.width - piece.width_m) < 1e-9 && std::abs(p.box.depth - piece.depth_m) < 1e-9 &&
                        std::abs(p.box.z1 - p.box.z0 - piece.height_m) < 1e-9;
      if (!size) return who + " has not the catalogue's size";
    }
    for (const KeepOut& keep : plan.keep_outs)
      if (keep.kind != KeepOut::Kind::walkway && overlap(p.box, keep.box, kPlanTolerance_m))
        return who + " stands in a door's or window's space";
    for (std::size_t j = 0; j < i; ++j) {
      const bool carried = p.support == static_cast<int>(j) || plan.placements[j].support == static_cast<int>(i);
      if (!carried && overlap(p.box, plan.placements[j].box, kPlanTolerance_m))
        return fmt::format("{} and {} ({}) overlap", who, plan.placements[j].name, j);
    }
  }
  return "";
}

inline void expect_sound(const rooms::RoomPlan& plan, const rooms::Catalogue& catalogue, const std::string& what) {
  EXPECT_EQ(first_fault(plan, catalogue), "") << what;
  const rooms::Shell& shell = plan.shell;
  EXPECT_GE(shell.height, 2.4) << what;
  EXPECT_LE(shell.height, 3.0) << what;
  for (const rooms::Opening& window : shell.windows) {
    EXPECT_NE(window.wall, shell.door.wall) << what;
    EXPECT_LT(window.head(), shell.height) << what;
    EXPECT_GT(window.lo(), 0) << what;
    EXPECT_LT(window.hi(), shell.walls()[static_cast<std::size_t>(window.wall)].length) << what;
  }
}

}  // namespace simulacra::test
