// SPDX-License-Identifier: Apache-2.0
// What the parts of the audit know about a data set while they judge it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dataset/audit/src/findings.h"
#include "dataset/audit/src/kinds.h"
#include "dataset/audit/src/text_table.h"
#include "render/base/vec.h"

namespace simulacra::auditing {

using Size = std::pair<int, int>;  ///< width, height

enum class BoxKind : std::uint8_t { object_aligned_2d, axis_aligned, object_aligned_3d };
inline constexpr std::array<std::string_view, 3> kBoxKinds = {"object_aligned_2d", "axis_aligned", "object_aligned_3d"};

/// Boxes of one kind, a row an instance id. Rows that are not `proper` are not to be used.
struct Boxes {
  BoxKind kind{};
  std::vector<Vec3d> position, extent;      ///< center and full sides, asset units
  std::vector<Mat3d> world_from_box;
  std::vector<bool> proper;
  std::string extents_path;
};

/// How far the visible points of one instance reach in its box, over all frames. Box coordinates.
struct SeenBox {
  Vec3d low, high;
  double excess;                            ///< largest distance outside the box beyond rounding
  std::int64_t count = 0;
  std::array<std::array<double, 2>, 3> foot;  ///< per axis and side: smallest pixel footprint of a full view; inf = none
  SeenBox();
};

/// Tables of one scene, and what its frames add up to.
struct SceneFacts {
  std::string name;
  std::filesystem::path folder;
  std::optional<double> meters_per_unit;
  std::optional<Size> size;
  std::optional<Mat3d> cam_from_uv;         ///< from the parameter table
  double fov_rad = kPiD / 3;                ///< used without it
  std::vector<std::int32_t> label_source;   ///< label_source_path(); empty = every pixel shows itself
  std::optional<std::vector<int>> object_of_node;  ///< index = node id; [0] unused
  std::optional<std::vector<std::string>> object_names;
  std::optional<std::size_t> object_count, material_count;
  std::optional<std::vector<int>> si, sii;  ///< per object
  std::optional<std::size_t> color_rows;    ///< K of the instance color table
  std::map<int, std::vector<Vec3d>> mesh_points;  ///< per instance; only where mesh files are present
  bool has_mesh = false;
  std::vector<Boxes> boxes;

  std::mutex lock;                          ///< guards what follows while frames are judged
  std::vector<std::vector<SeenBox>> seen;   ///< per entry of boxes, per row
  std::map<int, std::map<int, std::string>> classes;  ///< instance: class seen: first path
  std::array<double, 2> up_sum{};           ///< of normal_world.z on floors and ceilings
  std::array<std::int64_t, 2> up_count{};
};

/// Poses of one camera.
struct CameraFacts {
  std::string name;
  std::optional<std::vector<std::int64_t>> indices;
  std::optional<std::vector<Vec3d>> eyes, targets;
  std::optional<std::vector<Mat3d>> world_from_cam;
  std::optional<double> fov_rad;            ///< from metadata_camera.csv
};

/// What the split file lists, by scene and camera.
struct Split {
  std::map<std::pair<std::string, std::string>, std::set<int>> included;
  std::string path;
};

/// Tables of the whole data set.
struct DatasetFacts {
  std::filesystem::path root, scenes_folder;
  std::vector<std::string> scene_names;     ///< to judge
  bool all_scenes = true;
  std::optional<Split> split;
  std::map<std::string, Row> parameters;    ///< by scene
  std::optional<std::set<std::string>> trajectories;
  Kinds kinds;
  bool complete = false;
  std::optional<Size> demanded_size;
  explicit DatasetFacts(const std::vector<std::string>& kind_names) : kinds(kind_names) {}

  /// Relative to the root, with '/'.
  std::string rel(const std::filesystem::path& path) const;
};

/// How one frame fares in a content check (F15), which is judged over all frames.
struct ContentMark {
  bool good = true;
  std::string found, path;
};
using ContentMarks = std::map<std::string_view, ContentMark>;

// The parts. Each takes where its findings go.

/// Every folder that is a scene or looks like one, well named or not.
std::vector<std::string> scene_folders(const std::filesystem::path& scenes_folder);
std::filesystem::path scenes_folder_of(const std::filesystem::path& root);

void judge_dataset_tables(DatasetFacts& data, Findings& to);
/// `camera -> frames` that have any image or preview file.
using FramesOnDisk = std::map<std::string, std::set<int>>;
FramesOnDisk judge_names(const DatasetFacts& data, const SceneFacts& scene, Findings& to);
void judge_scene_tables(const DatasetFacts& data, SceneFacts& scene, Findings& to);
void judge_mesh_tables(const DatasetFacts& data, SceneFacts& scene, Findings& to);
void judge_lens(const DatasetFacts& data, SceneFacts& scene, Findings& to);
void judge_box_files(const DatasetFacts& data, SceneFacts& scene, Findings& to);
std::vector<std::string> judge_camera_list(const DatasetFacts& data, const SceneFacts& scene, const FramesOnDisk& frames,
                                           Findings& to);
/// Also the frames to look at: those on disk and those that the split lists as included.
CameraFacts judge_camera(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera,
                         const std::set<int>& on_disk, std::vector<int>& frames, Findings& to);
void judge_previews(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera,
                    const std::vector<int>& frames, std::set<int>& with_tonemap, Findings& to);
void judge_frame(const DatasetFacts& data, SceneFacts& scene, const CameraFacts& camera, int frame, bool tonemap,
                 Findings& to, ContentMarks& marks);
void judge_scene_end(const SceneFacts& scene, Findings& to);
void judge_content(const std::vector<ContentMarks>& marks, Findings& to);
/// Returns whether the set is unfinished.
bool judge_manifest(const DatasetFacts& data, const ParallelFor& parallel, Findings& to);

// Numbers shared by the parts.

/// Camera-frame ray (not unit) of (u, v, 1) for a centered pinhole with that horizontal field of view.
Mat3d pinhole(Size size, double fov_rad = kPiD / 3);
/// Largest |R^T R - I|.
double skew_of(const Mat3d& r);

}  // namespace simulacra::auditing
