// SPDX-License-Identifier: Apache-2.0
#include "tests/learning/tensors/room_set.h"

#include <array>

#include "dataset/schema/canonical.h"
#include "dataset/store/frame_files.h"
#include "dataset/store/scene_files.h"
#include "render/base/files.h"
#include "tests/dataset/store/box_room.h"

namespace simulacra::test {
namespace {

namespace fs = std::filesystem;

struct View {
  Vec3d eye, target;
};
const std::array kViews = {View{{-1.2, -2.4, 1.5}, {0.2, 1.2, 0.9}},  View{{-1.0, -2.3, 1.5}, {0.3, 1.2, 0.9}},
                           View{{1.9, 1.8, 1.5}, {-1.0, -0.6, 0.8}},  View{{1.8, 1.9, 1.6}, {-1.0, -0.6, 0.8}},
                           View{{0.0, 0.0, 1.5}, {-2.0, 0.3, 1.4}},   View{{0.0, 0.0, 1.5}, {2.0, -2.5, 1.4}}};

void put(const fs::path& root, const std::vector<OutputFile>& files) {
  for (const OutputFile& file : files) {
    fs::create_directories((root / file.path).parent_path());
    write_file_atomically(root / file.path, file.bytes);
  }
}

}  // namespace

void write_room_set(const fs::path& root, int frames, int width, int height) {
  const SceneDescription room = box_room();
  const std::string scene = scene_name(900, 1), camera = camera_name(0);
  put(root, scene_files(room, scene, std::vector{camera}, {}));
  std::vector<Pose> poses;
  for (const View& view : kViews) poses.push_back({looking_at(view.eye, view.target), view.target, "list"});
  poses.resize(static_cast<std::size_t>(frames));
  put(root, camera_files(scene, camera, poses));
  FrameFilesOptions options;
  options.previews = false;
  for (int i = 0; i < frames; ++i)
    put(root, frame_files(box_room_frame(room, poses[static_cast<std::size_t>(i)].world_from_cam, width, height), {scene, camera, i}, options,
                          serial_for));
}

}  // namespace simulacra::test
