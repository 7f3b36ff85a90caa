// SPDX-License-Identifier: Apache-2.0
// Puts single pieces into a plan so that nothing overlaps; the room programs say what goes where.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dataset/rooms/plan.h"
#include "dataset/rooms/random.h"
#include "dataset/rooms/rooms.h"

namespace simulacra::rooms {

/// How a piece is put against a wall.
struct Against {
  double gap = 0.02;   ///< between its back and the wall: room for the skirting board
  double walkway = 0;  ///< space kept free in front of it
  bool prefer_corner = false;
  std::vector<int> walls{};  ///< allowed ones; empty = all
  double elevation = 0;
  int tries = 48;
};

/// A place along a wall.
struct WallSpot {
  int wall;
  double center;  ///< along it
};

class Planner {
 public:
  Planner(const Catalogue& catalogue, const std::vector<std::size_t>& usable, const RoomOptions& options,
          const Tops& tops, RoomPlan& plan, Random random);

  const Catalogue& catalogue;
  RoomPlan& plan;
  Random random;
  double clutter;

  // ---- choosing
  using Accept = std::function<bool(const Piece&)>;
  /// A random usable piece of that role, or none.
  std::optional<std::size_t> pick(Role role, const Accept& accept = {});
  const Piece& piece(std::size_t index) const { return catalogue.pieces[index]; }
  bool any(Role role) const { return !by_role_[static_cast<std::size_t>(role)].empty(); }

  // ---- placing; each returns the index of the new placement, or nothing when it does not fit
  std::optional<int> against_wall(std::size_t piece, const Against& how);
  bool fits_at_wall(std::size_t piece, WallSpot spot, const Against& how) const;
  std::optional<int> at_wall(std::size_t piece, WallSpot spot, const Against& how);
  /// At `center`, facing `front` (unit); its base at `z`, on `support`.
  std::optional<int> standing(std::size_t piece, Vec2d center, Vec2d front, double z = 0, int support = kOnFloor);
  /// On a flat part of a placement's top, turned as it is, within `turn` of that. Tries random places; `back`
  /// keeps to the back half.
  std::optional<int> on_top(std::size_t piece, int support, bool back, double turn);
  std::optional<int> built(Built what, const PlanBox& box, int support, std::string_view semantic,
                           std::string_view name);
  /// One after another, small things of one of the roles; returns how many were placed.
  int scatter(int support, std::initializer_list<Role> roles, int count);

  // ---- asking
  bool fits(const PlanBox& box, bool ignore_walkways = false, int except = -10) const;
  bool fits_upright(std::size_t piece) const;
  PlanBox wall_box(WallSpot spot, double width, double depth, double gap, double z0, double z1) const;
  Vec2d front_of(int placement) const;
  const PlanBox& box(int placement) const { return plan.placements[static_cast<std::size_t>(placement)].box; }
  const Wall& wall(int index) const { return walls_[static_cast<std::size_t>(index)]; }
  /// The wall a placement stands against (its back), by direction.
  int wall_behind(int placement) const;
  void keep_free(const PlanBox& box);
  /// In front of a placement, over its width, `length` deep.
  PlanBox zone_in_front(int placement, double length) const;

 private:
  std::optional<int> add(std::size_t piece, const PlanBox& box, int support);
  double flat_level(const TopMap* top, const PlanBox& support, Vec2d local, Vec2d half) const;

  const Tops& tops_;
  std::array<Wall, 4> walls_;
  std::vector<std::vector<std::size_t>> by_role_;
};

/// Unit direction turned a quarter to the left.
inline Vec2d turned_left(Vec2d d) { return {-d.y, d.x}; }
/// A unit vector near (1, 0), turned by about `angle_rad`, by arithmetic alone.
Vec2d small_turn(double angle_rad);
/// The direction a piece's width has when it faces `front`.
inline Vec2d right_for_front(Vec2d front) { return {-front.y, front.x}; }

// ---- the room programs
void plan_shell(RoomPlan& plan, Random random);
void furnish_living(Planner& p);
void furnish_bedroom(Planner& p);
void furnish_kitchen(Planner& p);
void furnish_office(Planner& p);
void furnish_bathroom(Planner& p);
/// What every room has: ceiling lamps, pictures, radiator, switch, plants, things in corners.
void place_ceiling_lamps(Planner& p);
void finish_room(Planner& p);

// ---- groups that several programs share
/// A desk against a wall with its chair, screen and small things.
std::optional<int> place_desk(Planner& p);
/// A table with chairs around it at `center` or somewhere free.
std::optional<int> place_dining_table(Planner& p, int tries);
void hang_picture_above(Planner& p, int placement);
void hang_pictures(Planner& p, int count);
void place_rug(Planner& p, Vec2d center, Vec2d right, double width, double depth);
void place_curtains(Planner& p);

}  // namespace simulacra::rooms
