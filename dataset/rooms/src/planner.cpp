// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/planner.h"

#include <algorithm>
#include <cmath>

namespace simulacra::rooms {
namespace {

constexpr double kFlat_m = 0.003;     ///< a surface counts as flat within this
constexpr double kMaxTop_m = 1.35;    ///< nothing is put on higher tops
constexpr double kEdge_m = 0.01;      ///< things keep this far from a top's edge
constexpr double kWalkway_m = 1.0;    ///< height of the space that is kept free in front of furniture
constexpr double kHeadroom_m = 0.05;  ///< between a piece and the ceiling

/// A catalogue's name as a part of a path.
std::string plain(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == '/' || c == '@' || c == '"') c = '_';
  return name;
}

}  // namespace

Vec2d small_turn(double angle_rad) {
  const double t = angle_rad / 2;  // tan(a/2) = a/2 for small angles: the exact angle does not matter
  return {(1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)};
}

Planner::Planner(const Catalogue& catalogue_, const std::vector<std::size_t>& usable, const RoomOptions& options,
                 const Tops& tops, RoomPlan& plan_, Random random_)
    : catalogue(catalogue_),
      plan(plan_),
      random(random_),
      clutter(options.clutter),
      tops_(tops),
      walls_(plan_.shell.walls()),
      by_role_(static_cast<std::size_t>(Role::visitor) + 1) {
  for (std::size_t index : usable) by_role_[static_cast<std::size_t>(meaning_of(piece(index)).role)].push_back(index);
}

std::optional<std::size_t> Planner::pick(Role role, const Accept& accept) {
  std::vector<std::size_t> candidates;
  for (std::size_t index : by_role_[static_cast<std::size_t>(role)])
    if (fits_upright(index) && (!accept || accept(piece(index)))) candidates.push_back(index);
  if (candidates.empty()) return std::nullopt;
  return candidates[random.below(candidates.size())];
}

bool Planner::fits_upright(std::size_t index) const { return piece(index).height_m <= plan.shell.height - kHeadroom_m; }

bool Planner::fits(const PlanBox& box, bool ignore_walkways, int except) const {
  if (outside_by(box, plan.shell) > 1e-9) return false;
  for (std::size_t i = 0; i < plan.placements.size(); ++i)
    if (static_cast<int>(i) != except && overlap(box, plan.placements[i].box)) return false;
  for (const KeepOut& keep : plan.keep_outs) {
    if (ignore_walkways && keep.kind == KeepOut::Kind::walkway) continue;
    if (overlap(box, keep.box)) return false;
  }
  return true;
}

std::optional<int> Planner::add(std::size_t index, const PlanBox& box, int support) {
  if (tops_ && !tops_(index)) return std::nullopt;  // its model cannot be used
  const Meaning meaning = meaning_of(piece(index));
  plan.placements.push_back({static_cast<int>(index),
                             Built::none,
                             meaning.role,
                             box,
                             support,
                             std::string(meaning.semantic),
                             plain(piece(index).name)});
  return static_cast<int>(plan.placements.size()) - 1;
}

PlanBox Planner::wall_box(WallSpot spot, double width, double depth, double gap, double z0, double z1) const {
  const Wall& w = wall(spot.wall);
  return {
      w.start + w.along * spot.center + w.inward * (gap + depth / 2), right_for_front(w.inward), width, depth, z0, z1};
}

bool Planner::fits_at_wall(std::size_t index, WallSpot spot, const Against& how) const {
  const Piece& what = piece(index);
  if (!fits(wall_box(spot, what.width_m, what.depth_m, how.gap, how.elevation, how.elevation + what.height_m)))
    return false;
  if (how.walkway <= 0) return true;
  const PlanBox zone = wall_box(spot, what.width_m, how.walkway, how.gap + what.depth_m, 0, kWalkway_m);
  return fits(zone, true);
}

std::optional<int> Planner::at_wall(std::size_t index, WallSpot spot, const Against& how) {
  if (!fits_at_wall(index, spot, how)) return std::nullopt;
  const Piece& what = piece(index);
  const auto placed =
      add(index,
          wall_box(spot, what.width_m, what.depth_m, how.gap, how.elevation, how.elevation + what.height_m),
          how.elevation > 0 ? kOnWall : kOnFloor);
  if (placed && how.walkway > 0)
    keep_free(wall_box(spot, what.width_m, how.walkway, how.gap + what.depth_m, 0, kWalkway_m));
  return placed;
}

std::optional<int> Planner::against_wall(std::size_t index, const Against& how) {
  const double half = piece(index).width_m / 2;
  for (int i = 0; i < how.tries; ++i) {
    const int w = how.walls.empty() ? static_cast<int>(random.below(4)) : how.walls[random.below(how.walls.size())];
    const double length = wall(w).length, margin = 0.03;
    const double lo = half + margin, hi = length - half - margin;
    const double at = random.unit();
    if (lo > hi) continue;
    const bool corner = how.prefer_corner && i < how.tries / 2;
    const double center = corner ? (at < 0.5 ? lo : hi) : lo + (hi - lo) * at;
    if (const auto placed = at_wall(index, {w, center}, how)) return placed;
  }
  return std::nullopt;
}

std::optional<int> Planner::standing(std::size_t index, Vec2d center, Vec2d front, double z, int support) {
  const Piece& what = piece(index);
  const PlanBox box{center, right_for_front(front), what.width_m, what.depth_m, z, z + what.height_m};
  if (!fits(box, true, support)) return std::nullopt;
  return add(index, box, support);
}

std::optional<int> Planner::built(Built what, const PlanBox& box, int support, std::string_view semantic,
                                  std::string_view name) {
  if (!fits(box, true)) return std::nullopt;
  plan.placements.push_back({-1, what, Role::none, box, support, std::string(semantic), std::string(name)});
  return static_cast<int>(plan.placements.size()) - 1;
}

/// Height of the support's top over a rectangle in its frame, where that is flat; else -1.
double Planner::flat_level(const TopMap* top, const PlanBox& support, Vec2d local, Vec2d half) const {
  if (!top) return support.z1 - support.z0;
  const double cell_x = top->width / top->columns, cell_y = top->depth / top->rows;
  const auto cell = [](double at, double size, double step, int count) {
    return std::clamp(static_cast<int>(std::floor((at + size / 2) / step)), 0, count - 1);
  };
  const int c0 = cell(local.x - half.x, top->width, cell_x, top->columns),
            c1 = cell(local.x + half.x, top->width, cell_x, top->columns);
  const int r0 = cell(local.y - half.y, top->depth, cell_y, top->rows),
            r1 = cell(local.y + half.y, top->depth, cell_y, top->rows);
  float lo = INFINITY, hi = -INFINITY;
  for (int r = r0; r <= r1; ++r)
    for (int c = c0; c <= c1; ++c) {
      lo = std::min(lo, top->at(c, r));
      hi = std::max(hi, top->at(c, r));
    }
  return lo > 0.25f && static_cast<double>(hi - lo) <= kFlat_m && static_cast<double>(hi) <= kMaxTop_m
             ? static_cast<double>(hi)
             : -1;
}

std::optional<int> Planner::on_top(std::size_t index, int support, bool back, double turn) {
  const Placement base = plan.placements[static_cast<std::size_t>(support)];
  const TopMap* top = base.piece >= 0 && tops_ ? tops_(static_cast<std::size_t>(base.piece)) : nullptr;
  const Piece& what = piece(index);
  for (int i = 0; i < 16; ++i) {
    const Vec2d spin = small_turn(random.between(-turn, turn));
    // Half extents of the turned footprint in the support's frame.
    const Vec2d half{std::abs(spin.x) * what.width_m / 2 + std::abs(spin.y) * what.depth_m / 2,
                     std::abs(spin.y) * what.width_m / 2 + std::abs(spin.x) * what.depth_m / 2};
    const Vec2d room{base.box.width / 2 - half.x - kEdge_m, base.box.depth / 2 - half.y - kEdge_m};
    const double u = random.unit(), v = random.unit();
    if (room.x < 0 || room.y < 0) return std::nullopt;
    const Vec2d local{room.x * (2 * u - 1), room.y * (back ? v : 2 * v - 1)};
    const double level = flat_level(top, base.box, local, half);
    if (level < 0) continue;
    const double z = base.box.z0 + level;
    const PlanBox box{base.box.center + base.box.right * local.x + base.box.back() * local.y,
                      base.box.right * spin.x + base.box.back() * spin.y,
                      what.width_m,
                      what.depth_m,
                      z,
                      z + what.height_m};
    if (fits(box, true, support)) return add(index, box, support);
  }
  return std::nullopt;
}

int Planner::scatter(int support, std::initializer_list<Role> roles, int count) {
  int placed = 0;
  const auto wanted = static_cast<int>(std::floor(count * clutter + random.unit()));
  for (int i = 0; i < 2 * wanted && placed < wanted; ++i) {
    const Role role = *(roles.begin() + static_cast<std::ptrdiff_t>(random.below(roles.size())));
    const auto chosen = pick(role, [](const Piece& x) { return x.height_m < 0.7; });
    if (chosen && on_top(*chosen, support, false, 0.4)) ++placed;
  }
  return placed;
}

Vec2d Planner::front_of(int placement) const { return box(placement).back() * -1.0; }

int Planner::wall_behind(int placement) const {
  const Vec2d front = front_of(placement);
  for (int w = 0; w < 4; ++w)
    if (dot(wall(w).inward, front) > 0.9) return w;
  return 0;
}

void Planner::keep_free(const PlanBox& zone) { plan.keep_outs.push_back({KeepOut::Kind::walkway, zone}); }

PlanBox Planner::zone_in_front(int placement, double length) const {
  const PlanBox& b = box(placement);
  return {b.center + front_of(placement) * ((b.depth + length) / 2), b.right, b.width, length, 0, 1};
}

}  // namespace simulacra::rooms
