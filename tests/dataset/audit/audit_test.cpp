// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/audit.h"

#include <filesystem>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string usage_message(const std::function<void()>& act) {
  try {
    act();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

const AuditCheck& check(const AuditResult& result, const std::string& id) {
  for (const AuditCheck& c : result.checks)
    if (c.id == id) return c;
  throw std::runtime_error("no check " + id);
}

TEST(Audit, AnEmptyFolderIsAnIncompleteSet) {
  const test::TempDir folder;
  const AuditResult result = audit(folder.path(), {});
  EXPECT_FALSE(result.ok());
  EXPECT_TRUE(result.incomplete);
  EXPECT_EQ(check(result, "M.complete").failed, 1u);
  EXPECT_THAT(audit_as_text(result), HasSubstr("the data set is incomplete"));
}

TEST(Audit, ARunThatWroteNoManifestYetIsIncomplete) {
  const test::TempDir folder;
  fs::create_directories(folder.path() / ".simulacra");
  fs::create_directories(folder.path() / "ai_900_000" / "images");
  const AuditResult result = audit(folder.path(), {});
  EXPECT_TRUE(result.incomplete);
  EXPECT_EQ(check(result, "M.complete").failed, 1u);
}

TEST(Audit, ADamagedManifestIsAFailureNotAnException) {
  const test::TempDir folder;
  write_text_atomically(folder.path() / "manifest.jsonl", "{\"record\": 3}\n{}\n");
  const AuditResult result = audit(folder.path(), {});
  EXPECT_TRUE(result.incomplete);
  EXPECT_EQ(check(result, "M.complete").failed, 1u);
}

TEST(Audit, AnUnlistedTableAndAnEmptySceneAreFailures) {
  const test::TempDir folder;
  fs::create_directories(folder.path() / "ai_900_000" / "_detail" / "cam_00");
  const AuditResult result = audit(folder.path(), {});
  EXPECT_GT(check(result, "F1.files").failed, 10u);
  EXPECT_EQ(result.cameras, 1u);
  EXPECT_THAT(audit_as_text(result, 2), AllOf(HasSubstr("FAIL F1.files"), HasSubstr("more\n"), HasSubstr("failures in")));
}

TEST(Audit, GarbageInEveryFileIsReportedFileByFile) {
  const test::TempDir folder;
  const fs::path scene = folder.path() / "ai_900_000";
  const std::string garbage(5000, '\x8d');
  for (const char* path : {"_detail/metadata_scene.csv", "_detail/metadata_cameras.csv", "_detail/metadata_nodes.csv",
                           "_detail/mesh/mesh_objects_si.hdf5", "_detail/cam_00/camera_keyframe_positions.hdf5",
                           "images/scene_cam_00_final_hdf5/frame.0000.color.hdf5",
                           "images/scene_cam_00_final_preview/frame.0000.tonemap.jpg",
                           "images/scene_cam_00_geometry_preview/frame.0000.semantic.png"}) {
    fs::create_directories((scene / path).parent_path());
    write_text_atomically(scene / path, garbage);
  }
  const AuditResult result = audit(folder.path(), {});
  EXPECT_EQ(check(result, "F1.readable").failed, 3u);
  EXPECT_EQ(check(result, "F10.preview").failed, 2u);
  EXPECT_EQ(check(result, "F13.scene").failed, 1u);
}

TEST(Audit, WrongRequestsAreAnsweredWithWhatIsPossible) {
  const test::TempDir folder;
  fs::create_directories(folder.path() / "ai_900_000" / "images");
  EXPECT_THAT(usage_message([&] { audit(folder.path() / "none", {}); }), AllOf(HasSubstr("none"), HasSubstr("is no folder")));
  EXPECT_THAT(usage_message([&] { audit(folder.path(), {.kinds = {"depth"}}); }),
              AllOf(HasSubstr("'depth'"), HasSubstr("depth_meters"), HasSubstr("camera"), HasSubstr("all")));
  EXPECT_THAT(usage_message([&] { audit(folder.path(), {.skip = {"F99"}}); }), AllOf(HasSubstr("'F99'"), HasSubstr("F15")));
  EXPECT_THAT(usage_message([&] { audit(folder.path(), {.scenes = {"ai_001_001"}}); }),
              AllOf(HasSubstr("'ai_001_001'"), HasSubstr("ai_900_000")));
}

}  // namespace
}  // namespace simulacra
