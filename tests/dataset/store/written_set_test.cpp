// SPDX-License-Identifier: Apache-2.0
// A data set written by the store alone, judged by the independent checker.
#include <cstdlib>
#include <string>

#include <gmock/gmock.h>

#include "dataset/schema/checksum.h"
#include "dataset/store/dataset_folder.h"
#include "dataset/store/dataset_tables.h"
#include "dataset/store/frame_files.h"
#include "dataset/store/scene_files.h"
#include "render/base/error.h"
#include "tests/dataset/store/box_room.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

struct View {
  Vec3d eye, target;
};
constexpr int kFrames = 4;
const View kViews[kFrames] = {{{-1.2, -2.4, 1.5}, {0.2, 1.2, 0.9}},
                              {{0.9, -2.2, 1.6}, {-0.6, 1.6, 0.8}},
                              {{-1.9, -0.8, 1.4}, {0.8, 1.4, 0.7}},
                              {{1.8, -1.0, 1.7}, {-1.2, 1.7, 0.7}}};

/// The whole sequence that makes a data set of one scene and one camera.
void write_set(const fs::path& root, int width, int height) {
  const SceneDescription room = test::box_room();
  const FrameName first{"ai_900_001", "cam_00", 0};
  const std::vector<std::string> cameras{first.camera};
  DatasetRecord plan;
  plan.version = "1.0.0";
  plan.scenes = plan.cameras = 1;
  plan.frames = kFrames;
  DatasetFolder folder(root, plan, "{}\n");
  folder.open(serial_for);

  SceneSummary summary{first.scene, "Living room", cameras, kFrames, {}};
  summary.camera = {first.scene, width, height, 1, kCanonicalFovRad, pinhole_cam_from_uv(width, height)};
  folder.put(dataset_tables(std::vector<SceneSummary>{summary}), 0, {}, serial_for);
  folder.put(scene_files(room, first.scene, cameras, {}), 0, {}, serial_for);
  std::vector<Pose> poses;
  for (const View& view : kViews) poses.push_back({test::looking_at(view.eye, view.target), view.target, "list"});
  folder.put(camera_files(first.scene, first.camera, poses), 0, {}, serial_for);
  for (int i = 0; i < kFrames; ++i) {
    FrameRecord record;
    record.name = {first.scene, first.camera, i};
    const Frame frame = test::box_room_frame(room, poses[static_cast<std::size_t>(i)].world_from_cam, width, height);
    folder.put(frame_files(frame, record.name, {}, serial_for), 0, {record}, serial_for);
  }
  folder.finish();
}

/// Exit status of a command whose output is shown.
int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class WrittenSet : public ::testing::TestWithParam<std::pair<int, int>> {};

TEST_P(WrittenSet, IsAcceptedByTheIndependentChecker) {
  SIM_NEED_SHARED_DATA(shared);
  const std::string python = test::judge_python();
  if (python.empty()) GTEST_SKIP() << "skipped: no Python with numpy and h5py";
  const auto [width, height] = GetParam();
  const test::TempDir temp;
  const fs::path root = temp.path() / "set";
  write_set(root, width, height);
  const std::string complete = width == 1024 ? " --complete" : "";
  EXPECT_EQ(run(fmt::format("'{}' '{}' '{}'{} 2>&1", python,
                            (shared / "acceptance/hypersim/check_dataset.py").string(), root.string(), complete)),
            0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WrittenSet, ::testing::Values(std::pair(333, 217), std::pair(1024, 768)),
                         [](const auto& size) { return fmt::format("{}x{}", size.param.first, size.param.second); });

}  // namespace
}  // namespace simulacra
