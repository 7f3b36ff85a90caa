// SPDX-License-Identifier: Apache-2.0
// The 40 semantic classes of NYUv2 with the colors that Hypersim gives them. -1 is "no class".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace simulacra {

struct SemanticClass {
  int id;                                ///< 1..40
  std::string_view name;                 ///< lower case, one word
  std::array<std::uint8_t, 3> color;     ///< R, G, B as shown in previews and color tables
};

/// Row i is class i + 1.
inline constexpr std::array kNyu40 = {
    SemanticClass{1, "wall", {174, 199, 232}},
    SemanticClass{2, "floor", {152, 223, 138}},
    SemanticClass{3, "cabinet", {31, 119, 180}},
    SemanticClass{4, "bed", {255, 187, 120}},
    SemanticClass{5, "chair", {188, 189, 34}},
    SemanticClass{6, "sofa", {140, 86, 75}},
    SemanticClass{7, "table", {255, 152, 150}},
    SemanticClass{8, "door", {214, 39, 40}},
    SemanticClass{9, "window", {197, 176, 213}},
    SemanticClass{10, "bookshelf", {148, 103, 189}},
    SemanticClass{11, "picture", {196, 156, 148}},
    SemanticClass{12, "counter", {23, 190, 207}},
    SemanticClass{13, "blinds", {178, 76, 76}},
    SemanticClass{14, "desk", {247, 182, 210}},
    SemanticClass{15, "shelves", {66, 188, 102}},
    SemanticClass{16, "curtain", {219, 219, 141}},
    SemanticClass{17, "dresser", {140, 57, 197}},
    SemanticClass{18, "pillow", {202, 185, 52}},
    SemanticClass{19, "mirror", {51, 176, 203}},
    SemanticClass{20, "floormat", {200, 54, 131}},
    SemanticClass{21, "clothes", {92, 193, 61}},
    SemanticClass{22, "ceiling", {78, 71, 183}},
    SemanticClass{23, "books", {172, 114, 82}},
    SemanticClass{24, "refrigerator", {255, 127, 14}},
    SemanticClass{25, "television", {91, 163, 138}},
    SemanticClass{26, "paper", {153, 98, 156}},
    SemanticClass{27, "towel", {140, 153, 101}},
    SemanticClass{28, "showercurtain", {158, 218, 229}},
    SemanticClass{29, "box", {100, 125, 154}},
    SemanticClass{30, "whiteboard", {178, 127, 135}},
    SemanticClass{31, "person", {120, 185, 128}},
    SemanticClass{32, "nightstand", {146, 111, 194}},
    SemanticClass{33, "toilet", {44, 160, 44}},
    SemanticClass{34, "sink", {112, 128, 144}},
    SemanticClass{35, "lamp", {96, 207, 209}},
    SemanticClass{36, "bathtub", {227, 119, 194}},
    SemanticClass{37, "bag", {213, 92, 176}},
    SemanticClass{38, "otherstructure", {94, 106, 211}},
    SemanticClass{39, "otherfurniture", {82, 84, 163}},
    SemanticClass{40, "otherprop", {100, 85, 144}},
};

namespace detail {
constexpr bool nyu40_is_in_order() {
  for (std::size_t i = 0; i < kNyu40.size(); ++i)
    if (kNyu40[i].id != static_cast<int>(i) + 1 || kNyu40[i].name.empty()) return false;
  return true;
}
static_assert(kNyu40.size() == 40 && nyu40_is_in_order());
}  // namespace detail

inline constexpr int kWall = 1, kFloor = 2, kDoor = 8, kWindow = 9, kCeiling = 22;

/// Walls, floors and ceilings have a class but never an instance.
constexpr bool is_stuff(int semantic) { return semantic == kWall || semantic == kFloor || semantic == kCeiling; }

/// The class of that name (any case) or number ("1".."40"). "none" and "-1" give -1. Throws UsageError that
/// starts with `where` and names the nearest class and all classes.
int semantic_from_text(std::string_view text, std::string_view where);

/// Its name; "none" for -1. Ids outside 1..40 are a bug of the caller.
std::string_view semantic_name(int semantic);

}  // namespace simulacra
