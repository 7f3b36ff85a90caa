// SPDX-License-Identifier: Apache-2.0
// Names of folders and files.
#include <algorithm>
#include <filesystem>

#include "dataset/audit/src/judge.h"
#include "dataset/schema/layout.h"
#include "render/base/files.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

/// Takes `text` off the front of `rest`.
bool take(std::string_view& rest, std::string_view text) {
  if (!rest.starts_with(text)) return false;
  rest.remove_prefix(text.size());
  return true;
}

/// Folders of the pipeline's own pictures, which are no part of a data set but do no harm.
bool is_pipeline_folder(std::string_view name) {
  if (!take(name, "scene_") || name.size() < 6 || !is_camera_name(name.substr(0, 6))) return false;
  name.remove_prefix(6);
  return name == "_geometry" || name == "_pre" || name == "_final";
}

const PreviewSpec* find_preview(std::string_view name, Folder pass) {
  for (const PreviewSpec& p : kPreviews)
    if (p.name == name && p.folder == pass) return &p;
  return nullptr;
}

struct NameTally {
  std::vector<std::string> bad;
  std::set<std::string> beside;   ///< allowed, but no part of the format
  FramesOnDisk frames;
};

void judge_file(const ImageFolderName& folder, const std::string& folder_name_, const std::string& name, NameTally& tally) {
  const std::optional<ImageFileName> file = parse_image_file_name(name);
  const std::string here = "images/" + folder_name_ + "/" + name;
  if (!file || (file->extension == "hdf5") != folder.hdf5) {
    tally.bad.push_back(here);
    return;
  }
  if (folder.hdf5) {
    const LabelSpec* label = find_label(file->kind);
    if (label && label->folder != folder.pass) tally.bad.push_back(here);
    else if (!label || label->profile == Profile::further)
      tally.beside.insert(fmt::format("{} HDF5 '{}'", folder_name(folder.pass), file->kind));
    tally.frames[folder.camera].insert(file->frame);
  } else if (const PreviewSpec* preview = find_preview(file->kind, folder.pass)) {
    if (preview->extension != file->extension) tally.bad.push_back(here);
    tally.frames[folder.camera].insert(file->frame);
  } else if (!file->kind.starts_with("bb_")) {
    tally.beside.insert(fmt::format("{} preview '{}'", folder_name(folder.pass), file->kind));
  }
}

}  // namespace

fs::path scenes_folder_of(const fs::path& root) { return fs::is_directory(root / "scenes") ? root / "scenes" : root; }

std::vector<std::string> scene_folders(const fs::path& scenes_folder) {
  std::vector<std::string> found;
  for (const std::string& name : sorted_names(scenes_folder)) {
    const fs::path path = scenes_folder / name;
    if (fs::is_directory(path) &&
        (is_scene_name(name) || fs::is_directory(path / "_detail") || fs::is_directory(path / "images")))
      found.push_back(name);
  }
  return found;
}

FramesOnDisk judge_names(const DatasetFacts& data, const SceneFacts& scene, Findings& to) {
  to.test("F1.names", scene.name, is_scene_name(scene.name), "ai_VVV_NNN", scene.name);
  NameTally tally;
  for (const std::string& name : sorted_names(scene.folder)) {
    constexpr std::array<std::string_view, 7> known = {"images", "_detail", "_asset", "_asset_export", "vrscenes", "jobs", "_tmp"};
    if (std::find(known.begin(), known.end(), name) == known.end()) tally.beside.insert(name);
  }
  const fs::path images = scene.folder / "images";
  for (const std::string& name : sorted_names(images)) {
    const std::optional<ImageFolderName> folder = parse_image_folder_name(name);
    if (!folder) {
      if (!is_pipeline_folder(name)) tally.bad.push_back("images/" + name);
      continue;
    }
    for (const std::string& file : sorted_names(images / name)) judge_file(*folder, name, file, tally);
  }
  to.test("F1.names", data.rel(images), tally.bad.empty(),
          "scene_cam_XX_<pass>_<hdf5|preview>/frame.IIII.<kind>.<ext>", [&] {
            std::string list;
            for (std::size_t i = 0; i < std::min<std::size_t>(4, tally.bad.size()); ++i) list += (i ? ", " : "") + tally.bad[i];
            return fmt::format("{} odd names; {}", tally.bad.size(), list);
          });
  for (const std::string& text : tally.beside) to.note("beside the format: " + text);
  return tally.frames;
}

}  // namespace simulacra::auditing
