// SPDX-License-Identifier: Apache-2.0
// Where the parts of a data set lie. Wider than the layout of dataset/schema: parts of the public set come in several
// trees (images from the archives, mesh tables from the repository), so a scene may have several folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace simulacra::inspector {

struct SceneFolders {
  std::string name;                            ///< "ai_900_001"
  std::vector<std::filesystem::path> images;   ///< folders that hold scene_cam_XX_*
  std::vector<std::filesystem::path> details;  ///< folders `_detail`
};

struct FoundScenes {
  std::vector<SceneFolders> scenes;            ///< by name
  std::optional<std::filesystem::path> camera_parameters;  ///< metadata_camera_parameters.csv
};

/// Looks through `root` and up to three levels of folders below it; a scene's own folder, or a folder of
/// scene_cam_XX_*, may be the root itself. Throws UsageError when `root` is no folder or holds nothing of a data set.
FoundScenes find_scenes(const std::filesystem::path& root);

/// Images and previews of one camera's frames, by name: "depth_meters.hdf5", "tonemap.jpg", ….
struct FrameFile {
  std::string name;                            ///< "depth_meters"
  bool final_pass = false;                     ///< else of the geometry pass
  bool preview = false;
  std::filesystem::path path;
};

/// Numbers of the frames that have any file of `camera` on disk, ascending.
std::vector<int> frames_on_disk(const SceneFolders& scene, const std::string& camera);
std::vector<std::string> cameras_on_disk(const SceneFolders& scene);
/// Every file of one frame. Names are [a-z0-9_], the extension is hdf5, jpg or png; others are left out.
std::vector<FrameFile> files_of_frame(const SceneFolders& scene, const std::string& camera, int frame);

}  // namespace simulacra::inspector
