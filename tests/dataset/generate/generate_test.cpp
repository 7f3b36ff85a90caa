// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/generate.h"

#include <map>

#include <gmock/gmock.h>

#include "dataset/schema/csv.h"
#include "dataset/schema/manifest.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/dataset/generate/tiny_room.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using test::TempDir;

GenerateRun run_into(const fs::path& root, int threads = 1) {
  GenerateRun run;
  run.root = root;
  run.threads = threads;
  run.version = "1.0.0";
  return run;
}

GenerateResult make(const fs::path& config, const fs::path& root, const std::vector<Assignment>& set = {},
                    int threads = 1) {
  return generate(read_generate_request(config.string(), set), run_into(root, threads));
}

std::string message_of(const fs::path& config, const fs::path& root, const std::vector<Assignment>& set = {}) {
  try {
    make(config, root, set);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

/// Path to bytes of everything below a folder; times in the manifest are left out.
std::map<std::string, std::string> tree(const fs::path& root) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file()) files[fs::relative(entry.path(), root).string()] = read_text_file(entry.path());
  Manifest manifest = parse_manifest(files["manifest.jsonl"], "manifest.jsonl");
  for (auto& [path, record] : manifest.files) record.seconds = 0;
  for (auto& [name, record] : manifest.scenes) record.seconds = 0;
  for (auto& [key, r] : manifest.frames)
    r.seconds = r.color_seconds = r.label_seconds = r.color_cpu_seconds = r.label_cpu_seconds = r.store_seconds = 0;
  files["manifest.jsonl"] = manifest.text();
  return files;
}

TEST(Generate, WritesAllFramesAndDoesNotDependOnThreads) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  const GenerateResult result = make(config, temp.path() / "one", {}, 1);
  EXPECT_EQ(result.frames, 3);
  EXPECT_EQ(result.rendered, 3);
  EXPECT_LE(result.identity_error_steps, 0.5);
  make(config, temp.path() / "two", {}, 2);
  EXPECT_EQ(tree(temp.path() / "one"), tree(temp.path() / "two"));

  const Manifest manifest = read_manifest(temp.path() / "one" / kManifestFile);
  EXPECT_TRUE(manifest.dataset->complete);
  EXPECT_EQ(manifest.frames.size(), 3u);
  EXPECT_EQ(manifest.scenes.at("ai_900_001").scene_type, "Bedroom");
  for (const LabelSpec& row : kLabels)
    EXPECT_TRUE(manifest.files.contains(label_path({"ai_900_001", "cam_00", 2}, row.id))) << row.name;
  EXPECT_EQ(read_text_file(temp.path() / "one/ai_900_001/_detail/CREDITS.txt"), "our own boxes\n");
}

TEST(Generate, ASecondRunRendersNothing) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  make(config, temp.path() / "set");
  const auto before = tree(temp.path() / "set");
  const GenerateResult again = make(config, temp.path() / "set");
  EXPECT_EQ(again.rendered, 0);
  EXPECT_EQ(again.kept, 3);
  EXPECT_EQ(tree(temp.path() / "set"), before);
}

TEST(Generate, AStoppedRunLosesNoFinishedFrameAndIsCompletedToTheSameTree) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  make(config, temp.path() / "whole");
  const fs::path root = temp.path() / "set";
  const GenerateRequest request = read_generate_request(config.string(), {});
  std::atomic<bool> cancel{false};
  GenerateRun run = run_into(root);
  run.cancel = &cancel;
  run.progress = [&](double share) { cancel = share > 0.5; };  // in the middle of the second frame
  const GenerateResult stopped = generate(request, run);
  EXPECT_TRUE(stopped.cancelled);
  EXPECT_EQ(stopped.rendered, 1);
  EXPECT_FALSE(read_manifest(root / kManifestFile).dataset->complete);
  const GenerateResult rest = make(config, root);
  EXPECT_EQ(rest.kept, 1);
  EXPECT_EQ(rest.rendered, 2);
  EXPECT_EQ(tree(root), tree(temp.path() / "whole"));
}

TEST(Generate, ADamagedSetIsRepaired) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  make(config, temp.path() / "set");
  const auto before = tree(temp.path() / "set");
  fs::remove(temp.path() / "set" / label_path({"ai_900_001", "cam_00", 1}, Label::semantic));
  fs::resize_file(temp.path() / "set/ai_900_001/_detail/mesh/mesh_objects_si.hdf5", 100);
  fs::remove(temp.path() / "set/CONVENTIONS.md");
  EXPECT_EQ(make(config, temp.path() / "set").rendered, 1);
  EXPECT_EQ(tree(temp.path() / "set"), before);
}

TEST(Generate, AChangedSceneOrRequestIsRefused) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  const fs::path root = temp.path() / "set";
  make(config, root);
  EXPECT_THAT(message_of(config, root, {"cameras.frames=4"}), HasSubstr("cameras.frames is 3 there, 4 here"));
  // Of a finished set nothing is read; one that must be completed needs the same scene.
  fs::remove(root / label_path({"ai_900_001", "cam_00", 1}, Label::semantic));
  Manifest manifest = read_manifest(root / kManifestFile);
  manifest.dataset->complete = false;
  write_text_atomically(root / kManifestFile, manifest.text());
  std::string obj = read_text_file(temp.path() / "room.obj");
  obj.replace(obj.find("1.7"), 3, "1.8");
  write_text_atomically(temp.path() / "room.obj", obj);
  EXPECT_THAT(message_of(config, root), HasSubstr("another version of room.yaml"));
}

TEST(Generate, NothingIsWrittenWhenTheRequestCannotBeMet) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  const fs::path root = temp.path() / "set";
  EXPECT_THAT(message_of(temp.path() / "dark.yaml", root), HasSubstr("has no light"));
  EXPECT_THAT(message_of(config, root, {"cameras.min_objects=500", "cameras.attempts=5"}), HasSubstr("found 0 of 3 views"));
  EXPECT_THAT(message_of(config, root, {"scene.file=absent.obj"}), HasSubstr("absent.obj"));
  EXPECT_FALSE(fs::exists(root));
}

TEST(Generate, NamesWithoutClassAreListedByTheirShareOfPixels) {
  const TempDir temp;
  const fs::path config = test::write_tiny_room(temp.path());
  make(config, temp.path() / "set",
       {"cameras.poses=[{position: [-1, -1.5, 1.5], look_at: [1.2, 2.1, 0.4]}]", "cameras.frames=1"});
  const Manifest manifest = read_manifest(temp.path() / "set" / kManifestFile);
  const FrameRecord& frame = manifest.frames.begin()->second;
  EXPECT_EQ(frame.view, "pose 0");
  const CsvTable table = read_csv(temp.path() / "set/ai_900_001/_detail/metadata_unlabelled.csv");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_THAT(table.rows[0][0], HasSubstr("gizmo"));
  EXPECT_EQ(table.rows[0][table.column("pixels")], std::to_string(frame.unlabelled_pixels));
  EXPECT_GT(frame.unlabelled_pixels, 20u);
}

}  // namespace
}  // namespace simulacra
