// SPDX-License-Identifier: Apache-2.0
// Every frame of a data set, from the manifest where there is one: no frame's file is opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dataset/schema/layout.h"
#include "dataset/schema/manifest.h"
#include "tools/inspector/catalog/scenes.h"

namespace simulacra::inspector {

struct FrameEntry {
  std::uint32_t scene_idx = 0;
  std::string camera;
  int frame = 0;
  std::optional<FrameRecord> record;      ///< of the manifest; its `unlabelled` is empty
};

struct FrameList {
  std::filesystem::path root;
  std::string title;                      ///< the folder's name
  std::vector<SceneFolders> scenes;
  std::map<std::string, SceneRecord> scene_records;
  std::optional<DatasetRecord> record;
  std::optional<std::filesystem::path> camera_parameters;
  std::vector<FrameEntry> frames;         ///< by scene, camera, number
  std::vector<std::string> problems;      ///< one line each: what of the set could not be read

  FrameName name(std::size_t frame_idx) const;
  const SceneFolders& scene_of(std::size_t frame_idx) const { return scenes[frames[frame_idx].scene_idx]; }
  /// The frame of that name.
  std::optional<std::size_t> find(const FrameName& name) const;
};

/// Frames of the manifest, and of scenes that it does not list those on disk (all scenes when it is incomplete or there is
/// none). A damaged manifest becomes a line in `problems`. Throws UsageError as find_scenes() does.
FrameList list_frames(const std::filesystem::path& root);

}  // namespace simulacra::inspector
