// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

constexpr double kNear_m = 1.9, kFar_m = 4.2;  ///< between sofa and television

bool is_window_wall(const Planner& p, int wall) {
  for (const Opening& window : p.plan.shell.windows)
    if (window.wall == wall) return true;
  return false;
}

struct Seating {
  int sofa;
  std::optional<int> stand;
};

/// A sofa against one wall and a television opposite, on one axis.
std::optional<Seating> place_seating(Planner& p) {
  for (int i = 0; i < 60; ++i) {
    const auto sofa =
        p.pick(Role::sofa, [](const Piece& x) { return x.width_m > 1.4 && x.width_m < 2.7 && x.depth_m < 1.2; });
    const auto stand = p.pick(Role::tv_stand);
    const auto chest = stand ? stand : p.pick(Role::chest);
    if (!sofa || !chest) return std::nullopt;
    const int wall = static_cast<int>(p.random.below(4)), opposite = (wall + 2) % 4;
    if (is_window_wall(p, opposite) && i < 30) continue;
    const double length = p.wall(wall).length, half = p.piece(*sofa).width_m / 2 + 0.1;
    if (length < 2 * half) continue;
    const double at = p.random.between(half, length - half);
    const double across = p.wall((wall + 1) % 4).length;
    const double distance = across - p.piece(*sofa).depth_m - p.piece(*chest).depth_m;
    if (distance < kNear_m) continue;
    const double extra = std::max(0.0, distance - kFar_m);  // in deep rooms the sofa stands away from the wall
    const Against by_sofa{.gap = 0.03 + extra, .walkway = 1.5}, by_stand{};
    if (!p.fits_at_wall(*sofa, {wall, at}, by_sofa) || !p.fits_at_wall(*chest, {opposite, length - at}, by_stand))
      continue;
    const auto seat = p.at_wall(*sofa, {wall, at}, by_sofa);
    if (!seat) continue;
    // Both were free a moment ago; only a model that cannot be used fails here, and then the sofa stays alone.
    const auto screen = p.at_wall(*chest, {opposite, length - at}, by_stand);
    return Seating{*seat, screen};
  }
  return std::nullopt;
}

void place_around_sofa(Planner& p, int sofa) {
  const PlanBox seat = p.box(sofa);
  const Vec2d front = p.front_of(sofa);
  const auto table = p.pick(Role::coffee_table);
  if (!table) return;
  const Piece& t = p.piece(*table);
  const double gap = p.random.between(0.36, 0.45);
  const Vec2d center = seat.center + front * (seat.depth / 2 + gap + t.depth_m / 2);
  const bool rug = p.random.chance(0.75);
  const double rug_width = t.width_m + p.random.between(0.35, 0.9), rug_depth = t.depth_m + 2 * gap - 0.08;
  if (rug) place_rug(p, center, seat.right, rug_width, rug_depth);
  const int on =
      rug && p.plan.placements.back().built == Built::rug ? static_cast<int>(p.plan.placements.size()) - 1 : kOnFloor;
  const auto placed = p.standing(*table, center, front, on >= 0 ? p.box(on).z1 : 0, on);
  if (placed) p.scatter(*placed, {Role::living_prop, Role::small_plant, Role::living_prop}, 4);

  // Armchairs at the sides look over the coffee table.
  for (int side = -1; side <= 1; side += 2) {
    const auto chair = p.pick(Role::armchair);
    if (!chair || !p.random.chance(0.85)) continue;
    const Piece& c = p.piece(*chair);
    const double out =
        (on >= 0 ? std::max(rug_width, t.width_m) : t.width_m) / 2 + 0.12 + c.depth_m / 2 + p.random.between(0.05, 0.3);
    const Vec2d direction = seat.right * static_cast<double>(side);
    const Vec2d spin = small_turn(p.random.between(-0.25, 0.25));
    const Vec2d facing = direction * -1.0;
    const Vec2d turned{facing.x * spin.x - facing.y * spin.y, facing.x * spin.y + facing.y * spin.x};
    p.standing(*chair, center + direction * (out + 0.1) + front * p.random.between(0.0, 0.3), turned);
  }
}

void place_television(Planner& p, int stand) {
  if (const auto screen = p.pick(Role::tv, [](const Piece& x) { return x.depth_m < 0.45; })) {
    if (p.on_top(*screen, stand, false, 0.03)) {
      p.scatter(stand, {Role::living_prop}, 2);
      return;
    }
  }
  const PlanBox b = p.box(stand);
  const int w = p.wall_behind(stand);
  const double along = dot(b.center - p.wall(w).start, p.wall(w).along);
  if (const auto screen = p.pick(Role::wall_tv))
    p.at_wall(*screen, {w, along}, {.gap = 0, .elevation = std::max(0.95, b.z1 + 0.2)});
  p.scatter(stand, {Role::living_prop, Role::small_plant}, 3);
}

void place_floor_lamp(Planner& p, int beside) {
  const auto lamp = p.pick(Role::floor_lamp);
  if (!lamp) return;
  const PlanBox b = p.box(beside);
  for (int side = -1; side <= 1; side += 2) {
    const double out = b.width / 2 + p.piece(*lamp).width_m / 2 + 0.08;
    const Vec2d at = b.center + b.right * (side * out) + b.back() * ((b.depth - p.piece(*lamp).depth_m) / 2);
    if (p.fits_upright(*lamp) && p.standing(*lamp, at, p.front_of(beside))) return;
  }
}

}  // namespace

void furnish_living(Planner& p) {
  place_ceiling_lamps(p);
  if (p.random.chance(0.7)) place_curtains(p);
  const auto seating = place_seating(p);
  if (seating) {
    if (seating->stand) place_television(p, *seating->stand);
    place_around_sofa(p, seating->sofa);
    place_floor_lamp(p, seating->sofa);
    hang_picture_above(p, seating->sofa);
  }
  const int cases = 1 + static_cast<int>(p.random.below(3));
  for (int i = 0; i < cases; ++i)
    if (const auto bookcase = p.pick(Role::bookcase))
      p.against_wall(*bookcase, {.walkway = 0.4, .prefer_corner = true});
  if (p.plan.shell.width * p.plan.shell.depth > 21 && p.random.chance(0.8))
    if (const auto table = place_dining_table(p, 80))
      p.scatter(*table, {Role::living_prop, Role::kitchen_prop, Role::small_plant}, 2);
  if (p.random.chance(0.3))
    if (const auto fireplace = p.pick(Role::fireplace)) p.against_wall(*fireplace, {.gap = 0.016, .walkway = 0.8});
  if (p.random.chance(0.35))
    if (const auto piano = p.pick(Role::piano)) p.against_wall(*piano, {.walkway = 0.7});
  if (const auto chest = p.pick(Role::chest); chest && p.random.chance(0.85))
    if (const auto placed = p.against_wall(*chest, {.walkway = 0.5})) {
      if (const auto lamp = p.pick(Role::table_lamp)) p.on_top(*lamp, *placed, false, 0.5);
      p.scatter(*placed, {Role::living_prop, Role::small_plant, Role::bedroom_prop}, 3);
      hang_picture_above(p, *placed);
    }
  finish_room(p);
}

}  // namespace simulacra::rooms
