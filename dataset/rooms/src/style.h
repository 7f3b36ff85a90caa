// SPDX-License-Identifier: Apache-2.0
// The materials of one room, and whether its lamps burn.
#pragma once

#include "dataset/rooms/plan.h"
#include "dataset/rooms/random.h"
#include "render/description/description.h"

namespace simulacra::rooms {

/// Indices into SceneDescription::materials.
struct RoomStyle {
  int floor = -1, ceiling = -1, wall = -1, accent_wall = -1;
  int accent = -1;   ///< which wall has the accent; -1 none
  int joinery = -1;  ///< skirting boards, window frames, door casing
  int door_leaf = -1, metal = -1, glass = -1, mirror = -1;
  int curtain = -1, lamp_body = -1, lamp_shade = -1, frame = -1, picture_mat = -1;
};

struct Lighting {
  bool day = true, lamps_on = true;
  int outside = -1;      ///< material of the sheet in the windows
  double lamp_flux = 0;  ///< of each ceiling lamp, in radiance units × m² × π
  double bulb_flux = 0;  ///< of each bulb of a catalogue lamp
};

RoomStyle make_style(SceneDescription& scene, RoomType type, Random random);
/// Chooses day or night and adds what is outside. `light`: day, night or any.
///
/// The light of the sky comes from a luminous sheet that fills the outer end of each window's hole: rays pass it
/// straight (so the sun shines through), and next-event estimation finds it at once, where a sky all around the
/// house would be found through the window by few rays in a hundred.
Lighting make_lighting(SceneDescription& scene, const RoomPlan& plan, std::string_view light, Random random);

/// Walls, floor, ceiling, skirting boards, door and windows.
void build_shell(SceneDescription& scene, const RoomPlan& plan, const RoomStyle& style, const Lighting& lighting);
/// The placements a room builds itself: lamps, pictures, mirrors, rugs, curtains.
void build_fixtures(SceneDescription& scene, const RoomPlan& plan, const RoomStyle& style, const Lighting& lighting,
                    Random random);

/// A material that emits `flux` (radiance × m² × π) from `area_m2`.
int add_emitter(SceneDescription& scene, std::string name, Rgb tint, double flux, double area_m2);

}  // namespace simulacra::rooms
