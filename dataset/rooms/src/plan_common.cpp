// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

constexpr double kSkirting_m = 0.02, kPictureDepth_m = 0.03, kEyeHeight_m = 1.58, kRugHeight_m = 0.008;

/// A picture's size: a few common formats, upright or lying.
Vec2d picture_size(Random& random) {
  constexpr Vec2d kFormats[] = {{0.4, 0.5}, {0.5, 0.7}, {0.6, 0.8}, {0.3, 0.4}, {0.6, 0.6}, {0.9, 0.6}};
  const Vec2d f = kFormats[random.below(std::size(kFormats))];
  return random.chance(0.4) ? Vec2d{f.y, f.x} : f;
}

bool hang(Planner& p, WallSpot spot, Vec2d size, double center_z) {
  const PlanBox box = p.wall_box(spot, size.x, kPictureDepth_m, 0, center_z - size.y / 2, center_z + size.y / 2);
  // A picture keeps its distance from everything that stands or hangs beside it.
  PlanBox around = box;
  around.width += 0.1;
  around.z0 -= 0.06;
  return p.fits(around, true) && p.built(Built::picture, box, kOnWall, "picture", "picture").has_value();
}

void place_radiator(Planner& p) {
  const Opening& window = p.plan.shell.windows.front();
  const auto chosen = p.pick(Role::radiator, [&](const Piece& x) {
    return x.width_m < window.width + 0.1 && x.depth_m < 0.28 && x.elevation_m < 0.3 &&
           x.height_m + std::max(x.elevation_m, 0.1) < window.sill - 0.05;
  });
  if (chosen) p.at_wall(*chosen, {window.wall, window.center}, {.gap = 0.03, .elevation = 0.1});
}

void place_switch_and_sockets(Planner& p) {
  const Opening& door = p.plan.shell.door;
  const bool left = p.plan.shell.door_hinge_left;
  if (const auto chosen = p.pick(Role::wall_switch)) {
    const double side = left ? door.lo() - 0.16 : door.hi() + 0.16;  // beside the handle
    p.at_wall(*chosen, {door.wall, side}, {.gap = 0, .elevation = 1.1});
  }
  for (int i = 0; i < 2; ++i)
    if (const auto chosen = p.pick(Role::wall_socket)) p.against_wall(*chosen, {.gap = 0, .elevation = 0.28});
}

}  // namespace

void place_rug(Planner& p, Vec2d center, Vec2d right, double width, double depth) {
  p.built(Built::rug, {center, right, width, depth, 0, kRugHeight_m}, kOnFloor, "floormat", "rug");
}

void hang_picture_above(Planner& p, int placement) {
  const PlanBox box = p.box(placement);
  const int w = p.wall_behind(placement);
  const Wall& wall = p.wall(w);
  const Vec2d size = picture_size(p.random);
  const double along = dot(box.center - wall.start, wall.along);
  const double lowest = box.z1 + 0.15 + size.y / 2;
  const double z = std::max(kEyeHeight_m, lowest);
  if (z + size.y / 2 > p.plan.shell.height - 0.15) return;
  if (p.random.chance(0.35) && box.width > 1.4) {  // a pair instead of one
    hang(p, {w, along - 0.45}, {0.5, 0.5}, z);
    hang(p, {w, along + 0.45}, {0.5, 0.5}, z);
  } else {
    hang(p, {w, along}, size, z);
  }
}

void hang_pictures(Planner& p, int count) {
  for (int i = 0, hung = 0; i < 10 * count && hung < count; ++i) {
    const int w = static_cast<int>(p.random.below(4));
    const Vec2d size = picture_size(p.random);
    const double margin = size.x / 2 + 0.2;
    const double at = p.random.between(margin, p.wall(w).length - margin);
    if (hang(p, {w, at}, size, kEyeHeight_m)) ++hung;
  }
}

void place_curtains(Planner& p) {
  constexpr double kDepth_m = 0.1;
  for (const Opening& window : p.plan.shell.windows) {
    const double top = std::min(window.head() + 0.15, p.plan.shell.height - 0.05);
    const double width = std::min(0.42, window.width * 0.28);
    for (const double side : {window.lo() - 0.06 - width / 2, window.hi() + 0.06 + width / 2}) {
      const PlanBox box = p.wall_box({window.wall, side}, width, kDepth_m, 0.03, 0.03, top);
      p.built(Built::curtain, box, kOnWall, "curtain", "curtain");
    }
  }
}

void place_ceiling_lamps(Planner& p) {
  const Shell& shell = p.plan.shell;
  const double area = shell.width * shell.depth;
  const int count = area > 20 ? 2 : 1;
  constexpr Built kKinds[] = {Built::ceiling_disc, Built::ceiling_globe, Built::ceiling_panel};
  const Built kind = p.plan.type == RoomType::office && p.random.chance(0.7) ? Built::ceiling_panel
                     : p.plan.type == RoomType::bathroom                     ? Built::ceiling_disc
                                                                             : kKinds[p.random.below(2)];
  const bool panel = kind == Built::ceiling_panel, globe = kind == Built::ceiling_globe;
  const double size = panel ? 0.6 : globe ? 0.32 : 0.4;
  const double drop = globe ? std::min(0.6, shell.height - 2.05) : 0.07;
  for (int i = 0; i < count; ++i) {
    const double shift = count == 1 ? 0 : (i == 0 ? -0.22 : 0.22) * shell.width;
    const PlanBox box{{shift, 0}, {1, 0}, panel ? 1.2 : size, size, shell.height - drop, shell.height};
    p.built(kind, box, kOnCeiling, "lamp", "ceiling lamp");
  }
}

void finish_room(Planner& p) {
  place_radiator(p);
  place_switch_and_sockets(p);
  const bool wet = p.plan.type == RoomType::bathroom, kitchen = p.plan.type == RoomType::kitchen;
  if (!wet) {
    const int plants = static_cast<int>(p.random.below(3));
    for (int i = 0; i < plants; ++i)
      if (const auto plant = p.pick(Role::large_plant)) p.against_wall(*plant, {.gap = 0.06, .prefer_corner = true});
  }
  if (const auto bin = p.pick(Role::bin); bin && p.random.chance(0.5))
    p.against_wall(*bin, {.gap = 0.05, .prefer_corner = true});
  if (!wet) hang_pictures(p, kitchen ? 1 : 1 + static_cast<int>(p.random.below(3)));
  if (const auto thing = p.pick(Role::wall_thing, [](const Piece& x) { return x.depth_m < 0.25; });
      thing && !wet && p.random.chance(0.3))
    p.against_wall(*thing, {.gap = 0, .elevation = 1.3});
  // On request: people, animals, bicycles and the like.
  if (p.any(Role::visitor)) {
    const int visitors = 1 + static_cast<int>(p.random.below(3));
    for (int i = 0; i < visitors; ++i) {
      const auto guest = p.pick(Role::visitor, [](const Piece& x) { return std::max(x.width_m, x.depth_m) < 1.8; });
      if (!guest) break;
      for (int tries = 0; tries < 30; ++tries) {
        const double x = p.random.between(-0.4, 0.4) * p.plan.shell.width,
                     y = p.random.between(-0.4, 0.4) * p.plan.shell.depth;
        constexpr Vec2d kFronts[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        if (p.standing(*guest, {x, y}, kFronts[p.random.below(4)])) break;
      }
    }
  }
}

std::optional<int> place_desk(Planner& p) {
  for (int i = 0; i < 8; ++i) {
    const auto desk = p.pick(Role::desk), chair = p.pick(p.any(Role::office_chair) ? Role::office_chair : Role::chair);
    if (!desk || !chair) return std::nullopt;
    const double space = p.piece(*chair).depth_m + 0.35;
    const auto placed = p.against_wall(*desk, {.walkway = space, .tries = 24});
    if (!placed) continue;
    const PlanBox b = p.box(*placed);
    const Vec2d front = p.front_of(*placed);
    const double back_off = b.depth / 2 + p.piece(*chair).depth_m / 2 + p.random.between(0.02, 0.15);
    const double aside = p.random.between(-0.15, 0.15) * (b.width - p.piece(*chair).width_m);
    const Vec2d spin = small_turn(p.random.between(-0.3, 0.3));
    const Vec2d facing = front * -1.0;
    const Vec2d turned{facing.x * spin.x - facing.y * spin.y, facing.x * spin.y + facing.y * spin.x};
    if (!p.standing(*chair, b.center + front * (back_off + 0.12) + b.right * aside, turned))
      p.standing(*chair, b.center + front * (back_off + 0.02), facing);
    const auto screen = p.pick(Role::desk_prop, [](const Piece& x) { return x.width_m > 0.25 && x.width_m < 0.6; });
    if (screen) p.on_top(*screen, *placed, true, 0.15);
    if (const auto lamp = p.pick(Role::table_lamp); lamp && p.random.chance(0.7)) p.on_top(*lamp, *placed, true, 0.5);
    p.scatter(*placed, {Role::desk_prop, Role::desk_prop, Role::living_prop}, 3);
    return placed;
  }
  return std::nullopt;
}

std::optional<int> place_dining_table(Planner& p, int tries) {
  const Shell& shell = p.plan.shell;
  for (int i = 0; i < tries; ++i) {
    const auto table = p.pick(Role::dining_table), chair = p.pick(Role::chair);
    if (!table || !chair) return std::nullopt;
    const Piece& t = p.piece(*table);
    const Piece& c = p.piece(*chair);
    const Vec2d front = p.random.chance(0.5) ? Vec2d{0, -1} : Vec2d{1, 0};
    const Vec2d right = right_for_front(front);
    const Vec2d center{p.random.between(-0.5, 0.5) * (shell.width - 1.6),
                       p.random.between(-0.5, 0.5) * (shell.depth - 1.6)};
    // The table with the chairs' places on its long sides must be free, walkways included.
    const double seat = c.depth_m + 0.1;
    const PlanBox group{center, right, t.width_m + 0.1, t.depth_m + 2 * seat + 0.1, 0, 1.1};
    if (!p.fits(group)) continue;
    const auto placed = p.standing(*table, center, front);
    if (!placed) continue;
    const int along = std::max(1, static_cast<int>(t.width_m / (c.width_m + 0.12)));
    for (int side = -1; side <= 1; side += 2)
      for (int k = 0; k < along; ++k) {
        const double x = ((k + 0.5) / along - 0.5) * t.width_m + p.random.between(-0.02, 0.02);
        const double y = t.depth_m / 2 + c.depth_m / 2 + p.random.between(0.01, 0.08);
        const Vec2d out = front * static_cast<double>(side);
        p.standing(*chair, center + right * x + out * y, out * -1.0);
      }
    for (int end = -1; end <= 1; end += 2) {  // heads of the table, where there is space
      const Vec2d out = right * static_cast<double>(end);
      if (p.random.chance(0.4)) p.standing(*chair, center + out * (t.width_m / 2 + c.depth_m / 2 + 0.04), out * -1.0);
    }
    return placed;
  }
  return std::nullopt;
}

}  // namespace simulacra::rooms
