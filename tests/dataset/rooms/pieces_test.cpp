// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "dataset/annotate/nyu40.h"
#include "dataset/rooms/src/piece_table.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra::rooms {
namespace {

Piece named(std::string name, std::string category, double w, double d, double h) {
  Piece piece;
  piece.name = std::move(name);
  piece.category = std::move(category);
  piece.width_m = w;
  piece.depth_m = d;
  piece.height_m = h;
  return piece;
}

std::vector<std::string> names_of(std::string_view row) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= row.size();) {
    const std::size_t end = std::min(row.find('|', at), row.size());
    names.emplace_back(row.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

TEST(Pieces, EveryClassOfTheTableIsAClassOfNyu40) {
  for (const PieceRow& row : kPieceTable) EXPECT_GT(semantic_from_text(row.semantic, "table"), 0) << row.names;
  for (const WordRow& row : kWordTable) EXPECT_GT(semantic_from_text(row.semantic, "words"), 0) << row.word;
}

TEST(Pieces, NoNameStandsInTheTableTwice) {
  std::set<std::string> seen;
  for (const PieceRow& row : kPieceTable)
    for (const std::string& name : names_of(row.names)) EXPECT_TRUE(seen.insert(name).second) << name;
}

TEST(Pieces, NamesAndSizesDecide) {
  EXPECT_EQ(meaning_of(named("Armchair", "Living room", 0.8, 0.8, 0.9)).semantic, "chair");
  EXPECT_EQ(meaning_of(named("Bookcase", "Living room", 0.9, 0.35, 1.9)).semantic, "bookshelf");
  EXPECT_EQ(meaning_of(named("Fridge", "Kitchen", 0.6, 0.6, 1.7)).semantic, "refrigerator");
  EXPECT_EQ(meaning_of(named("Bedside table", "Bedroom", 0.5, 0.4, 0.5)).semantic, "nightstand");
  EXPECT_EQ(meaning_of(named("Table", "Living room", 1.4, 0.9, 0.74)).role, Role::dining_table);
  EXPECT_EQ(meaning_of(named("Table", "Living room", 1.1, 0.7, 0.5)).role, Role::coffee_table);
  EXPECT_EQ(meaning_of(named("Lamp", "Lights", 0.4, 0.4, 1.4)).role, Role::floor_lamp);
  EXPECT_EQ(meaning_of(named("Box", "Miscellaneous", 0.9, 0.6, 0.3)).semantic, "box");
  EXPECT_EQ(meaning_of(named("Box", "Office", 2.1, 0.5, 1.7)).semantic, "cabinet");
}

TEST(Pieces, UnknownNamesFollowTheirWordsOrTheirSize) {
  const Meaning chair = meaning_of(named("Gaming chair de luxe", "Office", 0.6, 0.6, 1.2));
  EXPECT_EQ(chair.semantic, "chair");
  EXPECT_FALSE(chair.known);
  EXPECT_EQ(meaning_of(named("Zorb", "Living room", 1.2, 1.2, 1.2)).semantic, "otherfurniture");
  EXPECT_EQ(meaning_of(named("Gizmo", "Living room", 0.1, 0.1, 0.2)).semantic, "otherprop");
  EXPECT_EQ(meaning_of(named("Tablet holder", "Office", 0.1, 0.1, 0.2)).semantic, "otherprop");  // no "table" in it
}

TEST(Pieces, PeopleVehiclesAndTheOutdoorsStayOutUnlessIncluded) {
  const Piece person = named("Female", "Characters", 0.5, 0.4, 1.7), bus = named("Bus", "Vehicles", 3, 12, 3);
  const Piece stairs = named("Spiral staircase", "Staircases", 1.5, 1.5, 3), bed = named("Bed", "Bedroom", 1.6, 2, 1);
  const std::vector<std::string> characters = {"characters"};
  EXPECT_TRUE(is_left_out(person, {}));
  EXPECT_FALSE(is_left_out(person, characters));
  EXPECT_EQ(meaning_of(person).semantic, "person");
  EXPECT_TRUE(is_left_out(bus, characters));
  EXPECT_TRUE(is_left_out(stairs, characters));
  EXPECT_FALSE(is_left_out(bed, {}));
}

TEST(Pieces, RoleNamesAreUnique) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Role::visitor); ++i) names.insert(role_name(static_cast<Role>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Role::visitor) + 1);
  EXPECT_EQ(role_name(Role::whiteboard), "whiteboard");
}

/// The table is complete for a catalogue when each usable name is one of its rows.
void expect_complete(const std::vector<Piece>& pieces, const char* what) {
  Catalogue catalogue;
  catalogue.pieces = pieces;
  std::size_t usable = 0, placed = 0;
  std::map<std::string, int> classes;
  for (const Piece& piece : pieces) {
    if (is_left_out(piece, {})) continue;
    const Meaning meaning = meaning_of(piece);
    ++usable;
    placed += meaning.role != Role::none;
    ++classes[std::string(meaning.semantic)];
  }
  std::string summary;
  for (const auto& [name, count] : classes) summary += " " + name + " " + std::to_string(count);
  std::printf("%s: %zu pieces, %zu usable, %zu with a place in a room;%s\n",
              what,
              pieces.size(),
              usable,
              placed,
              summary.c_str());
  std::vector<std::string> unknown = unknown_names(catalogue);
  std::erase_if(unknown, [](const std::string& name) {
    return name.find("\\u") != std::string::npos;
  });  // "Bill 10\u20ac": escapes kept as text
  EXPECT_THAT(unknown, ::testing::IsEmpty()) << what;
  EXPECT_GT(placed, usable / 3) << what;
  EXPECT_GE(classes.size(), 25u) << what;
}

TEST(Pieces, TheTableKnowsEveryUsableNameOfTheDebianPackage) {
  if (!std::filesystem::exists(kPackageFolder)) GTEST_SKIP() << "skipped: sweethome3d-furniture is not installed";
  expect_complete(read_catalogue({}).pieces, "sweethome3d-furniture");
}

TEST(Pieces, TheTableKnowsEveryUsableNameOfTheCatalogueCsv) {
  SIM_NEED_SHARED_DATA(shared);
  const auto file = shared / "data/furniture-obj/sweethome3d/catalogue_all_820.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "skipped: no catalogue CSV";
  expect_complete(parse_csv_catalogue(read_text_file(file), file.string()), "catalogue CSV");
}

}  // namespace
}  // namespace simulacra::rooms
