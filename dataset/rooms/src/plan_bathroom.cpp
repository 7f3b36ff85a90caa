// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

void place_basin(Planner& p) {
  for (int i = 0; i < 30; ++i) {
    const auto basin = p.pick(Role::basin, [](const Piece& x) { return x.width_m < 1.2; });
    if (!basin) return;
    const Piece& what = p.piece(*basin);
    const auto placed = p.against_wall(
        *basin,
        {.gap = what.elevation_m > 0 ? 0.0 : 0.016, .walkway = 0.55, .elevation = what.elevation_m, .tries = 16});
    if (!placed) continue;
    const PlanBox b = p.box(*placed);
    const int w = p.wall_behind(*placed);
    const double along = dot(b.center - p.wall(w).start, p.wall(w).along), z0 = std::max(1.15, b.z1 + 0.15);
    p.built(Built::mirror,
            p.wall_box({w, along}, std::min(0.7, b.width), 0.03, 0, z0, std::min(z0 + 0.8, p.plan.shell.height - 0.2)),
            kOnWall,
            "mirror",
            "mirror");
    return;
  }
}

}  // namespace

void furnish_bathroom(Planner& p) {
  place_ceiling_lamps(p);
  place_basin(p);
  std::optional<int> bath;
  if (const auto tub = p.pick(Role::bathtub); tub && p.random.chance(0.75))
    bath = p.against_wall(*tub, {.gap = 0.016, .walkway = 0.5, .prefer_corner = true});
  if (!bath)
    if (const auto shower = p.pick(Role::shower))
      p.against_wall(*shower, {.gap = 0.016, .walkway = 0.5, .prefer_corner = true});
  if (const auto toilet = p.pick(Role::toilet)) p.against_wall(*toilet, {.gap = 0.016, .walkway = 0.5});
  if (bath)
    if (const auto mat = p.pick(Role::bath_mat)) {
      const PlanBox b = p.box(*bath);
      p.standing(
          *mat, b.center + p.front_of(*bath) * (b.depth / 2 + p.piece(*mat).depth_m / 2 + 0.06), p.front_of(*bath));
    }
  if (p.random.chance(0.8))
    if (const auto washer = p.pick(Role::laundry))
      if (const auto placed = p.against_wall(*washer, {.walkway = 0.5, .prefer_corner = true}))
        p.scatter(*placed, {Role::bath_prop}, 4);
  if (p.random.chance(0.7))
    if (const auto shelf = p.pick(Role::bookcase, [](const Piece& x) { return x.width_m < 0.7; }))
      p.against_wall(*shelf, {.walkway = 0.4, .prefer_corner = true});
  for (int i = 0; i < 3; ++i)
    if (const auto thing = p.pick(Role::bath_wall_thing))
      p.against_wall(*thing,
                     {.gap = 0, .elevation = p.piece(*thing).elevation_m > 0.7 ? p.piece(*thing).elevation_m : 0.75});
  if (const auto basket = p.pick(Role::bath_floor_thing); basket && p.random.chance(0.6))
    p.against_wall(*basket, {.gap = 0.05, .prefer_corner = true});
  finish_room(p);
}

}  // namespace simulacra::rooms
