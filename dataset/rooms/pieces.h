// SPDX-License-Identifier: Apache-2.0
// What a catalogue's names mean: one reviewed table from names to NYU40 classes and to places in a room.
// A catalogue's own categories are room types, so they say neither.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/rooms/catalogue.h"

namespace simulacra::rooms {

/// Where a piece goes. `none` is labelled but never placed by the layouts.
enum class Role : std::uint8_t {
  none,
  sofa,
  armchair,
  chair,
  office_chair,
  bar_stool,
  low_stool,
  coffee_table,
  dining_table,
  desk,
  bedside,
  bed,
  single_bed,
  wardrobe,
  bookcase,
  chest,
  tv_stand,
  filing,
  kitchen_base,
  kitchen_sink,
  kitchen_upper,
  kitchen_high,
  stove,
  fridge,
  laundry,
  bathtub,
  shower,
  toilet,
  basin,
  tv,
  wall_tv,
  floor_lamp,
  table_lamp,
  ceiling_lamp,
  wall_lamp,
  large_plant,
  small_plant,
  rug,
  bath_mat,
  curtain,
  blind,
  radiator,
  wall_thing,
  bath_wall_thing,
  wall_switch,
  wall_socket,
  living_prop,
  desk_prop,
  kitchen_prop,
  bath_prop,
  bedroom_prop,  // stand on furniture
  floor_thing,
  office_floor_thing,
  bath_floor_thing,
  bedroom_floor_thing,
  bin,
  piano,
  fireplace,
  whiteboard,
  visitor  // included on request: people, animals, outdoor things
};
std::string_view role_name(Role role);

struct Meaning {
  std::string_view semantic;  ///< NYU40 class name, as in dataset/annotate/nyu40.h
  Role role = Role::none;
  bool known = false;  ///< the name is a row of the table; else words of the name or its size decided
};

/// The meaning of a piece. Words of the name decide where the whole name is unknown ("Oak armchair" is a chair);
/// else a piece of at least 0.5 m is otherfurniture and a smaller one otherprop.
Meaning meaning_of(const Piece& piece);

/// Categories that stay out of rooms unless asked for.
inline constexpr std::string_view kIncludable[] = {"characters", "exterior", "vehicles"};
/// True for categories of which nothing is placed: characters, exterior, vehicles (unless included), staircases, and
/// doors and windows (rooms have their own).
bool is_left_out(const Piece& piece, std::span<const std::string> included);

/// Names of usable pieces that the table does not know, sorted, each once.
std::vector<std::string> unknown_names(const Catalogue& catalogue);

}  // namespace simulacra::rooms
