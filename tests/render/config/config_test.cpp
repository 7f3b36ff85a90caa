// SPDX-License-Identifier: Apache-2.0
#include "render/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using config::Node;
using ::testing::HasSubstr;

struct CameraOptions {
  double fov_deg = 60;
  std::string mode = "walk";
};
void fields(config::Fields& f, CameraOptions& o) {
  static constexpr std::string_view kModes[] = {"walk", "orbit"};
  f.field("fov_deg", o.fov_deg, "angle", {1, 179});
  f.field("mode", o.mode, "how", kModes);
}

struct Options {
  int max_depth = 17;
  std::uint64_t seed = 0;
  bool strict = false;
  std::vector<double> size{2, 3};
  std::vector<std::string> names{"a"};
  CameraOptions camera;
  std::vector<CameraOptions> views;
  Node scene;
};
void fields(config::Fields& f, Options& o) {
  f.field("max_depth", o.max_depth, "depth", {1, 100});
  f.field("seed", o.seed, "seed");
  f.field("strict", o.strict, "strictness");
  f.field("size", o.size, "size", 2, {0, 10});
  f.field("names", o.names, "names");
  f.group("camera", o.camera, "the camera");
  f.list("views", o.views, "more cameras");
  f.field("scene", o.scene, "kept");
}

template <typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

Options read_text(const std::string& text) {
  Options options;
  config::read(config::parse_text(text, "box.yaml"), options);
  return options;
}
std::string refusal_of(const std::string& text) {
  return message_of([&] { read_text(text); });
}

TEST(Config, EveryKindOfFieldIsRead) {
  const Options o = read_text(
      "max_depth: 5\nseed: 18446744073709551615\nstrict: true\nsize: [1, 2.5]\nnames: [x, 'y z', 3]\n"
      "camera: {fov_deg: 90, mode: orbit}\nviews:\n  - fov_deg: 10\n  - mode: orbit\nscene: {any: [1, {b: c}]}\n");
  EXPECT_EQ(o.max_depth, 5);
  EXPECT_EQ(o.seed, 18446744073709551615u);
  EXPECT_TRUE(o.strict);
  EXPECT_EQ(o.size, (std::vector<double>{1, 2.5}));
  EXPECT_EQ(o.names, (std::vector<std::string>{"x", "y z", "3"}));
  EXPECT_EQ(o.camera.fov_deg, 90);
  EXPECT_EQ(o.camera.mode, "orbit");
  ASSERT_EQ(o.views.size(), 2u);
  EXPECT_EQ(o.views[0].fov_deg, 10);
  EXPECT_EQ(o.views[0].mode, "walk");
  EXPECT_EQ(o.views[1].fov_deg, 60);
  EXPECT_EQ(o.scene.find("any")->items[1].find("b")->text, "c");
}

TEST(Config, AnUnknownKeyIsAnsweredWithFileLineAndNearestName) {
  EXPECT_EQ(refusal_of("seed: 1\nmax_dept: 3\n"),
            "box.yaml:2: no option is called 'max_dept'; did you mean 'max_depth'? the options are camera, "
            "max_depth, names, scene, seed, size, strict, views");
  EXPECT_EQ(refusal_of("camera:\n  fov: 3\n"),
            "box.yaml:2: no option is called 'fov' in 'camera'; the options are fov_deg, mode");
  EXPECT_THAT(refusal_of("views:\n  - {}\n  - {mod: walk}\n"),
              HasSubstr("box.yaml:3: no option is called 'mod' in 'views.1'; did you mean 'mode'?"));
}

TEST(Config, WrongTypesAndRangesAreRefusedByName) {
  EXPECT_EQ(refusal_of("max_depth: many\n"), "box.yaml:1: 'max_depth' is 'many'; expected a whole number");
  EXPECT_EQ(refusal_of("max_depth: 3.5\n"), "box.yaml:1: 'max_depth' is '3.5'; expected a whole number");
  EXPECT_EQ(refusal_of("max_depth: '3'\n"), "box.yaml:1: 'max_depth' is '3'; expected a whole number");
  EXPECT_EQ(refusal_of("max_depth:\n"), "box.yaml:1: 'max_depth' is empty; expected a whole number");
  EXPECT_EQ(refusal_of("max_depth: 0\n"), "box.yaml:1: 'max_depth' is 0; expected 1 to 100");
  EXPECT_EQ(refusal_of("camera: {fov_deg: 180}\n"), "box.yaml:1: 'camera.fov_deg' is 180; expected 1 to 179");
  EXPECT_EQ(refusal_of("camera: {fov_deg: .nan}\n"), "box.yaml:1: 'camera.fov_deg' is '.nan'; expected a number");
  EXPECT_EQ(refusal_of("camera: {fov_deg: nan}\n"), "box.yaml:1: 'camera.fov_deg' is 'nan'; expected a number");
  EXPECT_EQ(refusal_of("camera: 7\n"), "box.yaml:1: 'camera' is '7'; expected a group of options (key: value)");
  EXPECT_EQ(refusal_of("camera: {mode: wal}\n"),
            "box.yaml:1: 'camera.mode' is 'wal'; did you mean 'walk'? the choices are walk, orbit");
  EXPECT_EQ(refusal_of("size: [1]\n"), "box.yaml:1: 'size' is a list of 1; expected a list of 2 numbers");
  EXPECT_EQ(refusal_of("size: [1, 11]\n"), "box.yaml:1: 'size' is 11; expected 0 to 10");
  EXPECT_EQ(refusal_of("strict: 1\n"), "box.yaml:1: 'strict' is '1'; expected true or false");
  EXPECT_EQ(refusal_of("seed: -1\n"),
            "box.yaml:1: 'seed' is '-1'; expected a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal_of("- a\n"), "box.yaml:1: 'the file' is a list of 1; expected a group of options (key: value)");
  EXPECT_EQ(refusal_of("names: x\n"), "box.yaml:1: 'names' is 'x'; expected a list of texts");
}

TEST(Config, BrokenYamlNamesTheLine) {
  EXPECT_THAT(refusal_of("seed: 1\ncamera: {fov_deg: [\n"), HasSubstr("box.yaml:"));
  EXPECT_THAT(refusal_of("seed: 1\ncamera: {fov_deg: [\n"), HasSubstr("not YAML"));
  EXPECT_EQ(refusal_of("seed: 1\nmax_depth: 2\nseed: 3\n"),
            "box.yaml:3: the key 'seed' stands twice, first with the value in line 1");
  EXPECT_THAT(refusal_of("a: *b\n"), HasSubstr("box.yaml:1: not YAML"));
  EXPECT_THAT(refusal_of("[a, b]: 1\n"), HasSubstr("box.yaml:1: a key is a map or a list"));
  EXPECT_THAT(refusal_of("seed: 1\n---\nseed: 2\n"), HasSubstr("more than one YAML document"));
}

TEST(Config, ExplodingAliasesAndDeepNestingAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{}: &a{} [", i, i);
    for (int j = 0; j < 10; ++j) bomb += fmt::format("{}*a{}", j == 0 ? "" : ", ", i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(message_of([&] { config::parse_text(bomb, "bomb"); }),
              HasSubstr("more than 1000000 values once aliases are expanded"));
  const std::string deep = std::string(1000, '[') + std::string(1000, ']');
  EXPECT_THAT(message_of([&] { config::parse_text(std::string(100000, '['), "open"); }), HasSubstr("open:1:"));
  EXPECT_THAT(message_of([&] { config::parse_text(deep, "deep"); }), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(message_of([&] { config::parse_text("a: &a [1, *a]", "loop"); }), HasSubstr("loop:1:"));
}

TEST(Config, AnAliasRepeatsItsNode) {
  const Node root = config::parse_text("a: &x {b: 1}\nc: *x\n", "t");
  EXPECT_EQ(root.find("c")->find("b")->text, "1");
}

TEST(Config, ExtendsMergesMapsAndReplacesTheRest) {
  const test::TempDir dir;
  write_text_atomically(dir.path() / "base.yaml", "max_depth: 3\nsize: [1, 1]\ncamera: {fov_deg: 50, mode: orbit}\n");
  std::filesystem::create_directory(dir.path() / "sub");
  write_text_atomically(dir.path() / "sub/over.yaml", "extends: ../base.yaml\nsize: [2, 2]\ncamera: {fov_deg: 70}\n");
  Options o;
  config::read(config::parse_file(dir.path() / "sub/over.yaml"), o);
  EXPECT_EQ(o.max_depth, 3);
  EXPECT_EQ(o.size, (std::vector<double>{2, 2}));
  EXPECT_EQ(o.camera.fov_deg, 70);
  EXPECT_EQ(o.camera.mode, "orbit");
}

TEST(Config, ExtendsRefusesLoopsAndAbsentFiles) {
  const test::TempDir dir;
  write_text_atomically(dir.path() / "a.yaml", "extends: b.yaml\n");
  write_text_atomically(dir.path() / "b.yaml", "extends: a.yaml\n");
  write_text_atomically(dir.path() / "c.yaml", "\nextends: nowhere.yaml\n");
  EXPECT_THAT(message_of([&] { config::parse_file(dir.path() / "a.yaml"); }), HasSubstr("extends itself"));
  EXPECT_THAT(message_of([&] { config::parse_file(dir.path() / "c.yaml"); }),
              HasSubstr("c.yaml:2: extends 'nowhere.yaml', which is no file"));
  EXPECT_THAT(message_of([&] { config::parse_file(dir.path() / "d.yaml"); }), HasSubstr("d.yaml"));
}

TEST(Config, SetOverridesByPath) {
  Node root = config::parse_text("camera: {fov_deg: 50}\nviews: [{fov_deg: 1}, {fov_deg: 2}]\n", "t");
  config::apply_set(root, "camera.fov_deg=75");
  config::apply_set(root, "camera.mode=orbit");
  config::apply_set(root, "size=[4, 5]");
  config::apply_set(root, "views.1.fov_deg=9");
  Options o;
  config::read(root, o);
  EXPECT_EQ(o.camera.fov_deg, 75);
  EXPECT_EQ(o.camera.mode, "orbit");
  EXPECT_EQ(o.size, (std::vector<double>{4, 5}));
  EXPECT_EQ(o.views[1].fov_deg, 9);
}

TEST(Config, SetNamesTheCulprit) {
  Node root = config::parse_text("seed: 1\nviews: [{}]\n", "t");
  EXPECT_EQ(message_of([&] { config::apply_set(root, "seed"); }), "--set seed: no '='; expected group.key=value");
  EXPECT_THAT(message_of([&] { config::apply_set(root, "seed.x=1"); }), HasSubstr("single value"));
  EXPECT_THAT(message_of([&] { config::apply_set(root, "views.7.x=1"); }), HasSubstr("'7' is no position in a list of 1"));
  config::apply_set(root, "max_depth=oops");
  Options o;
  EXPECT_EQ(message_of([&] { config::read(root, o); }),
            "--set max_depth=oops: 'max_depth' is 'oops'; expected a whole number");
}

TEST(Config, WhatIsWrittenReadsBackTheSame) {
  Options o;
  o.max_depth = 42;
  o.seed = 1234567890123456789u;
  o.size = {0.1, 1e-7};
  o.names = {"true", "12", "", "null", "a: b", "# x", "ü \"q\"", "- dash", "two\nlines"};
  o.camera.fov_deg = 1.0 / 3.0 + 1;
  o.views = {CameraOptions{5, "orbit"}, CameraOptions{}};
  o.scene = config::parse_text("{k: [1, '2', {z: ~}]}", "t");
  Options back;
  config::read(config::parse_text(config::to_yaml(config::write(o)), "written"), back);
  EXPECT_EQ(back.max_depth, o.max_depth);
  EXPECT_EQ(back.seed, o.seed);
  EXPECT_EQ(back.size, o.size);
  EXPECT_EQ(back.names, o.names);
  EXPECT_EQ(back.camera.fov_deg, o.camera.fov_deg);
  ASSERT_EQ(back.views.size(), 2u);
  EXPECT_EQ(back.views[0].mode, "orbit");
  EXPECT_EQ(config::to_yaml(back.scene), config::to_yaml(o.scene));
  EXPECT_TRUE(back.scene.find("k")->items[1].quoted);
}

TEST(Config, TheTableHasOneRowAnOption) {
  const std::string table = config::document<Options>();
  EXPECT_THAT(table, HasSubstr("| `max_depth` | whole number | `17` | 1 to 100 | depth |"));
  EXPECT_THAT(table, HasSubstr("| `camera.mode` | text | `walk` | walk, orbit | how |"));
  EXPECT_THAT(table, HasSubstr("| `views.N.fov_deg` | number | `60` | 1 to 179 | angle |"));
}

TEST(Config, TheNearestNameIsWithinAThirdOfTheLetters) {
  const std::vector<std::string> known{"samples", "seed", "size"};
  EXPECT_EQ(config::nearest_name("sample", known), "samples");
  EXPECT_EQ(config::nearest_name("sede", known), "seed");
  EXPECT_EQ(config::nearest_name("sdee", known), "");
  EXPECT_EQ(config::nearest_name("siz", known), "size");
  EXPECT_EQ(config::nearest_name("threads", known), "");
}

}  // namespace
}  // namespace simulacra
