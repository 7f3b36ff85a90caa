// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/terminal/terminal.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.h"
#include "tests/tools/inspector/small_set.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::HasSubstr;
using ::testing::Not;

class TerminalVerb : public ::testing::Test {
 protected:
  void SetUp() override { write_small_set(dir_.path() / "set"); }
  Outcome run(const std::string& arguments) { return run_program_in(dir_.path(), SIMULACRA_PROGRAM, "inspect " + arguments); }
  TempDir dir_;
};

TEST_F(TerminalVerb, APixelHasEveryLabelsValueAndItsName) {
  const Outcome shown = run("set --pixel 3,2 --frame ai_900_001/cam_00/0001 --json");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const auto json = nlohmann::json::parse(shown.out);
  const std::size_t p = 2 * kSmallWidth + 3;
  EXPECT_EQ(json["depth_meters"]["values"][0].get<float>(), small_depth(1, p));
  EXPECT_EQ(json["depth_meters"]["unit"], "m");
  EXPECT_EQ(json["semantic"]["values"][0], 5);
  EXPECT_EQ(json["semantic"]["name"], "chair");
  EXPECT_EQ(json["color"]["values"].size(), 3u);
  EXPECT_THAT(run("set --pixel 0,0").out, HasSubstr("no class"));
  const std::string file = "set/" + label_path({"ai_900_001", "cam_00", 1}, Label::depth_meters);
  EXPECT_THAT(run(file + " --pixel 3,2").out, HasSubstr("depth_meters"));
}

TEST_F(TerminalVerb, StatisticsAreOfTheValues) {
  const Outcome shown = run("set --stats --json --frame ai_900_001/cam_00/0000");
  ASSERT_EQ(shown.exit_code, 0) << shown.err;
  const auto json = nlohmann::json::parse(shown.out);
  for (const auto& row : json["labels"]) {
    if (row["label"] == "depth_meters") {
      // 48 values 1, 1 + 1/64, …, 1 + 47/64; the median is the nearest rank to 23.5.
      EXPECT_EQ(row["least"], 1);
      EXPECT_EQ(row["most"], 1 + 47.0 / 64);
      EXPECT_EQ(row["mean"], 1 + 23.5 / 64);
      EXPECT_NEAR(row["median"].get<double>(), 1 + 23.5 / 64, 0.5 / 64);
    }
    if (row["label"] == "semantic") {
      EXPECT_EQ(row["classes"][0]["name"], "chair");
      EXPECT_NEAR(row["classes"][0]["share"].get<double>(), 38.0 / 48, 1e-12);
    }
  }
  EXPECT_THAT(run("set --stats").out, HasSubstr("4 frames"));
}

TEST_F(TerminalVerb, PicturesAreCharactersOrSixels) {
  const Outcome blocks = run("set --picture semantic --columns 8");
  ASSERT_EQ(blocks.exit_code, 0) << blocks.err;
  EXPECT_EQ(std::count(blocks.out.begin(), blocks.out.end(), '\n'), 3) << "six rows, two a line";
  EXPECT_THAT(blocks.out, HasSubstr("38;2;188;189;34")) << "the color of chairs";
  const Outcome sixel = run("set --picture semantic --columns 8 --sixel");
  EXPECT_THAT(sixel.out, HasSubstr("\x1bP0;1q\"1;1;8;6"));
  EXPECT_THAT(sixel.out, HasSubstr("\x1b\\"));
  EXPECT_THAT(run("set --picture").out, HasSubstr("\u2580")) << "color unless a label is named";
}

TEST_F(TerminalVerb, DamagedFilesAreToldBesideTheOthers) {
  fs::resize_file(dir_.path() / "set" / label_path({"ai_900_001", "cam_00", 0}, Label::color), 90);
  const Outcome shown = run("set --pixel 1,1");
  EXPECT_EQ(shown.exit_code, 1);
  EXPECT_THAT(shown.out, HasSubstr("unreadable"));
  EXPECT_THAT(shown.out, HasSubstr("depth_meters"));
}

TEST_F(TerminalVerb, WrongRequestsAreOneLine) {
  for (const char* wrong : {"set --pixel 8,0", "set --pixel 1", "set --pixel a,b", "set --pixel 1,1 --frame ai_900_001/cam_00/0009", "absent.hdf5 --pixel 1,1",
                            "set --picture nothing", "set --pixel 1,1 --stats", "set --picture color --json"}) {
    const Outcome refused = run(wrong);
    EXPECT_EQ(refused.exit_code, 2) << wrong << refused.out;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace simulacra::inspector
