// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

/// A bed with its head against a wall and a nightstand on each side that has the space.
std::optional<int> place_bed(Planner& p) {
  for (int i = 0; i < 40; ++i) {
    const bool single = p.any(Role::single_bed) && p.random.chance(0.2);
    const auto bed = p.pick(single || !p.any(Role::bed) ? Role::single_bed : Role::bed,
                            [](const Piece& x) { return x.depth_m > 1.5; });
    if (!bed) return std::nullopt;
    const auto placed = p.against_wall(*bed, {.walkway = 0.6, .prefer_corner = single, .tries = 12});
    if (!placed) continue;
    const PlanBox b = p.box(*placed);
    const auto stand = p.pick(Role::bedside);
    for (int side = -1; side <= 1 && stand; side += 2) {
      const Piece& s = p.piece(*stand);
      const double out = b.width / 2 + s.width_m / 2 + 0.04;
      const Vec2d at = b.center + b.right * (side * out) + b.back() * ((b.depth - s.depth_m) / 2);
      const auto beside = p.standing(*stand, at, p.front_of(*placed));
      if (!beside) continue;
      if (const auto lamp = p.pick(Role::table_lamp, [](const Piece& x) { return x.height_m < 0.6; }))
        p.on_top(*lamp, *beside, true, 0.5);
      p.scatter(*beside, {Role::bedroom_prop, Role::living_prop, Role::bedroom_prop}, 2);
    }
    return placed;
  }
  return std::nullopt;
}

void hang_mirror_above(Planner& p, int placement) {
  const PlanBox b = p.box(placement);
  const int w = p.wall_behind(placement);
  const double along = dot(b.center - p.wall(w).start, p.wall(w).along);
  const double width = std::min(0.9, b.width * 0.6), z0 = b.z1 + 0.35;
  p.built(Built::mirror,
          p.wall_box({w, along}, width, 0.03, 0, z0, std::min(z0 + 0.8, p.plan.shell.height - 0.2)),
          kOnWall,
          "mirror",
          "mirror");
}

}  // namespace

void furnish_bedroom(Planner& p) {
  place_ceiling_lamps(p);
  if (p.random.chance(0.8)) place_curtains(p);
  const auto bed = place_bed(p);
  if (bed) {
    const PlanBox b = p.box(*bed);
    hang_picture_above(p, *bed);
    if (p.random.chance(0.6)) {  // a rug at the foot of the bed or beside it
      const Vec2d foot = b.center + p.front_of(*bed) * (b.depth / 2 + 0.5);
      const double side = p.random.chance(0.5) ? 1 : -1;
      const Vec2d beside = b.center + b.right * (side * (b.width / 2 + 0.5)) - b.back() * 0.25;
      if (p.random.chance(0.5))
        place_rug(p, foot, b.right, std::max(1.2, b.width * 0.85), 0.8);
      else
        place_rug(p, beside, b.right, 0.75, 1.3);
    }
  }
  if (const auto wardrobe = p.pick(Role::wardrobe)) p.against_wall(*wardrobe, {.walkway = 0.6, .prefer_corner = true});
  if (const auto chest = p.pick(Role::chest))
    if (const auto placed = p.against_wall(*chest, {.walkway = 0.55})) {
      if (p.random.chance(0.6))
        hang_mirror_above(p, *placed);
      else
        hang_picture_above(p, *placed);
      p.scatter(*placed, {Role::bedroom_prop, Role::small_plant, Role::bath_prop, Role::living_prop}, 5);
    }
  if (p.random.chance(0.7)) place_desk(p);
  if (p.random.chance(0.6))
    if (const auto bookcase = p.pick(Role::bookcase))
      p.against_wall(*bookcase, {.walkway = 0.4, .prefer_corner = true});
  if (p.random.chance(0.5))
    if (const auto chair = p.pick(Role::armchair))
      p.against_wall(*chair, {.gap = 0.1, .walkway = 0.3, .prefer_corner = true});
  const int things = 1 + static_cast<int>(p.random.below(3));
  for (int i = 0; i < things; ++i)
    if (const auto thing = p.pick(p.random.chance(0.6) ? Role::bedroom_floor_thing : Role::floor_thing))
      p.against_wall(*thing, {.gap = 0.05});
  finish_room(p);
}

}  // namespace simulacra::rooms
