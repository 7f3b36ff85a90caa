// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "dataset/schema/csv.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"
#include "dataset/store/scene_files.h"
#include "dataset/store/src/array_file.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

/// Readers take orientations for rotations: better no data set than one with a broken pose.
void check_pose(const Pose& pose, const std::string& where) {
  const Mat3d& r = pose.world_from_cam.linear;
  const Mat3d product = transpose(r) * r;
  double off = std::abs(determinant(r) - 1);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) off = std::max(off, std::abs(product(i, j) - (i == j ? 1.0 : 0.0)));
  if (!(off <= 1e-6)) fail("{}: the orientation is no rotation (off by {:.3g}, allowed 1e-6)", where, off);
  if (!is_finite(pose.world_from_cam.translation) || !is_finite(pose.look_at))
    fail("{}: the position is not finite", where);
  if (r(2, 1) < -1e-6) fail("{}: the camera stands on its head (its y axis has z = {:.3g})", where, r(2, 1));
  const Vec3d way = normalize(pose.look_at - pose.world_from_cam.translation);
  const double gap = length(way + r.column(2));
  if (!(gap <= 1e-4)) fail("{}: the look-at point is {:.3g} rad beside the viewing axis", where, gap);
}

}  // namespace

std::vector<OutputFile> camera_files(const std::string& scene_name, const std::string& camera,
                                     std::span<const Pose> poses) {
  const std::size_t n = poses.size();
  std::vector<std::int64_t> indices;
  std::vector<double> positions, orientations, targets;
  for (std::size_t i = 0; i < n; ++i) {
    const Pose& pose = poses[i];
    check_pose(pose, fmt::format("{} {} frame {}", scene_name, camera, i));
    indices.push_back(static_cast<std::int64_t>(i));
    for (std::size_t k = 0; k < 3; ++k) positions.push_back(pose.world_from_cam.translation[k]);
    for (std::size_t k = 0; k < 3; ++k) targets.push_back(pose.look_at[k]);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) orientations.push_back(pose.world_from_cam.linear(r, c));
  }
  const std::string folder = camera_folder(scene_name, camera);
  const CsvTable table{metadata_camera_columns(), {{"frame_time_seconds", csv_number(1)}}};
  std::vector<OutputFile> files;
  files.push_back(array_file(folder + "/camera_keyframe_frame_indices.hdf5", {n}, indices));
  files.push_back(array_file(folder + "/camera_keyframe_positions.hdf5", {n, 3}, positions));
  files.push_back(array_file(folder + "/camera_keyframe_orientations.hdf5", {n, 3, 3}, orientations));
  files.push_back(array_file(folder + "/camera_keyframe_look_at_positions.hdf5", {n, 3}, targets));
  files.push_back(text_file(folder + "/metadata_camera.csv", csv_text(table)));
  return files;
}

}  // namespace simulacra
