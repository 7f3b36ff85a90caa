// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {

void furnish_office(Planner& p) {
  place_ceiling_lamps(p);
  if (p.random.chance(0.4)) place_curtains(p);
  const int desks = p.plan.shell.width * p.plan.shell.depth > 14 ? 2 : 1;
  for (int i = 0; i < desks; ++i)
    if (const auto desk = place_desk(p)) hang_picture_above(p, *desk);
  const int cases = 1 + static_cast<int>(p.random.below(3));
  for (int i = 0; i < cases; ++i)
    if (const auto bookcase = p.pick(Role::bookcase))
      p.against_wall(*bookcase, {.walkway = 0.4, .prefer_corner = true});
  const int files = 1 + static_cast<int>(p.random.below(3));
  for (int i = 0; i < files; ++i)
    if (const auto filing = p.pick(Role::filing))
      if (const auto placed = p.against_wall(*filing, {.walkway = 0.4}))
        p.scatter(*placed, {Role::desk_prop, Role::small_plant}, 1);
  if (p.random.chance(0.5))
    if (const auto board = p.pick(Role::whiteboard)) p.against_wall(*board, {.gap = 0.05, .walkway = 0.4});
  if (p.random.chance(0.5))
    if (const auto thing = p.pick(Role::office_floor_thing))
      p.against_wall(*thing, {.gap = 0.05, .prefer_corner = true});
  if (p.random.chance(0.7))
    if (const auto chest = p.pick(Role::chest))
      if (const auto placed = p.against_wall(*chest, {.walkway = 0.5}))
        p.scatter(*placed, {Role::desk_prop, Role::small_plant, Role::living_prop}, 4);
  if (p.random.chance(0.4))
    if (const auto chair = p.pick(Role::armchair)) p.against_wall(*chair, {.gap = 0.1, .walkway = 0.3});
  if (p.random.chance(0.5))
    if (const auto box = p.pick(Role::floor_thing)) p.against_wall(*box, {.gap = 0.05});
  if (p.random.chance(0.4)) place_rug(p, {p.random.between(-0.4, 0.4), p.random.between(-0.3, 0.3)}, {1, 0}, 1.4, 0.9);
  finish_room(p);
}

}  // namespace simulacra::rooms
