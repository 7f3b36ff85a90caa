// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dataset/rooms/src/planner.h"

namespace simulacra::rooms {
namespace {

constexpr double kUnitGap_m = 0.002;
constexpr int kTries = 150;

/// The pieces of one run along a wall, from its start.
struct Run {
  std::vector<std::size_t> pieces;
  double length = 0;
};

void append(Planner& p, Run& run, std::optional<std::size_t> piece, double limit) {
  if (!piece || run.length + p.piece(*piece).width_m + kUnitGap_m > limit) return;
  run.pieces.push_back(*piece);
  run.length += p.piece(*piece).width_m + kUnitGap_m;
}

/// Fridge at one end, then cabinets with sink and stove between them; all of one library, so that they match.
Run choose_run(Planner& p, double limit) {
  const auto sink = p.pick(Role::kitchen_sink);
  const std::string library = sink ? p.piece(*sink).library : std::string();
  const auto same = [&](const Piece& x) { return library.empty() || x.library == library; };
  Run run;
  if (p.random.chance(0.8)) append(p, run, p.pick(Role::fridge), limit);
  if (p.random.chance(0.4)) append(p, run, p.pick(Role::kitchen_high, same), limit);
  append(p, run, p.pick(Role::kitchen_base, same), limit);
  append(p, run, sink, limit);
  append(p, run, p.pick(Role::kitchen_base, same), limit);
  append(p, run, p.pick(Role::stove), limit);
  const int more = 1 + static_cast<int>(p.random.below(3));
  for (int i = 0; i < more; ++i) append(p, run, p.pick(Role::kitchen_base, same), limit);
  if (p.random.chance(0.3)) append(p, run, p.pick(Role::laundry), limit);
  return run;
}

/// Stands the run against a wall; returns its placements, or none when it does not fit as a whole.
std::vector<int> place_run(Planner& p, const Run& run, int wall, double start) {
  const Against how{.walkway = 0.75};
  std::vector<WallSpot> spots;
  double at = start;
  for (std::size_t piece : run.pieces) {
    spots.push_back({wall, at + p.piece(piece).width_m / 2});
    at += p.piece(piece).width_m + kUnitGap_m;
    if (!p.fits_at_wall(piece, spots.back(), how)) return {};
  }
  std::vector<int> placed;
  for (std::size_t i = 0; i < run.pieces.size(); ++i)
    if (const auto index = p.at_wall(run.pieces[i], spots[i], how)) placed.push_back(*index);
  return placed;
}

void place_uppers(Planner& p, const std::vector<int>& run) {
  for (int index : run) {
    const Role role = p.plan.placements[static_cast<std::size_t>(index)].role;
    if (role != Role::kitchen_base && role != Role::kitchen_sink) continue;
    const std::string library =
        p.piece(static_cast<std::size_t>(p.plan.placements[static_cast<std::size_t>(index)].piece)).library;
    const double width = p.box(index).width;
    const auto upper =
        p.pick(Role::kitchen_upper, [&](const Piece& x) { return x.library == library && x.width_m <= width + 0.12; });
    if (!upper || p.random.chance(0.15)) continue;
    const int w = p.wall_behind(index);
    const double along = dot(p.box(index).center - p.wall(w).start, p.wall(w).along);
    p.at_wall(*upper, {w, along}, {.gap = 0, .elevation = std::max(1.45, p.piece(*upper).elevation_m)});
  }
}

}  // namespace

void furnish_kitchen(Planner& p) {
  place_ceiling_lamps(p);
  std::vector<int> run;
  for (int i = 0; i < kTries && run.empty(); ++i) {
    const int wall = static_cast<int>(p.random.below(4));
    const double length = p.wall(wall).length;
    // Later tries are shorter, down to a third of the wall.
    Run chosen = choose_run(p, (length - 0.1) * (1 - 0.67 * i / kTries));
    if (chosen.pieces.empty()) continue;
    if (p.random.chance(0.5)) std::reverse(chosen.pieces.begin(), chosen.pieces.end());
    const double slack = length - chosen.length - 0.06;
    const double start = 0.03 + slack * (i % 3 == 0 ? 0.0 : i % 3 == 1 ? 1.0 : p.random.unit());
    run = place_run(p, chosen, wall, start);
  }
  place_uppers(p, run);
  for (int index : run) {
    const Role role = p.plan.placements[static_cast<std::size_t>(index)].role;
    if (role == Role::kitchen_base || role == Role::laundry) p.scatter(index, {Role::kitchen_prop}, 3);
  }
  if (const auto table = place_dining_table(p, 120))
    p.scatter(*table, {Role::kitchen_prop, Role::kitchen_prop, Role::small_plant}, 5);
  if (p.random.chance(0.4))
    if (const auto shelf = p.pick(Role::bookcase, [](const Piece& x) { return x.width_m < 1.0; }))
      p.against_wall(*shelf, {.walkway = 0.4, .prefer_corner = true});
  if (p.random.chance(0.35))
    if (const auto stool = p.pick(Role::low_stool)) p.against_wall(*stool, {.gap = 0.05});
  if (p.random.chance(0.5)) place_curtains(p);
  finish_room(p);
}

}  // namespace simulacra::rooms
