// SPDX-License-Identifier: Apache-2.0
// Which frames a data set in Hypersim layout holds, ours or the public one's: found by their files' names, so that a
// partial download, or a set that is still being made, is usable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/schema/layout.h"
#include "render/base/vec.h"
#include "render/labels/labels.h"

namespace simulacra {

/// A set of labels: bit index_of(label).
using LabelSet = std::uint32_t;
static_assert(kNumLabels <= 32);
constexpr LabelSet label_bit(Label label) { return LabelSet{1} << index_of(label); }
constexpr bool has(LabelSet set, Label label) { return (set & label_bit(label)) != 0; }
/// "depth_meters, semantic"; "none" of an empty set.
std::string names_of(LabelSet set);

struct SceneFacts {
  std::string name;                          ///< "ai_900_001"
  double meters_per_asset_unit = 1;          ///< metadata_scene.csv
  Mat3d cam_from_uv;                         ///< camera-frame ray of (u, v, 1); the canonical pinhole's where no table says otherwise
};

struct CameraFacts {
  std::size_t scene_idx = 0;
  std::string name;                          ///< "cam_00"
  /// By frame number, translation in metres. Empty when there are no camera files; frames whose orientation is no
  /// rotation (a few of the public set) are left out.
  std::map<int, Affine3d> world_from_cam;
};

struct FrameFacts {
  std::size_t camera_idx = 0;
  int frame = 0;
  LabelSet labels = 0;
};

struct FrameIndex {
  std::filesystem::path root;                ///< as it was asked for
  std::filesystem::path scenes_folder;       ///< root, or root/scenes: label_path() starts there
  int width = 0, height = 0;                 ///< of every frame, pixels
  std::vector<SceneFacts> scenes;
  std::vector<CameraFacts> cameras;
  std::vector<FrameFacts> frames;            ///< by scene, camera, frame number

  std::size_t size() const { return frames.size(); }
  FrameName name(std::size_t frame_idx) const;
  const CameraFacts& camera_of(std::size_t frame_idx) const { return cameras[frames[frame_idx].camera_idx]; }
  const SceneFacts& scene_of(std::size_t frame_idx) const { return scenes[camera_of(frame_idx).scene_idx]; }
  std::filesystem::path file(std::size_t frame_idx, Label label) const;
  /// nullptr when there is none.
  const Affine3d* world_from_cam(std::size_t frame_idx) const;
  /// Labels that every frame has.
  LabelSet common_labels() const;
};

/// Reads names, one size a camera, poses, and the scenes' tables. metadata_camera_parameters.csv is looked for at the
/// root; the public set keeps it elsewhere, so copy it there (without it every lens is the canonical pinhole).
/// Throws UsageError when `root` is no folder or holds no frame, is a set of another schema version, or its frames differ
/// in size (naming two); Error naming the file when one is damaged.
FrameIndex scan_frames(const std::filesystem::path& root);

/// The same index with these frames only, in this order.
FrameIndex with_frames(const FrameIndex& index, std::span<const std::size_t> frame_idx);

/// Frames that hold all of `wanted`. Throws UsageError when there are none, saying what is missing and what is there.
FrameIndex with_labels(const FrameIndex& index, LabelSet wanted);

/// The frames of a partition ("train", "val", "test") of a split table; by default analysis/metadata_images_split_scene_v1.csv
/// at the root. Frames without a row, and those excluded there, are in none. Throws UsageError when the table is absent,
/// or the partition has no frame here (with what it has).
FrameIndex frames_of_partition(const FrameIndex& index, std::string_view partition, const std::filesystem::path& table = {});

struct Split {
  FrameIndex first, second;
};
/// Whole scenes (rooms): about `share` of them to `first`, at least one to each. The same seed gives nested splits: what
/// is first at 0.1 is first at 0.5. Throws UsageError when there is but one scene.
Split split_by_scene(const FrameIndex& index, double share, std::uint64_t seed);
/// About `share` of the frames, at least one, whatever their scene; nested like split_by_scene().
FrameIndex fraction_of_frames(const FrameIndex& index, double share, std::uint64_t seed);

}  // namespace simulacra
