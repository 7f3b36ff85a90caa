// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/manifest.h"

#include <gmock/gmock.h>

#include "render/base/error.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

Manifest example() {
  Manifest manifest;
  manifest.add(DatasetRecord{.version = "1.2.3", .config_sha256 = "ab", .seed = ~0ull, .scenes = 1, .frames = 2,
                             .width = 333, .height = 217});
  manifest.add(SceneRecord{.scene = "ai_900_001", .source = "Wohnzimmer \"2\".glb", .scene_type = "Living room",
                           .content_sha256 = "", .seed = 3, .warnings = {"a: b"}, .seconds = 0.5});
  FrameRecord frame;
  frame.name = {"ai_900_001", "cam_00", 1};
  frame.unlabelled = {{"thing", 12}};
  frame.max_identity_error = 1.0 / 3;
  manifest.add(frame);
  manifest.add(FileRecord{"ai_900_001/x.hdf5", 123, "cd", 5, "ab", "1.2.3", 0.25});
  return manifest;
}

TEST(Manifest, EveryFieldSurvivesTheRoundTrip) {
  const Manifest before = example();
  const Manifest after = parse_manifest(before.text(), "m");
  EXPECT_FALSE(after.torn);
  EXPECT_EQ(after.dataset, before.dataset);
  EXPECT_EQ(after.scenes, before.scenes);
  EXPECT_EQ(after.frames, before.frames);
  EXPECT_EQ(after.files, before.files);
}

TEST(Manifest, LaterLinesReplaceEarlierOnes) {
  FileRecord file{"p", 1, "old", 0, "", "", 0};
  std::string text = manifest_line(file);
  file.sha256 = "new";
  text += manifest_line(file);
  EXPECT_EQ(parse_manifest(text, "m").files.at("p").sha256, "new");
}

// Cut at every byte of the last line: everything before it is still there.
TEST(Manifest, ATornLastLineIsLeftOut) {
  const std::string text = example().text();
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t end = last + 1; end < text.size(); ++end) {
    const Manifest manifest = parse_manifest(text.substr(0, end), "m");
    EXPECT_TRUE(manifest.torn);
    EXPECT_TRUE(manifest.files.empty());
    EXPECT_EQ(manifest.frames.size(), 1u);
  }
}

TEST(Manifest, ADamagedLineInTheMiddleIsAnErrorThatNamesIt) {
  std::string text = example().text();
  text[text.find("scene\"")] = '\x01';
  EXPECT_THROW(
      try { parse_manifest(text, "m"); } catch (const Error& e) {
        EXPECT_THAT(e.what(), HasSubstr("m:2: not a manifest line"));
        throw;
      },
      Error);
}

TEST(Manifest, AnotherFormatIsRefused) {
  DatasetRecord record;
  record.format = 99;
  EXPECT_THROW(parse_manifest(manifest_line(record), "m"), Error);
}

}  // namespace
}  // namespace simulacra
