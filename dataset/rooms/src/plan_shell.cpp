// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

struct SizeRange {
  double width_lo, width_hi, depth_lo, depth_hi;
};

/// Inner sizes in metres, in the order of RoomType.
constexpr SizeRange kSizes[] = {
    {4.4, 6.4, 3.9, 5.4}, {3.7, 5.0, 3.4, 4.5}, {3.8, 5.4, 3.4, 4.6}, {3.4, 5.2, 3.2, 4.4}, {2.6, 3.6, 2.3, 3.2}};
constexpr double kDoorHeight_m = 2.04, kWindowSpace_m = 0.35;
constexpr double kSillBoard_m = 0.04, kCasing_m = 0.1;  // of the joinery around an opening

/// Multiples of a centimetre: drawings look like that.
double to_cm(double metres) { return static_cast<double>(static_cast<long>(metres * 100 + 0.5)) / 100; }

Opening make_door(const Shell& shell, Random& random) {
  Opening door;
  door.wall = static_cast<int>(random.below(4));
  const double length = shell.walls()[static_cast<std::size_t>(door.wall)].length;
  door.width = to_cm(random.between(0.82, 0.95));
  door.height = kDoorHeight_m;
  const double from_corner = to_cm(random.between(0.2, 0.6)) + door.width / 2;
  door.center = random.chance(0.5) ? from_corner : length - from_corner;
  return door;
}

Opening make_window(RoomType type, int wall, const Shell& shell, Random& random) {
  Opening window;
  window.wall = wall;
  const double length = shell.walls()[static_cast<std::size_t>(wall)].length;
  const bool small = type == RoomType::bathroom;
  const bool counters = type == RoomType::kitchen;  // cabinets stand below the sill
  window.width =
      to_cm(small ? random.between(0.7, 1.1) : std::min(random.between(1.4, counters ? 1.8 : 2.5), length - 1.2));
  window.sill = to_cm(small      ? random.between(1.15, 1.3)
                      : counters ? random.between(1.05, 1.15)
                                 : random.between(0.82, 1.0));
  window.height = to_cm(std::min(random.between(1.15, 1.5), shell.height - 0.25 - window.sill));
  const double slack = (length - window.width) / 2 - 0.45;
  window.center = to_cm(length / 2 + std::max(0.0, slack) * random.between(-0.5, 0.5));
  return window;
}

PlanBox in_front_of(const Opening& opening, const Shell& shell, double wider, double deep) {
  const Wall wall = shell.walls()[static_cast<std::size_t>(opening.wall)];
  return {wall.start + wall.along * opening.center + wall.inward * (deep / 2),
          right_for_front(wall.inward),
          opening.width + wider,
          deep,
          std::max(0.0, opening.sill - kSillBoard_m),
          opening.head() + kCasing_m};
}

}  // namespace

void plan_shell(RoomPlan& plan, Random random) {
  Shell& shell = plan.shell;
  const SizeRange& size = kSizes[static_cast<std::size_t>(plan.type)];
  shell.width = to_cm(random.between(size.width_lo, size.width_hi));
  shell.depth = to_cm(random.between(size.depth_lo, size.depth_hi));
  shell.height = to_cm(random.between(2.42, 2.95));
  shell.wall_thickness = to_cm(random.between(0.2, 0.34));
  shell.door = make_door(shell, random);
  shell.door_hinge_left = random.chance(0.5);
  plan.keep_outs.push_back({KeepOut::Kind::door_swing, in_front_of(shell.door, shell, 0.16, shell.door.width)});

  // One window opposite the door or beside it; large rooms have a second one on another wall.
  const int turn = 1 + static_cast<int>(random.below(3));
  const int first = (shell.door.wall + turn) % 4;
  shell.windows.push_back(make_window(plan.type, first, shell, random));
  const bool second = plan.type != RoomType::bathroom && plan.type != RoomType::kitchen &&
                      random.chance(plan.type == RoomType::living ? 0.65 : 0.35);
  const int other = (shell.door.wall + 1 + turn % 3) % 4;
  if (second) shell.windows.push_back(make_window(plan.type, other, shell, random));
  for (const Opening& window : shell.windows)
    plan.keep_outs.push_back({KeepOut::Kind::window, in_front_of(window, shell, 0.1, kWindowSpace_m)});
}

}  // namespace simulacra::rooms
