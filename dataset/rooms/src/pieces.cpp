// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/pieces.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "dataset/rooms/src/piece_table.h"

namespace simulacra::rooms {
namespace {

constexpr double kFurnitureSize_m = 0.5;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool lists(std::string_view names, std::string_view name) {
  for (std::size_t at = 0; at <= names.size();) {
    const std::size_t end = std::min(names.find('|', at), names.size());
    if (names.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find_first_of(" -,_'", at), name.size());
    if (name.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

/// Some names cover things of several sizes and so of several places.
Role role_for_size(Role role, const Piece& piece) {
  const double h = piece.height_m, span = std::max(piece.width_m, piece.depth_m);
  const bool office = piece.category == "Office";
  const auto is = [&](Role r) { return role == r; };
  if (is(Role::dining_table)) return h < 0.6 ? Role::coffee_table : h > 0.82 ? Role::none : role;
  if (is(Role::chair)) return office ? Role::office_chair : span > 0.7 ? Role::none : role;
  if (is(Role::armchair)) return office ? Role::office_chair : span > 1.2 ? Role::none : role;
  if (is(Role::low_stool)) return h > 0.65 ? Role::bar_stool : role;
  if (is(Role::table_lamp)) return piece.elevation_m > 0.5 ? Role::none : h > 1.0 ? Role::floor_lamp : role;
  if (is(Role::large_plant)) return span > 1.1 ? Role::none : h < 0.5 ? Role::small_plant : role;

  // Pieces of an unusual size keep their class but have no place.
  const bool unusual = (is(Role::coffee_table) && h > 0.6) || (is(Role::desk) && (span < 0.8 || h > 1.2)) ||
                       (is(Role::bookcase) && (h < 1.0 || piece.width_m > 2.0)) || (is(Role::wardrobe) && h < 1.4) ||
                       ((is(Role::small_plant) || is(Role::living_prop)) && h > 0.6) ||
                       (is(Role::fireplace) && h > 2.0) || (is(Role::stove) && h < 0.7) ||
                       (is(Role::rug) && span < 1.0) || (is(Role::bath_wall_thing) && piece.elevation_m < 0.3);
  return unusual ? Role::none : role;
}

/// "Box" is a thing of cardboard in some rooms and a cabinet in others.
std::string_view semantic_for_size(std::string_view semantic, const Piece& piece) {
  if (lower(piece.name) == "box" && piece.height_m < 0.6) return "box";
  return semantic;
}

}  // namespace

std::string_view role_name(Role role) {
  static constexpr std::array kNames = std::to_array<std::string_view>({"none",
                                                                        "sofa",
                                                                        "armchair",
                                                                        "chair",
                                                                        "office_chair",
                                                                        "bar_stool",
                                                                        "low_stool",
                                                                        "coffee_table",
                                                                        "dining_table",
                                                                        "desk",
                                                                        "bedside",
                                                                        "bed",
                                                                        "single_bed",
                                                                        "wardrobe",
                                                                        "bookcase",
                                                                        "chest",
                                                                        "tv_stand",
                                                                        "filing",
                                                                        "kitchen_base",
                                                                        "kitchen_sink",
                                                                        "kitchen_upper",
                                                                        "kitchen_high",
                                                                        "stove",
                                                                        "fridge",
                                                                        "laundry",
                                                                        "bathtub",
                                                                        "shower",
                                                                        "toilet",
                                                                        "basin",
                                                                        "tv",
                                                                        "wall_tv",
                                                                        "floor_lamp",
                                                                        "table_lamp",
                                                                        "ceiling_lamp",
                                                                        "wall_lamp",
                                                                        "large_plant",
                                                                        "small_plant",
                                                                        "rug",
                                                                        "bath_mat",
                                                                        "curtain",
                                                                        "blind",
                                                                        "radiator",
                                                                        "wall_thing",
                                                                        "bath_wall_thing",
                                                                        "wall_switch",
                                                                        "wall_socket",
                                                                        "living_prop",
                                                                        "desk_prop",
                                                                        "kitchen_prop",
                                                                        "bath_prop",
                                                                        "bedroom_prop",
                                                                        "floor_thing",
                                                                        "office_floor_thing",
                                                                        "bath_floor_thing",
                                                                        "bedroom_floor_thing",
                                                                        "bin",
                                                                        "piano",
                                                                        "fireplace",
                                                                        "whiteboard",
                                                                        "visitor"});
  static_assert(kNames.size() == static_cast<std::size_t>(Role::visitor) + 1);
  return kNames[static_cast<std::size_t>(role)];
}

Meaning meaning_of(const Piece& piece) {
  const std::string name = lower(piece.name), category = lower(piece.category);
  const bool includable = std::find(std::begin(kIncludable), std::end(kIncludable), category) != std::end(kIncludable);
  for (const PieceRow& row : kPieceTable)
    if (lists(row.names, name)) {
      const Role role = includable ? Role::visitor : role_for_size(row.role, piece);
      return {semantic_for_size(row.semantic, piece), role, true};
    }
  if (includable) return {"otherprop", Role::visitor, false};
  for (const WordRow& row : kWordTable)
    if (has_word(name, row.word)) return {row.semantic, role_for_size(row.role, piece), false};
  const double size = std::max({piece.width_m, piece.depth_m, piece.height_m});
  return {size >= kFurnitureSize_m ? "otherfurniture" : "otherprop", Role::none, false};
}

bool is_left_out(const Piece& piece, std::span<const std::string> included) {
  const std::string category = lower(piece.category);
  if (piece.door_or_window || category == "doors and windows" || category == "staircases") return true;
  if (std::find(std::begin(kIncludable), std::end(kIncludable), category) == std::end(kIncludable)) return false;
  return std::find(included.begin(), included.end(), category) == included.end();
}

std::vector<std::string> unknown_names(const Catalogue& catalogue) {
  std::set<std::string> names;
  for (const Piece& piece : catalogue.pieces)
    if (!is_left_out(piece, {}) && !meaning_of(piece).known) names.insert(piece.name);
  return {names.begin(), names.end()};
}

}  // namespace simulacra::rooms
