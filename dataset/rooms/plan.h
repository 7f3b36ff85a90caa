// SPDX-License-Identifier: Apache-2.0
// A room on paper: its shell and what stands in it, as boxes.
//  - Room frame: the world frame; z up, metres, floor at z = 0, origin in the middle of the floor.
//  - Piece frame: x to the piece's right, y to its back (it faces -y), z up, origin in the middle of its base.
//  - Walls run counter-clockwise seen from above: 0 south (y lowest), 1 east, 2 north, 3 west. A point of a wall
//    is given by its distance along it from the wall's start, and its height.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "dataset/rooms/pieces.h"
#include "render/base/vec.h"

namespace simulacra::rooms {

enum class RoomType : std::uint8_t { living, bedroom, kitchen, office, bathroom };
inline constexpr std::array<std::string_view, 5> kRoomTypes = {"living", "bedroom", "kitchen", "office", "bathroom"};
std::string_view room_type_name(RoomType type);

struct Wall {
  Vec2d start, along, inward;  ///< along and inward are unit; inward = along turned left
  double length = 0;
};

/// A hole in a wall.
struct Opening {
  int wall = 0;
  double center = 0;  ///< of its width, along the wall
  double width = 0, sill = 0, height = 0;
  double lo() const { return center - width / 2; }
  double hi() const { return center + width / 2; }
  double head() const { return sill + height; }
};

struct Shell {
  double width = 0, depth = 0, height = 0;  ///< inner size along x, y, z
  double wall_thickness = 0.25;
  Opening door;
  bool door_hinge_left = true;  ///< seen from inside
  std::vector<Opening> windows;
  std::array<Wall, 4> walls() const;
};

/// An upright box, turned about z. `right` is the unit direction of its width in the plan.
struct PlanBox {
  Vec2d center, right{1, 0};
  double width = 0, depth = 0, z0 = 0, z1 = 0;
  Vec2d back() const { return {-right.y, right.x}; }
};

/// Boxes that share more than `tolerance_m` in every direction overlap; touching ones do not.
bool overlap(const PlanBox& a, const PlanBox& b, double tolerance_m = 1e-4);
/// How far the box sticks out of the room; 0 or less when it is inside.
double outside_by(const PlanBox& box, const Shell& shell);

/// Things that rooms build themselves, without a catalogue.
enum class Built : std::uint8_t { none, picture, mirror, rug, curtain, ceiling_disc, ceiling_globe, ceiling_panel };

/// What a placement rests on when that is no other placement.
inline constexpr int kOnFloor = -1, kOnWall = -2, kOnCeiling = -3;

struct Placement {
  int piece = -1;  ///< index into Catalogue::pieces; -1: `built`
  Built built = Built::none;
  Role role = Role::none;
  PlanBox box;
  int support = kOnFloor;  ///< index of the placement it stands on, or one of the above
  std::string semantic;    ///< NYU40 class name
  std::string name;        ///< the catalogue's, or "picture" and the like
};

/// Space that furniture leaves free.
struct KeepOut {
  enum class Kind : std::uint8_t { door_swing, window, walkway };
  Kind kind;
  PlanBox box;
};

struct RoomPlan {
  RoomType type = RoomType::living;
  Shell shell;
  std::vector<Placement> placements;
  std::vector<KeepOut> keep_outs;
};

/// The heights of a piece seen from above, in the piece frame, on a grid over its base.
struct TopMap {
  int columns = 0, rows = 0;    ///< along width (x) and depth (y)
  double width = 0, depth = 0;  ///< metres
  std::vector<float> height_m;  ///< row-major, highest surface of each cell; -1 where there is none
  float at(int column, int row) const {
    return height_m[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
                    static_cast<std::size_t>(column)];
  }
};

}  // namespace simulacra::rooms
