// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/scenes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "dataset/schema/layout.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxDepth = 3;

/// Previews of the public repository start with an underscore.
std::optional<ImageFileName> parse_file(std::string_view text) {
  if (text.starts_with("_frame.")) text.remove_prefix(1);
  return parse_image_file_name(text);
}

/// "ai_001_001" of "preview-ai_001_001"; the whole name where it holds no such part.
std::string scene_name_in(const std::string& folder) {
  constexpr std::size_t kLength = 10;
  for (std::size_t i = folder.size() < kLength ? 0 : folder.size() - kLength + 1; i-- > 0;)
    if (is_scene_name(folder.substr(i, kLength))) return folder.substr(i, kLength);
  return folder;
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

class Search {
 public:
  void visit(const fs::path& folder, const std::string& name, int depth) {
    const std::vector<std::string> entries = sorted_names(folder);
    const auto holds = [&](std::string_view entry) { return std::binary_search(entries.begin(), entries.end(), entry); };
    if (holds("metadata_camera_parameters.csv") && !camera_parameters) camera_parameters = folder / "metadata_camera_parameters.csv";
    const bool has_images = std::any_of(entries.begin(), entries.end(), [](const std::string& e) { return parse_image_folder_name(e).has_value(); });
    if (has_images) scene(name).images.push_back(folder);
    const bool whole = take_scene(folder, name, holds);
    if (has_images || whole || depth == kMaxDepth) return;
    for (const std::string& entry : entries)
      if (entry[0] != '.' && is_folder(folder / entry)) visit(folder / entry, entry, depth + 1);
  }

  std::map<std::string, SceneFolders> scenes;
  std::optional<fs::path> camera_parameters;

 private:
  SceneFolders& scene(const std::string& folder) {
    const std::string name = scene_name_in(folder);
    SceneFolders& found = scenes[name];
    found.name = name;
    return found;
  }

  template <typename Holds>
  bool take_scene(const fs::path& folder, const std::string& name, Holds&& holds) {
    const bool images = holds("images") && is_folder(folder / "images"), detail = holds("_detail") && is_folder(folder / "_detail");
    if (images) scene(name).images.push_back(folder / "images");
    if (detail) scene(name).details.push_back(folder / "_detail");
    return images || detail;
  }
};

/// Calls body(path, folder, file) for every image file of the camera.
template <typename Body>
void for_each_image(const SceneFolders& scene, const std::string& camera, Body&& body) {
  constexpr std::array<std::string_view, 4> kEnds = {"final_hdf5", "geometry_hdf5", "final_preview", "geometry_preview"};
  for (const fs::path& images : scene.images)
    for (const std::string_view end : kEnds) {
      const std::string name = "scene_" + camera + "_" + std::string(end);
      const auto folder = parse_image_folder_name(name);
      if (!folder) continue;
      for (const std::string& file : sorted_names(images / name))
        if (const auto parsed = parse_file(file))
          if ((parsed->extension == "hdf5") == folder->hdf5) body(images / name / file, *folder, *parsed);
    }
}

}  // namespace

FoundScenes find_scenes(const fs::path& root) {
  if (!is_folder(root)) fail_usage("{}: there is no such folder", root.string());
  Search search;
  const fs::path whole = fs::absolute(root / ".").lexically_normal();
  search.visit(root, whole.parent_path().filename().string(), 0);
  FoundScenes found;
  found.camera_parameters = search.camera_parameters;
  for (auto& [name, scene] : search.scenes) found.scenes.push_back(std::move(scene));
  if (found.scenes.empty())
    fail_usage("{}: no scene here: a data set in Hypersim layout has folders NAME/images or NAME/_detail", root.string());
  return found;
}

std::vector<std::string> cameras_on_disk(const SceneFolders& scene) {
  std::set<std::string> cameras;
  for (const fs::path& images : scene.images)
    for (const std::string& name : sorted_names(images))
      if (const auto folder = parse_image_folder_name(name)) cameras.insert(folder->camera);
  return {cameras.begin(), cameras.end()};
}

std::vector<int> frames_on_disk(const SceneFolders& scene, const std::string& camera) {
  std::set<int> frames;
  for_each_image(scene, camera, [&](const fs::path&, const ImageFolderName&, const ImageFileName& file) { frames.insert(file.frame); });
  return {frames.begin(), frames.end()};
}

std::vector<FrameFile> files_of_frame(const SceneFolders& scene, const std::string& camera, int frame) {
  std::vector<FrameFile> files;
  for_each_image(scene, camera, [&](const fs::path& path, const ImageFolderName& folder, const ImageFileName& file) {
    if (file.frame == frame) files.push_back({std::string(file.kind), folder.pass == Folder::final_pass, !folder.hdf5, path});
  });
  return files;
}

}  // namespace simulacra::inspector
