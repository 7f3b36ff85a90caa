// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/catalogue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "render/base/error.h"
#include "tests/dataset/rooms/tiny_catalogue.h"
#include "tests/support/shared_data.h"

namespace simulacra::rooms {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kBed =
    "license=Creative Commons Attribution 3.0 license\n"
    "id#2=x#bed\nname#2=Bed d\\u00e9j\\u00e0\ncategory#2=Bedroom\nmodel#2=/x/bed/bed.obj\nwidth#2=170.5\n"
    "depth#2=216.5\nheight#2=110\nelevation#2=5\nmovable#2=true\ndoorOrWindow#2=false\ncreator#2=Someone\n";

std::string properties_refusal(std::string text) {
  try {
    parse_properties_catalogue(text, "lib");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string csv_refusal(std::string text) {
  try {
    parse_csv_catalogue(text, "c.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string location_refusal(const std::filesystem::path& location) {
  try {
    read_catalogue(location);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no usage error";
}

TEST(Catalogue, APropertiesRowIsReadInMetres) {
  const std::vector<Piece> pieces = parse_properties_catalogue(kBed, "lib");

  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].name, "Bed d\u00e9j\u00e0");
  EXPECT_DOUBLE_EQ(pieces[0].width_m, 1.705);
  EXPECT_DOUBLE_EQ(pieces[0].depth_m, 2.165);
  EXPECT_DOUBLE_EQ(pieces[0].elevation_m, 0.05);
  EXPECT_EQ(pieces[0].licence, "CC-BY-3.0");
  EXPECT_EQ(pieces[0].creator, "Someone");
  EXPECT_EQ(pieces[0].model, "x/bed/bed.obj");
}

TEST(Catalogue, LightsAndRotationsAreRead) {
  const std::string lamp = std::string(kBed) +
                           "lightSourceX#2=85.25\nlightSourceY#2=0\nlightSourceZ#2=100\n"
                           "lightSourceDiameter#2=6\nmodelRotation#2=1 0 0 0 0 1 0 -1 0\n";
  const Piece piece = parse_properties_catalogue(lamp, "lib").at(0);

  ASSERT_EQ(piece.lights.size(), 1u);  // in the middle of the width, at the front, a metre up
  EXPECT_NEAR(piece.lights[0].center_m.x, 0, 1e-12);
  EXPECT_NEAR(piece.lights[0].center_m.y, 1, 1e-12);
  EXPECT_NEAR(piece.lights[0].center_m.z, 1.0825, 1e-12);
  EXPECT_DOUBLE_EQ(piece.lights[0].diameter_m, 0.06);
  EXPECT_EQ(piece.model_rotation * (Vec3d{0, 0, 1}), (Vec3d{0, 1, 0}));  // z-up models are turned upright
}

TEST(Catalogue, BrokenPropertiesNameRowAndValue) {
  const std::string bed(kBed);
  const auto with = [&](const std::string& line) { return properties_refusal(bed + line); };
  EXPECT_THAT(with("width#2=wide\n"), AllOf(HasSubstr("lib: row 2"), HasSubstr("width is 'wide'")));
  EXPECT_THAT(with("depth#2=-3\n"), HasSubstr("depth is -3"));
  EXPECT_THAT(with("height#2=nan\n"), HasSubstr("height is 'nan'"));
  EXPECT_THAT(with("height#2=\n"), HasSubstr("height is missing"));
  EXPECT_THAT(with("movable#2=yes\n"), HasSubstr("expected true or false"));
  EXPECT_THAT(with("modelRotation#2=1 0 0\n"), HasSubstr("3 numbers, expected 9"));
  EXPECT_THAT(with("modelRotation#2=0 0 0 0 0 0 0 0 0\n"), HasSubstr("no rotation"));
  EXPECT_THAT(with("lightSourceX#2=1 2\n"), HasSubstr("expected as many of each"));
  EXPECT_THAT(with("model#2=/../../etc/passwd\n"), HasSubstr("no path inside its library"));
  EXPECT_THAT(with("name#2=a\\u12\n"), HasSubstr("broken \\u escape"));
  EXPECT_THAT(with("name#two=x\n"), HasSubstr("expected a row number"));
  EXPECT_THAT(with("name#3=Only a name\n"), HasSubstr("lib: row 3"));
  EXPECT_THAT(properties_refusal("a=b\n"), HasSubstr("not a furniture catalogue"));
  EXPECT_THAT(properties_refusal(std::string(1000, '\0')), HasSubstr("not a furniture catalogue"));
}

TEST(Catalogue, EveryTruncationOfPropertiesIsReadOrRefused) {
  for (std::size_t size = 0; size < kBed.size(); ++size) {
    try {
      const auto pieces = parse_properties_catalogue(kBed.substr(0, size), "lib");
      for (const Piece& piece : pieces) EXPECT_GT(piece.height_m, 0);
    } catch (const Error&) {
    }
  }
}

TEST(Catalogue, BrokenCsvNamesRowAndColumn) {
  const std::string header = "library,name,category,width_cm,depth_cm,height_cm,creator,licence,model\n";
  EXPECT_THAT(csv_refusal(""), HasSubstr("header"));
  EXPECT_THAT(csv_refusal("name,category\nBed,Bedroom\n"), HasSubstr("no column 'library'"));
  EXPECT_THAT(csv_refusal(header), HasSubstr("no rows"));
  EXPECT_THAT(csv_refusal(header + "L,Bed\n"), AllOf(HasSubstr("row 2"), HasSubstr("2 fields, the header has 9")));
  EXPECT_THAT(csv_refusal(header + "L,\"Bed,Bedroom,1,1,1,A,CC0-1.0,b.obj\n"), HasSubstr("quote"));
  EXPECT_THAT(csv_refusal(header + "L,Bed,Bedroom,0,1,1,A,CC0-1.0,b.obj\n"), HasSubstr("width_cm is 0"));
  EXPECT_THAT(csv_refusal(header + "..,Bed,Bedroom,1,1,1,A,CC0-1.0,b.obj\n"), HasSubstr("no folder name"));
  EXPECT_EQ(
      parse_csv_catalogue(header + "L,\"Bed, \"\"big\"\"\",Bedroom,1,1,1,A,CC0-1.0,b.obj\r\n", "c.csv").at(0).name,
      "Bed, \"big\"");
}

TEST(Catalogue, WhereNoneIsTheMessageSaysHowToGetOne) {
  const test::TempDir folder;
  std::ofstream(folder.path() / "notes.txt") << "x";
  for (const std::filesystem::path& location : {folder.path() / "absent", folder.path(), folder.path() / "notes.txt"})
    EXPECT_THAT(location_refusal(location),
                AllOf(HasSubstr("apt install sweethome3d-furniture"), HasSubstr("rooms.catalogue=FOLDER")));
}

TEST(Catalogue, AFolderWithACsvIsReadAndAbsentModelsAreCounted) {
  const test::TempDir folder;
  test::write_tiny_catalogue(folder.path());
  std::ofstream(folder.path() / "catalogue.csv", std::ios::app)
      << "library,99,Ghost,Bedroom,1,1,1,,true,false,A,CC0-1.0,ghost.obj,1,,,,,,\n";

  const Catalogue catalogue = read_catalogue(folder.path());

  EXPECT_EQ(catalogue.pieces.size(), test::tiny_pieces().size());
  EXPECT_EQ(catalogue.rows_without_model, 1u);
  EXPECT_EQ(unpack_model(catalogue, catalogue.pieces[0], "unused"), folder.path() / "library" / "box.obj");
}

TEST(Catalogue, TheDebianPackageIsReadAndUnpacked) {
  if (!std::filesystem::exists(kPackageFolder)) GTEST_SKIP() << "skipped: sweethome3d-furniture is not installed";
  const Catalogue catalogue = read_catalogue({});
  EXPECT_GT(catalogue.pieces.size(), 500u);
  EXPECT_EQ(catalogue.rows_without_model, 0u);

  const test::TempDir folder;
  const std::filesystem::path model = unpack_model(catalogue, catalogue.pieces.front(), folder.path());
  EXPECT_TRUE(std::filesystem::is_regular_file(model)) << model;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().string().find(folder.path().string()), 0u);
}

TEST(Catalogue, LicenceTextsBecomeShortNames) {
  EXPECT_EQ(licence_from_text("Public domain"), "CC0-1.0");
  EXPECT_EQ(licence_from_text("Creative Commons Attribution 3.0 United States license  Copyright"), "CC-BY-3.0-US");
  EXPECT_EQ(licence_from_text("Creative Commons Attribution 3.0 Unported license"), "CC-BY-3.0");
  EXPECT_EQ(licence_from_text("House rules"), "House rules");
}

}  // namespace
}  // namespace simulacra::rooms
