// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/options.h"

#include <gmock/gmock.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/dataset/generate/tiny_room.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string message_of(const std::string& input, const std::vector<Assignment>& assignments = {}) {
  try {
    read_generate_request(input, assignments);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

std::string yaml(const test::TempDir& folder, const std::string& text) {
  const fs::path file = folder.path() / "config.yaml";
  write_text_atomically(file, text);
  return file.string();
}

TEST(GenerateOptions, AConfigurationSetsWhatItNames) {
  const test::TempDir folder;
  const GenerateRequest r = read_generate_request(test::write_tiny_room(folder.path()).string(), {});
  EXPECT_EQ(r.kind, SourceKind::config);
  EXPECT_EQ(r.options.seed, 11u);
  EXPECT_EQ(r.options.dataset.width, 64);
  EXPECT_EQ(r.options.cameras.frames, 3);
  EXPECT_EQ(r.options.render.spp, 4);
  EXPECT_EQ(r.options.cameras.fov_x_deg, 60);
}

TEST(GenerateOptions, SetStandsAboveTheFile) {
  const test::TempDir folder;
  const GenerateRequest r =
      read_generate_request(test::write_tiny_room(folder.path()).string(), {"cameras.frames=7", "labels.guess_structure=true"});
  EXPECT_EQ(r.options.cameras.frames, 7);
  EXPECT_TRUE(r.options.labels.guess_structure);
  EXPECT_FALSE(r.options.labels.rules.empty()) << "the built-in rules stay";
}

TEST(GenerateOptions, ASceneFileAndTheWordRoomsNeedNoConfiguration) {
  const test::TempDir folder;
  test::write_tiny_room(folder.path());
  EXPECT_EQ(read_generate_request((folder.path() / "room.obj").string(), {}).kind, SourceKind::scene_file);
  EXPECT_EQ(read_generate_request("rooms", {"dataset.scenes=3"}).options.dataset.scenes, 3);
  EXPECT_EQ(read_generate_request(yaml(folder, "rooms: {type: office}\n"), {}).kind, SourceKind::rooms);
}

TEST(GenerateOptions, TheStoredConfigurationNamesNoFolderOfThisMachine) {
  const test::TempDir folder;
  test::write_tiny_room(folder.path());
  const std::string where = folder.path().string();
  EXPECT_THAT(read_generate_request((folder.path() / "room.obj").string(), {}).config_yaml, Not(HasSubstr(where)));
  const GenerateRequest rooms =
      read_generate_request("rooms", {"rooms.cache=" + where, "rooms.catalogue=" + where + "/models"});
  EXPECT_THAT(rooms.config_yaml, Not(HasSubstr(where)));
  EXPECT_EQ(rooms.options.rooms.cache, where);
}

TEST(GenerateOptions, TheStoredConfigurationReadsBackAsTheSame) {
  const test::TempDir folder;
  const std::string file = test::write_tiny_room(folder.path()).string();
  const GenerateRequest once = read_generate_request(file, {"cameras.from=sampler"});
  const GenerateRequest twice = read_generate_request(yaml(folder, once.config_yaml.substr(0, once.config_yaml.find("rooms:")) +
                                                                       "cameras: {from: sampler, frames: 3}\nrender: {spp: 4}\n"
                                                                       "dataset: {width: 64, height: 48, scene_type: Bedroom, "
                                                                       "credits: our own boxes}\n"),
                                                      {});
  EXPECT_EQ(once.config_yaml, twice.config_yaml);
}

TEST(GenerateOptions, BadRequestsNameTheCulpritAndWhatIsPossible) {
  const test::TempDir folder;
  const std::string room = test::write_tiny_room(folder.path()).string();
  EXPECT_THAT(message_of("absent.glb"), HasSubstr("absent.glb: no such file; expected a configuration"));
  EXPECT_THAT(message_of(folder.path().string()), HasSubstr("a folder"));
  EXPECT_THAT(message_of(yaml(folder, "seed: 1\n")), HasSubstr("neither 'scene' nor 'rooms'"));
  EXPECT_THAT(message_of(yaml(folder, "scene: {}\nrooms: {}\n")), HasSubstr("both 'scene' and 'rooms'"));
  EXPECT_THAT(message_of(yaml(folder, "scene: {}\ncamera: {}\n")), HasSubstr("did you mean 'cameras'"));
  EXPECT_THAT(message_of(yaml(folder, "scene: {}\ncameras:\n  framse: 2\n")), HasSubstr(":3:"));
  EXPECT_THAT(message_of(room, {"dataset.scenes=2"}), HasSubstr("only 'rooms' makes several"));
  EXPECT_THAT(message_of("rooms", {"dataset.first_scene=998", "dataset.scenes=5"}), HasSubstr("999 scenes of a volume"));
  EXPECT_THAT(message_of("rooms", {"scene.file=x"}), HasSubstr("rooms are generated"));
  EXPECT_THAT(message_of(room, {"cameras.from=nowhere"}), HasSubstr("auto, poses, scene, sampler"));
  EXPECT_THAT(message_of(room, {"render.spp=0"}), HasSubstr("'render.spp' is 0; expected 1"));
  EXPECT_THAT(message_of(room, {"frames"}), HasSubstr("no '='"));
}

}  // namespace
}  // namespace simulacra
