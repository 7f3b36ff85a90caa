// SPDX-License-Identifier: Apache-2.0
// `simulacra audit` and `simulacra report` as a user sees them, on a set that `simulacra generate` made.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int exit_code;
  std::string out, err;
};

Outcome run(const fs::path& folder, const std::string& arguments) {
  const std::string command = "cd '" + folder.string() + "' && '" SIMULACRA_PROGRAM "' " + arguments + " > out 2> err";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(folder / "out"), read_text_file(folder / "err")};
}

/// A furnished box of 4 x 4 x 3 m with a lamp in its ceiling, y up.
void write_room(const fs::path& folder) {
  std::string text = "mtllib room.mtl\n";
  int vertices = 0;
  const auto box = [&](const std::string& name, const std::string& material, double x0, double y0, double z0, double x1, double y1, double z1) {
    text += "o " + name + "\nusemtl " + material + "\n";
    for (int i = 0; i < 8; ++i)
      text += "v " + std::to_string(i & 1 ? x1 : x0) + " " + std::to_string(i & 2 ? y1 : y0) + " " + std::to_string(i & 4 ? z1 : z0) + "\n";
    for (const char* face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) {
      text += "f";
      for (const char* c = face; *c; c += *(c + 1) ? 2 : 1) text += " " + std::to_string(*c - '0' + vertices);
      text += "\n";
    }
    vertices += 8;
  };
  box("floor", "wood", -2, -0.1, -2, 2, 0, 2);
  box("ceiling", "white", -2, 3, -2, 2, 3.1, 2);
  box("wall_a", "white", -2.1, 0, -2, -2, 3, 2);
  box("wall_b", "white", 2, 0, -2, 2.1, 3, 2);
  box("wall_c", "blue", -2, 0, -2.1, 2, 3, -2);
  box("wall_d", "blue", -2, 0, 2, 2, 3, 2.1);
  box("table", "wood", -0.6, 0, -0.4, 0.6, 0.7, 0.4);
  box("lamp", "glow", -0.4, 2.9, -0.4, 0.4, 2.99, 0.4);
  write_text_atomically(folder / "room.obj", text);
  write_text_atomically(folder / "room.mtl",
                        "newmtl wood\nKd 0.5 0.4 0.3\nnewmtl white\nKd 0.8 0.8 0.8\nnewmtl blue\nKd 0.3 0.4 0.7\nnewmtl glow\nKd 0 0 0\nKe 8 8 7\n");
}

TEST(AuditVerb, AcceptsAFreshSetReportsItAndRefusesADamagedOne) {
  const test::TempDir dir;
  write_room(dir.path());
  const Outcome made = run(dir.path(), "generate room.obj --out set --cameras 1 --frames 2 --size 96x72 --spp 2");
  ASSERT_EQ(made.exit_code, 0) << made.err;

  const Outcome good = run(dir.path(), "audit set --skip F15");
  EXPECT_EQ(good.exit_code, 0) << good.out;
  EXPECT_THAT(good.out, AllOf(HasSubstr("1 scenes, 1 cameras, 2 frames"), HasSubstr("\nF5.depth "), HasSubstr("all checks hold")));

  const Outcome page = run(dir.path(), "report set -o page.html");
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("page.html"));
  EXPECT_THAT(read_text_file(dir.path() / "page.html"),
              AllOf(HasSubstr("cam_00 · frame 0001"), HasSubstr("planar depth"), HasSubstr("ceiling"), Not(HasSubstr("class=\"none\""))));

  fs::resize_file(dir.path() / "set/ai_900_001/images/scene_cam_00_geometry_hdf5/frame.0001.semantic.hdf5", 100);
  const Outcome bad = run(dir.path(), "audit set --json --skip F15");
  EXPECT_EQ(bad.exit_code, 1);
  const nlohmann::json result = nlohmann::json::parse(bad.out);
  EXPECT_FALSE(result["ok"]);
  EXPECT_FALSE(result["incomplete"]);
  EXPECT_EQ(result["checks"]["M.files"]["failed"], 1);
  EXPECT_EQ(result["checks"]["F1.readable"]["failed"], 1);
  EXPECT_EQ(run(dir.path(), "audit set --kinds depth_meters,position,camera").exit_code, 0);
}

TEST(AuditVerb, AnEmptyFolderIsIncomplete) {
  const test::TempDir dir;
  fs::create_directories(dir.path() / "set");
  const Outcome o = run(dir.path(), "audit set");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.out, HasSubstr("the data set is incomplete"));
}

TEST(AuditVerb, WrongRequestsAreAnsweredInOneLine) {
  const test::TempDir dir;
  fs::create_directories(dir.path() / "set" / "ai_900_001" / "images");
  const std::pair<const char*, const char*> requests[] = {
      {"audit", "DIR"},
      {"audit nowhere", "nowhere"},
      {"audit set --kinds depth", "depth_meters"},
      {"audit set --skip F99", "F15"},
      {"audit set --scene ai_001_001", "ai_900_001"},
      {"audit set --threads many", "--threads"},
      {"report nowhere", "nowhere"},
      {"report set -o none/page.html", "none"},
  };
  for (const auto& [arguments, culprit] : requests) {
    const Outcome o = run(dir.path(), arguments);
    EXPECT_EQ(o.exit_code, 2) << arguments;
    EXPECT_THAT(o.err, HasSubstr(culprit)) << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << arguments << "\n" << o.err;
  }
}

}  // namespace
}  // namespace simulacra
