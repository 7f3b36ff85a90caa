// SPDX-License-Identifier: Apache-2.0
// `simulacra scene` as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  int exit_code;
  std::string out, err;
};

class SceneVerb : public ::testing::Test {
 protected:
  SceneVerb() {
    write_text_atomically(dir.path() / "room.obj",
                          "mtllib room.mtl\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 3\no Floor\nusemtl wood\nf 1 2 3 4\n"
                          "o Lamp\nusemtl glow\nf 1 2 3\n");
    write_text_atomically(dir.path() / "room.mtl", "newmtl wood\nKd 0.5 0.4 0.3\nmap_Kd wood.png\nnewmtl glow\nKe 5 5 5\n");
  }
  Outcome run(const std::string& arguments) {
    const std::string out = dir.path() / "out", err = dir.path() / "err";
    const std::string command = "cd '" + dir.path().string() + "' && '" SIMULACRA_PROGRAM "' scene " + arguments +
                                " > out 2> err";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text_file(out), read_text_file(err)};
  }
  test::TempDir dir;
};

TEST_F(SceneVerb, TheReportCountsWhatIsThere) {
  const Outcome o = run("room.obj");
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_EQ(o.err, "");
  for (const char* line : {"objects     2, 0 of them", "triangles   3 unique, 3 with every instance", "materials   2",
                           "textures    1, 1 missing", "missing: wood.png", "1 emissive objects (1 triangles)",
                           "size 2.000 x 3.000 x 1.000 m", "warnings    1"})
    EXPECT_THAT(o.out, HasSubstr(line));
}

TEST_F(SceneVerb, JsonHoldsTheSame) {
  const Outcome o = run("room.obj --json");
  EXPECT_EQ(o.exit_code, 0);
  const nlohmann::json j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["objects"], 2);
  EXPECT_EQ(j["triangles"]["unique"], 3);
  EXPECT_EQ(j["textures"]["missing"], nlohmann::json::array({"wood.png"}));
  EXPECT_EQ(j["lights"]["emissive_triangles"], 1);
  EXPECT_EQ(j["box_m"]["size"], nlohmann::json::array({2.0, 3.0, 1.0}));
  EXPECT_EQ(j["warnings"][0]["culprit"], "wood.png");
}

TEST_F(SceneVerb, StrictFailsOnAWarning) {
  const Outcome o = run("room.obj --strict");
  EXPECT_EQ(o.exit_code, 1);
  EXPECT_THAT(o.err, HasSubstr("room.obj: 1 warnings, and --strict allows none; the first is"));
  EXPECT_THAT(o.err, HasSubstr("wood.png"));
}

TEST_F(SceneVerb, WhatCannotBeReadExitsWithTwoAndOneLine) {
  for (const char* arguments : {"absent.obj", "room.mtl", ".", "", "room.obj --jsn"}) {
    const Outcome o = run(arguments);
    EXPECT_EQ(o.exit_code, 2) << arguments;
    EXPECT_THAT(o.err, StartsWith("simulacra: ")) << arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
  }
}

TEST_F(SceneVerb, HelpHasAnExample) {
  const Outcome o = run("--help");
  EXPECT_EQ(o.exit_code, 0);
  EXPECT_THAT(o.out, HasSubstr("simulacra scene configs/dataset/"));
}

}  // namespace
}  // namespace simulacra
