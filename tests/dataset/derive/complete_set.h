// SPDX-License-Identifier: Apache-2.0
// A finished data set of one small furnished room, with manifest, tables, boxes and previews, written by the store.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "dataset/store/dataset_folder.h"
#include "dataset/store/dataset_tables.h"
#include "dataset/store/frame_files.h"
#include "dataset/store/scene_files.h"
#include "tests/dataset/store/box_room.h"

namespace simulacra::test {

/// `frames` (up to 4) views of width x height pixels.
inline void write_complete_set(const std::filesystem::path& root, int frames, int width, int height) {
  static constexpr std::array<std::array<Vec3d, 2>, 4> kViews = {{{{{-1.2, -2.4, 1.5}, {0.2, 1.2, 0.9}}},
                                                                   {{{0.9, -2.2, 1.6}, {-0.6, 1.6, 0.8}}},
                                                                   {{{-1.9, -0.8, 1.4}, {0.8, 1.4, 0.7}}},
                                                                   {{{1.8, -1.0, 1.7}, {-1.2, 1.7, 0.7}}}}};
  const SceneDescription room = box_room();
  const std::string scene = "ai_900_001", camera = "cam_00";
  const std::vector<std::string> cameras{camera};
  DatasetRecord plan;
  plan.version = "1.0.0";
  plan.scenes = plan.cameras = 1;
  plan.frames = frames, plan.width = width, plan.height = height;
  DatasetFolder folder(root, plan, "{}\n");
  folder.open(serial_for);
  SceneSummary summary{scene, "Living room", cameras, frames, {}};
  summary.camera = {scene, width, height, 1, kCanonicalFovRad, pinhole_cam_from_uv(width, height)};
  folder.put(dataset_tables(std::vector<SceneSummary>{summary}), 0, {}, serial_for);
  folder.put(scene_files(room, scene, cameras, {}), 0, {}, serial_for);
  std::vector<Pose> poses;
  for (int i = 0; i < frames; ++i) {
    const auto& [eye, target] = kViews[static_cast<std::size_t>(i)];
    poses.push_back({looking_at(eye, target), target, "list"});
  }
  folder.put(camera_files(scene, camera, poses), 0, {}, serial_for);
  for (int i = 0; i < frames; ++i) {
    FrameRecord record;
    record.name = {scene, camera, i};
    const Frame frame = box_room_frame(room, poses[static_cast<std::size_t>(i)].world_from_cam, width, height);
    folder.put(frame_files(frame, record.name, {}, serial_for), 0, {record}, serial_for);
  }
  folder.finish();
}

}  // namespace simulacra::test
