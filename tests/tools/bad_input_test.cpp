// SPDX-License-Identifier: Apache-2.0
// Bad input to every option and configuration key: exit code 2, one line that names the culprit, nothing written.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "dataset/generate/generate.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/dataset/generate/tiny_room.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::TempDir;
using Words = std::vector<std::string>;

constexpr unsigned kSeconds = 20;   // a refusal takes milliseconds; whoever waits longer hangs

struct Outcome {
  int exit_code = -1;   ///< 128 + signal when a signal ended it
  std::string out, err;
};

/// Runs the program inside of `folder`; what it prints goes to files outside of it.
Outcome program(const fs::path& folder, Words arguments) {
  const TempDir prints;
  const std::string out = (prints.path() / "out").string(), err = (prints.path() / "err").string();
  arguments.insert(arguments.begin(), SIMULACRA_PROGRAM);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    ::alarm(kSeconds);
    if (::chdir(folder.c_str()) == 0) ::execv(SIMULACRA_PROGRAM, argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text_file(out), read_text_file(err)};
}

std::set<std::string> names_below(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) names.insert(entry.path().string());
  return names;
}

/// room.yaml, room.obj, dark.yaml, and what is wrong in some way.
void write_inputs(const fs::path& folder) {
  test::write_tiny_room(folder);
  for (const char* name : {"empty.yaml", "empty.gltf", "empty.glb", "empty.obj", "empty.xml"})
    write_text_atomically(folder / name, "");
  write_text_atomically(folder / "text", "no scene\n");
  write_text_atomically(folder / "binary.yaml", std::string("\0\1\2\xff", 4));
  write_text_atomically(folder / "torn.gltf", "{\"asset\": {");
  write_text_atomically(folder / "unknown.yaml", "scene: {file: room.obj}\nrendr: {spp: 3}\n");
  write_text_atomically(folder / "twice.yaml", "seed: 1\nseed: 2\n");
  write_text_atomically(folder / "circle.yaml", "extends: circle.yaml\n");
  write_text_atomically(folder / "both.yaml", "scene: {file: room.obj}\nrooms: {type: any}\n");
  fs::create_directories(folder / "used" / "inside");
  fs::create_directory(folder / "void");
  fs::create_directory(folder / "folder.gltf");
  for (const char* name : {"pipe.yaml", "pipe.gltf", "pipe.obj", "pipe.xml", "pipe"})
    ASSERT_EQ(::mkfifo((folder / name).c_str(), 0644), 0);
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& w : words) text += "'" + w + "' ";
  return text;
}

struct Case {
  Words arguments;
  std::string culprit;         ///< stands in the line
  std::string possible = "";   ///< so does this
};

void expect_refused(const fs::path& folder, const std::vector<Case>& cases) {
  const std::set<std::string> before = names_below(folder);
  for (const Case& c : cases) {
    SCOPED_TRACE(joined(c.arguments));
    const Outcome outcome = program(folder, c.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(c.culprit));
    EXPECT_THAT(outcome.err, HasSubstr(c.possible));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::EndsWith("\n"));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(names_below(folder), before);
  }
}

TEST(BadInput, VerbsAreListed) {
  const TempDir temp;
  const std::string verbs = "generate, render, scene, audit, report";
  expect_refused(temp.path(), {
      {{}, "no verb", verbs},
      {{""}, "''", verbs},
      {{"rendr"}, "did you mean 'render'", verbs},
      {{"nonsense"}, "'nonsense'", verbs},
      {{"--nonsense"}, "'--nonsense'", verbs},
  });
}

TEST(BadInput, WhatEveryVerbNeedsAndKnows) {
  const TempDir temp;
  write_inputs(temp.path());
  expect_refused(temp.path(), {
      {{"generate"}, "INPUT", "generate --help"},
      {{"generate", "rooms"}, "--out", "generate --help"},
      {{"generate", "--out", "set"}, "INPUT"},
      {{"generate", "rooms", "--out"}, "--out", "without a value"},
      {{"generate", "rooms", "--out", "set", "--out", "other"}, "--out", "more than once"},
      {{"generate", "rooms", "more", "--out", "set"}, "'more'", "INPUT"},
      {{"generate", "rooms", "--out", "set", "--frame", "3"}, "'--frame'", "did you mean '--frames'"},
      {{"generate", "rooms", "--out", "set", "--set"}, "--set", "without a value"},
      {{"generate", "--set", "render.spp=0", "rooms", "--out", "set"}, "render.spp", "1 to 1048576"},
      {{"render"}, "SCENE"},
      {{"render", "room.yaml"}, "--output"},
      {{"render", "-o", "a.exr"}, "SCENE"},
      {{"render", "room.yaml", "-o"}, "--output", "without a value"},
      {{"render", "room.yaml", "-o", "a.exr", "--sized", "4x4"}, "'--sized'", "did you mean '--size'"},
      {{"render", "room.yaml", "-o", "a.exr", "more"}, "'more'", "SCENE"},
      {{"scene"}, "FILE"},
      {{"scene", "room.yaml", "more"}, "'more'", "FILE"},
      {{"scene", "room.yaml", "--jsn"}, "'--jsn'", "did you mean '--json'"},
      {{"audit"}, "DIR"},
      {{"audit", "void", "--complet"}, "'--complet'", "did you mean '--complete'"},
      {{"report"}, "DIR"},
      {{"report", "void", "--jobs"}, "'--jobs'", "--threads"},
  });
}

/// Every numeric option of every verb, with everything that is no such number.
TEST(BadInput, NumbersOfOptions) {
  const TempDir temp;
  write_inputs(temp.path());
  struct Numeric {
    Words command;
    const char* option;
    Words wrong;              ///< beside what is wrong for all of them
    const char* possible;
  };
  const Words generate{"generate", "room.yaml", "--out", "set"}, render{"render", "room.yaml", "-o", "a.exr"};
  const std::vector<Numeric> options = {
      {{"generate", "rooms", "--out", "set"}, "--scenes", {"0", "1000"}, ""},
      {generate, "--scenes", {"2"}, ""},
      {generate, "--cameras", {"0", "101"}, ""},
      {generate, "--frames", {"0", "10001"}, ""},
      {generate, "--spp", {"0", "1048577"}, ""},
      {generate, "--seed", {"18446744073709551616"}, ""},
      {generate, "--threads", {"1025"}, "0 to 1024"},
      {render, "--spp", {"1048577"}, "0 to 1048576"},
      {render, "--seed", {"18446744073709551616"}, "0 to 18446744073709551615"},
      {render, "--threads", {"1025"}, "0 to 1024"},
      {render, "--max-depth", {"0", "1025"}, "1 to 1024"},
      {{"audit", "void"}, "--threads", {"1025"}, "0 to 1024"},
      {{"audit", "void"}, "--max-list", {}, "0 to"},
      {{"report", "void"}, "--threads", {"1025"}, "0 to 1024"},
  };
  std::vector<Case> cases;
  const auto add = [&](const Words& command, const std::string& option, const std::string& value, const char* possible) {
    Words all = command;
    all.insert(all.end(), {option, value});
    cases.push_back({std::move(all), option, possible});
  };
  for (const Numeric& o : options) {
    for (const char* value : {"", "-1", "abc", "1.5", "99999999999999999999999"})
      add(o.command, o.option, value, o.possible);
    for (const std::string& value : o.wrong) add(o.command, o.option, value, o.possible);
  }
  for (const char* value : {"", "abc", "nan", "inf", "-51", "50.1"}) add(render, "--exposure", value, "-50 to 50");
  for (const char* value : {"", "x", "1024", "1024x", "x768", "0x16", "-16x16", "16x16x16", "16X16", "99999x16", "1e2x16"}) {
    add(generate, "--size", value, "WIDTHxHEIGHT");
    add(render, "--size", value, "WIDTHxHEIGHT");
  }
  for (const char* value : {"15x16", "16x15", "16385x16"}) add(generate, "--size", value, "16 to 16384");
  expect_refused(temp.path(), cases);
}

TEST(BadInput, PathsOfInputs) {
  const TempDir temp;
  write_inputs(temp.path());
  std::vector<Case> cases;
  for (const char* name : {"absent.gltf", "absent.yaml", "used", "folder.gltf", "text", "empty.yaml", "empty.gltf", "empty.glb",
                           "empty.obj", "empty.xml", "binary.yaml", "torn.gltf", "twice.yaml", "circle.yaml", "pipe.yaml",
                           "pipe.gltf", "pipe.obj", "pipe.xml", "pipe", "/dev/null"}) {
    cases.push_back({{"scene", name}, name});
    cases.push_back({{"render", name, "-o", "a.exr"}, name});
    cases.push_back({{"generate", name, "--out", "set"}, name});
  }
  cases.push_back({{"scene", ""}, "FILE: is empty"});
  cases.push_back({{"render", "", "-o", "a.exr"}, "SCENE: is empty"});
  cases.push_back({{"generate", "", "--out", "set"}, "INPUT: is empty"});
  cases.push_back({{"generate", "both.yaml", "--out", "set"}, "both 'scene' and 'rooms'"});
  cases.push_back({{"generate", "unknown.yaml", "--out", "set"}, "unknown.yaml:2", "did you mean 'render'"});
  cases.push_back({{"generate", "dark.yaml", "--out", "set"}, "no light", "scene.lights"});
  cases.push_back({{"render", "dark.yaml", "-o", "a.exr"}, "no light", "lights:"});
  for (const char* verb : {"audit", "report"})
    for (const char* name : {"absent", "text"}) cases.push_back({{verb, name}, name, "data set"});
  cases.push_back({{"audit", ""}, "DIR: is empty"});
  cases.push_back({{"report", ""}, "DIR: is empty"});
  cases.push_back({{"report", "void"}, "void", "ai_VVV_NNN"});
  expect_refused(temp.path(), cases);
}

TEST(BadInput, PathsOfOutputs) {
  const TempDir temp;
  write_inputs(temp.path());
  std::vector<Case> cases = {
      {{"generate", "rooms", "--out", ""}, "--out: is empty"},
      {{"generate", "rooms", "--out", "text"}, "text", "folder"},
      {{"generate", "rooms", "--out", "text/set"}, "'text' is a file", "--out"},
      {{"generate", "rooms", "--out", "/dev/null"}, "/dev/null", "folder"},
      {{"generate", "room.yaml", "--out", "used"}, "used", "not empty"},
      {{"generate", "rooms", "--out", "/proc/set"}, "--out: '/proc/set'"},
      {{"render", "room.yaml", "-o", ""}, "--output: is empty"},
      {{"render", "room.yaml", "-o", "a.jpg"}, "a.jpg", ".exr or .png"},
      {{"render", "room.yaml", "-o", "a"}, "'a'", ".exr or .png"},
      {{"render", "room.yaml", "-o", "used"}, "used", ".exr or .png"},
      {{"render", "room.yaml", "-o", "absent/a.exr"}, "absent/a.exr", "no folder"},
      {{"render", "room.yaml", "-o", "text/a.exr"}, "text/a.exr", "no folder"},
      {{"render", "room.yaml", "-o", "/proc/a.exr"}, "-o: '/proc/a.exr'"},
      {{"report", "void", "-o", ""}, "--output: is empty"},
      {{"report", "void", "-o", "/proc/a.html"}, "-o: '/proc/a.html'"},
      {{"report", "void", "-o", "absent/a.html"}, "absent/a.html", "no folder"},
  };
  expect_refused(temp.path(), cases);
}

TEST(BadInput, NamesOfCamerasKindsChecksAndScenes) {
  const TempDir temp;
  write_inputs(temp.path());
  write_text_atomically(temp.path() / "views.yaml",
                        "extends: room.yaml\nscene:\n  cameras:\n    - {name: door, position: [0, -2, 1], look_at: [0, 2, 1]}\n");
  expect_refused(temp.path(), {
      {{"render", "views.yaml", "-o", "a.exr", "--camera", "dor"}, "--camera: 'dor'", "'door'"},
      {{"render", "views.yaml", "-o", "a.exr", "--camera", "1"}, "--camera: '1'", "'door'"},
      {{"render", "views.yaml", "-o", "a.exr", "--camera", "-1"}, "--camera: '-1'", "'door'"},
      {{"render", "views.yaml", "-o", "a.exr", "--camera", ""}, "--camera: ''", "'door'"},
      {{"render", "room.yaml", "-o", "a.exr", "--camera", "door"}, "--camera: 'door'", "no camera"},
      {{"render", "room.yaml", "-o", "a.png", "--spp", "0"}, "--spp: 0", ".exr"},
      {{"audit", "void", "--kinds", "colour"}, "'colour'", "color"},
      {{"audit", "void", "--kinds", "color,nothing"}, "'nothing'", "depth_meters"},
      {{"audit", "void", "--kinds", ""}, "''", "color"},
      {{"audit", "void", "--skip", "F99"}, "'F99'", "F15"},
      {{"audit", "void", "--skip", ""}, "''", "F15"},
      {{"audit", "void", "--scene", "ai_001_001"}, "'ai_001_001'", "scenes are"},
  });
}

TEST(BadInput, AssignmentsThatAreNone) {
  const TempDir temp;
  write_inputs(temp.path());
  const auto set = [](const char* assignment, const char* culprit, const char* possible) {
    return Case{{"generate", "room.yaml", "--out", "set", "--set", assignment}, culprit, possible};
  };
  expect_refused(temp.path(), {
      set("", "no '='", "group.key=value"),
      set("render.spp", "render.spp", "group.key=value"),
      set("=1", "empty name", "group.key=value"),
      set("render..spp=1", "render..spp", "empty name"),
      set("rendr.spp=1", "--set rendr.spp=1", "did you mean 'render'"),
      set("render.ssp=1", "--set render.ssp=1", "did you mean 'spp'"),
      set("render.spp.deep=1", "'deep'", "single value"),
      set("render.spp=[1", "--set render.spp=[1", "expected"),
      set("render.spp=*anchor", "render.spp", "not YAML"),
      set("extends=other.yaml", "'extends'", "the options are"),
      set("cameras.poses.0=1", "--set cameras.poses.0=1", "list of groups"),
      set("cameras.poses=[{}]", "cameras.poses[0].position", "[x, y, z]"),
      set("cameras.poses=[{position: [0, 0, 1], look_at: [0, 0, 1]}]", "cameras.poses[0]", "same point"),
      set("cameras.poses=[{position: [0, 0, 1], look_at: [0, 1, 1], camera: 1}]", "cameras.poses[0].camera", "numbered from 0"),
      set("cameras.from=poses", "cameras.from", "cameras.poses"),
      set("cameras.from=scene", "cameras.from", "no camera"),
      set("cameras.min_height_m=2", "cameras.min_height_m", "max_height_m"),
      set("rooms.catalogue=x", "rooms", "scene"),
      set("labels.rules=[{label: chaise, match: [a]}]", "chaise", "chair"),
      set("dataset.scenes=2", "dataset.scenes", "one scene"),
  });
  const auto room = [](const char* assignment, const char* culprit, const char* possible) {
    return Case{{"generate", "rooms", "--out", "set", "--set", assignment}, culprit, possible};
  };
  expect_refused(temp.path(), {
      room("rooms.catalogue=absent", "rooms.catalogue: absent", "apt install sweethome3d-furniture"),
      room("scene.file=room.obj", "scene", "rooms"),
      room("cameras.from=scene", "cameras.from", "sampler"),
  });
}

// ---------------------------------------------------------------- every key of the configuration

struct Key {
  std::string name, type, possible;   ///< columns of the documentation
};

/// Rows `| key | type | default | possible | meaning |` of a Markdown text.
std::vector<Key> keys_of(const std::string& markdown) {
  std::vector<Key> keys;
  for (std::size_t at = 0, end; (end = markdown.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = markdown.substr(at, end - at);
    if (!line.starts_with("| `")) continue;
    Words columns;
    for (std::size_t from = 2, to; (to = line.find(" |", from)) != std::string::npos; from = to + 3 <= line.size() ? to + 3 : to + 2)
      columns.push_back(line.substr(from, to - from));
    const std::string name = columns.at(0);
    keys.push_back({name.substr(1, name.size() - 2), columns.at(1), columns.at(3)});
  }
  return keys;
}

/// Values of another type, or out of the range that the documentation names.
Words wrong_values(const Key& key) {
  Words values;
  if (key.type == "whole number") values = {"", "abc", "1.5", "[1]", "{a: 1}", "99999999999999999999999", "'1'"};
  if (key.type == "number") values = {"", "abc", "nan", "inf", "1e999", "[1]", "{a: 1}"};
  if (key.type == "true/false") values = {"", "maybe", "1", "[true]"};
  if (key.type == "text") values = {"[a]", "{a: 1}"};
  if (key.type == "list of texts") values = {"a", "{a: 1}", "[[a]]"};
  if (key.type == "list of groups") values = {"a", "{a: 1}", "[a]"};
  if (key.type == "group") values = {"a", "[a]"};
  if (key.type.ends_with(" numbers")) values = {"1", "abc", "[1]", "[1, 2, 3, 4]", "[a, b, c]", "[nan, 0, 0]"};
  const std::size_t to = key.possible.find(" to ");
  if (key.type == "text" && !key.possible.empty()) values.push_back("nonsense");
  if (to != std::string::npos && key.type.ends_with("number")) {
    values.push_back(fmt::format("{}", std::stod(key.possible.substr(0, to)) - 1));
    values.push_back(fmt::format("{:.0f}", std::stod(key.possible.substr(to + 4)) + 1));
  }
  return values;
}

/// "a.b.N.c" and a value to "a.b=[{c: value}]".
std::string assignment(const std::string& key, const std::string& value) {
  const std::size_t list = key.find(".N.");
  return list == std::string::npos ? key + "=" + value
                                   : fmt::format("{}=[{{{}: {}}}]", key.substr(0, list), key.substr(list + 3), value);
}

std::string last_name(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// What the request is answered with; empty when it is accepted.
std::string answer(const std::string& input, const std::string& set, const fs::path& out) {
  try {
    GenerateRun run;
    run.root = out;
    generate(read_generate_request(input, {set}), run);
  } catch (const UsageError& e) {
    return e.what();
  }
  return {};
}

void expect_keys_are_checked(const std::vector<Key>& keys, const std::string& input, const fs::path& folder) {
  const std::set<std::string> before = names_below(folder);
  const auto expect = [&](const std::string& set, const std::string& culprit) {
    const std::string line = answer(input, set, folder / "set");
    EXPECT_THAT(line, HasSubstr(culprit)) << set;
    EXPECT_THAT(line, HasSubstr("--set")) << set;
    EXPECT_EQ(line.find('\n'), std::string::npos) << set;
  };
  for (const Key& key : keys) {
    const std::string name = last_name(key.name);
    for (const std::string& value : wrong_values(key))
      expect(assignment(key.name, value), key.type == "list of groups" ? name : name + "'");
    if (key.type != "any" && key.type != "group") expect(assignment(key.name + "x", "1"), name + "x'");
  }
  EXPECT_EQ(names_below(folder), before);
}

TEST(BadInput, EveryKeyOfADataSetIsChecked) {
  const TempDir temp;
  write_inputs(temp.path());
  std::vector<Key> keys = keys_of(config::document<GenerateOptions>());
  std::erase_if(keys, [](const Key& key) { return key.name == "scene"; });   // the next test
  EXPECT_GT(keys.size(), 40u);
  expect_keys_are_checked(keys, "rooms", temp.path());
}

TEST(BadInput, EveryKeyOfASceneIsChecked) {
  const TempDir temp;
  write_inputs(temp.path());
  std::vector<Key> keys = keys_of(read_text_file(fs::path(SIMULACRA_SOURCE_DIR) / "configs/README.md"));
  EXPECT_GT(keys.size(), 60u);
  for (Key& key : keys) {
    const std::size_t pattern = key.name.find("PATTERN");
    if (pattern != std::string::npos) key.name.replace(pattern, 7, "shine");
    key.name = "scene." + key.name;
  }
  expect_keys_are_checked(keys, (temp.path() / "room.yaml").string(), temp.path());
}

}  // namespace
}  // namespace simulacra
