// SPDX-License-Identifier: Apache-2.0
// The audit beside the independent checker: on its valid sets, on every way to break one, on genuine files.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataset/audit/audit.h"
#include "dataset/schema/checksum.h"
#include "dataset/schema/manifest.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

std::set<std::string> failed(const AuditResult& result) {
  std::set<std::string> ids;
  for (const AuditFailure& f : result.failures) ids.insert(f.check);
  return ids;
}

/// Sets of broken_sets.py below `target`: those named, else all.
bool make_sets(const fs::path& shared, const fs::path& target, const std::string& names) {
  const fs::path script = fs::path(SIMULACRA_SOURCE_DIR) / "tests/dataset/audit/broken_sets.py";
  const std::string command = "'" + test::judge_python() + "' '" + script.string() + "' '" +
                              (shared / "acceptance/hypersim").string() + "' '" + target.string() + "' " + names;
  return std::system(command.c_str()) == 0;
}

#define NEED_SETS(root, names)                                                              \
  SIM_NEED_SHARED_DATA(shared);                                                             \
  if (test::judge_python().empty()) GTEST_SKIP() << "skipped: no Python with numpy and h5py"; \
  const test::TempDir root##_folder;                                                        \
  const fs::path root = root##_folder.path();                                               \
  ASSERT_TRUE(make_sets(shared, root, names)) << "broken_sets.py failed"

void threaded(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> next{0};
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) body(count - 1 - i);
    });
  for (std::thread& t : threads) t.join();
}

/// A copy of the valid set with a manifest that lists every file of it.
void copy_with_manifest(const fs::path& valid, const fs::path& target, bool complete) {
  fs::copy(valid, target, fs::copy_options::recursive);
  Manifest manifest;
  DatasetRecord set;
  set.scenes = 2, set.cameras = 1, set.frames = 2, set.width = 64, set.height = 48, set.complete = complete;
  manifest.add(set);
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(target)) {
    if (!e.is_regular_file()) continue;
    FileRecord record;
    record.path = e.path().lexically_relative(target).generic_string();
    record.bytes = e.file_size();
    record.sha256 = sha256_of_file(e.path());
    manifest.add(record);
  }
  write_text_atomically(target / "manifest.jsonl", manifest.text());
}

TEST(AuditFixture, TheVerdictOnEverySetIsThatOfTheChecker) {
  NEED_SETS(root, "");
  const Json verdicts = Json::parse(read_text_file(root / "verdicts.json"));
  ASSERT_GT(verdicts.size(), 100u);
  for (const auto& [name, verdict] : verdicts.items()) {
    const AuditResult result = audit(root / name, {});
    EXPECT_EQ(failed(result), verdict["failed"].get<std::set<std::string>>()) << name << "\n" << audit_as_text(result, 2);
    EXPECT_EQ(result.ok(), verdict["expect"].is_null()) << name;
    for (const AuditFailure& f : result.failures)
      EXPECT_FALSE(f.path.empty() || f.expected.empty() || f.found.empty()) << name << " " << f.check;
  }
}

TEST(AuditFixture, EveryCheckOfTheFormatIsMadeOnAValidSet) {
  NEED_SETS(root, "valid_mesh");
  const AuditResult result = audit(root / "valid_mesh", {});
  EXPECT_THAT(result.failures, IsEmpty());
  for (const AuditCheck& c : result.checks)
    EXPECT_EQ(c.checked > 0, c.id[0] == 'F' && c.id != "F2.size") << c.id;
  EXPECT_EQ(result.scenes, 2u);
  EXPECT_EQ(result.cameras, 2u);
  EXPECT_EQ(result.frames, 4u);
}

TEST(AuditFixture, ThreadsChangeNothing) {
  NEED_SETS(root, "valid_mesh y_up_world instances_swapped boxes_too_small");
  for (const char* name : {"valid_mesh", "y_up_world", "instances_swapped", "boxes_too_small"}) {
    AuditOptions options;
    const std::string serial = audit_as_json(audit(root / name, options));
    options.parallel = threaded;
    EXPECT_EQ(audit_as_json(audit(root / name, options)), serial) << name;
  }
}

TEST(AuditFixture, KindsRestrictWhatIsDemanded) {
  NEED_SETS(root, "planar_depth");
  const test::TempDir folder;
  const fs::path copy = folder.path() / "copy";
  fs::copy(root / "valid", copy, fs::copy_options::recursive);
  fs::remove_all(copy / "analysis");
  fs::remove(copy / "metadata_camera_parameters.csv");
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(copy)) {
    const std::string name = e.path().filename().string();
    if (name.starts_with("frame.") && name.find(".depth_meters.") == std::string::npos && name.find(".position.") == std::string::npos)
      fs::remove(e.path());
  }
  EXPECT_THAT(failed(audit(copy, {})), Contains("F1.files"));
  const AuditResult result = audit(copy, {.kinds = {"depth_meters", "position"}});
  EXPECT_THAT(failed(result), IsEmpty()) << audit_as_text(result);
  for (const AuditCheck& c : result.checks)
    if (c.id == "F5.depth" || c.id == "F6.unproject") {
      EXPECT_EQ(c.checked, 4u) << c.id;
    }
  EXPECT_THAT(failed(audit(root / "planar_depth", {.kinds = {"depth_meters", "position"}})), Contains("F5.depth"));
}

TEST(AuditFixture, CompleteDemandsTheOptionalParts) {
  NEED_SETS(root, "valid_bare");
  EXPECT_THAT(failed(audit(root / "valid", {.complete = true})), ::testing::ElementsAre("F2.size"));
  EXPECT_THAT(failed(audit(root / "valid_bare", {.complete = true})), ::testing::ElementsAre("F1.files", "F2.size"));
}

TEST(AuditFixture, SkippedChecksDoNotCount) {
  NEED_SETS(root, "planar_depth");
  EXPECT_TRUE(audit(root / "planar_depth", {.skip = {"F5", "F6"}}).ok());
  EXPECT_FALSE(audit(root / "planar_depth", {.skip = {"F5"}}).ok());
  EXPECT_TRUE(audit(root / "planar_depth", {.skip = {"F5", "F6"}, .scenes = {"*_002"}}).ok());
}

TEST(AuditFixture, AFinishedSetWithItsManifestIsAccepted) {
  NEED_SETS(root, "valid");
  const test::TempDir folder;
  copy_with_manifest(root / "valid", folder.path() / "set", true);
  const AuditResult result = audit(folder.path() / "set", {});
  EXPECT_TRUE(result.ok()) << audit_as_text(result);
  EXPECT_FALSE(result.incomplete);
  EXPECT_GT(result.checks[1].checked, 100u);
  EXPECT_GT(result.checks[2].checked, 100u);
}

TEST(AuditFixture, AnUnfinishedSetIsIncomplete) {
  NEED_SETS(root, "valid");
  const test::TempDir folder;
  copy_with_manifest(root / "valid", folder.path() / "set", false);
  const AuditResult result = audit(folder.path() / "set", {});
  EXPECT_TRUE(result.incomplete);
  EXPECT_THAT(failed(result), ::testing::ElementsAre("M.complete"));
  EXPECT_THAT(audit_as_text(result), HasSubstr("incomplete"));
}

TEST(AuditFixture, ChangedMissingAndShortFilesOfAManifestAreFound) {
  NEED_SETS(root, "valid");
  const test::TempDir folder;
  const fs::path set = folder.path() / "set", images = set / "ai_900_001/images";
  copy_with_manifest(root / "valid", set, true);
  const fs::path changed = images / "scene_cam_00_final_preview/frame.0000.gamma.jpg";
  std::vector<std::uint8_t> bytes = read_file(changed);
  bytes[bytes.size() / 2] ^= 1;
  write_file_atomically(changed, bytes);
  const fs::path shorter = images / "scene_cam_00_final_preview/frame.0001.color.jpg";
  fs::resize_file(shorter, fs::file_size(shorter) - 1);
  fs::remove(images / "scene_cam_00_geometry_preview/frame.0001.semantic.png");
  const AuditResult result = audit(set, {});
  EXPECT_THAT(failed(result), Contains("M.files"));
  EXPECT_THAT(failed(result), Contains("M.checksum"));
  EXPECT_EQ(result.checks[1].failed, 2u);
  EXPECT_EQ(result.checks[2].failed, 1u);
}

TEST(AuditGenuine, TablesOfTheOriginalAreAccepted) {
  SIM_NEED_SHARED_DATA(shared);
  const fs::path genuine = shared / "data/hypersim";
  const test::TempDir folder;
  fs::copy(genuine / "metadata", folder.path() / "root", fs::copy_options::recursive);
  for (const fs::directory_entry& scene : fs::directory_iterator(genuine / "scenes"))
    fs::copy(scene.path(), folder.path() / "root" / scene.path().filename(), fs::copy_options::recursive);
  const AuditResult result = audit(folder.path() / "root", {.kinds = {"csv", "mesh"}, .scenes = {"ai_*"}});
  // The original has cameras with lens shift and instance ids with gaps; its own checker is told so too.
  for (const AuditFailure& f : result.failures)
    EXPECT_TRUE(f.check == "F13.canonical" || f.check == "F12.contiguous" || f.check == "F11.oneclass")
        << f.check << " " << f.path << ": " << f.found;
  for (const AuditCheck& c : result.checks)
    if (c.id == "F13.split" || c.id == "F13.trajectories" || c.id == "F13.parameters" || c.id == "F11.objects" || c.id == "F2.dtype") {
      EXPECT_GT(c.checked, 0u) << c.id;
    }
}

TEST(AuditGenuine, TheDepthFileOfTheOriginalIsAccepted) {
  SIM_NEED_SHARED_DATA(shared);
  const AuditResult result = audit(shared / "data/hypersim/frame-ai_037_002", {.kinds = {"depth_meters"}, .complete = true});
  EXPECT_TRUE(result.ok()) << audit_as_text(result);
  EXPECT_EQ(result.frames, 1u);
}

}  // namespace
}  // namespace simulacra
