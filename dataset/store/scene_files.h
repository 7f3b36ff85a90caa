// SPDX-License-Identifier: Apache-2.0
// Everything of a scene that is no image: its _detail folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/schema/pose.h"
#include "dataset/store/output_file.h"
#include "render/description/description.h"

namespace simulacra {

struct SceneFilesOptions {
  double meters_per_asset_unit = 1;
  /// Mesh files (vertices, faces, owners) for a scene of up to so many triangles; 0 = none.
  std::uint64_t max_mesh_triangles = 5'000'000;
};

/// Tables, annotation, boxes and (where they are not too large) mesh files of an annotated scene. Throws Error
/// when the scene does not fit the format's 16-bit ids.
std::vector<OutputFile> scene_files(const SceneDescription& scene, const std::string& scene_name,
                                    std::span<const std::string> cameras, const SceneFilesOptions& options);

/// The files of _detail/cam_XX. Throws Error when an orientation is no rotation, a camera stands on its head, or a
/// look-at point is not on its camera's axis.
std::vector<OutputFile> camera_files(const std::string& scene_name, const std::string& camera,
                                     std::span<const Pose> poses);

}  // namespace simulacra
