// SPDX-License-Identifier: Apache-2.0
#include "dataset/report/src/facts.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "dataset/schema/csv.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::reporting {
namespace {

namespace fs = std::filesystem;

/// Pictures inside the page: width by the number of frames, so that a page stays near 20 MB.
int embedded_width(std::size_t frames) { return frames <= 24 ? 640 : frames <= 120 ? 384 : 240; }

/// Frames that have any image file: "scene_cam_XX_<pass>_hdf5/frame.IIII.<kind>.hdf5".
std::vector<FramePage> frames_of(const fs::path& scene_folder, const std::string& scene) {
  std::set<std::pair<std::string, int>> found;
  for (const std::string& folder : sorted_names(scene_folder / "images")) {
    if (!folder.starts_with("scene_") || !folder.ends_with("_hdf5") || folder.size() < 17) continue;
    const std::string camera = folder.substr(6, 6);
    if (!is_camera_name(camera)) continue;
    for (const std::string& file : sorted_names(scene_folder / "images" / folder)) {
      int number = 0;
      if (!file.starts_with("frame.") || file.size() < 11) continue;
      const auto [end, error] = std::from_chars(file.data() + 6, file.data() + 10, number);
      if (error == std::errc{} && end == file.data() + 10 && file[10] == '.') found.insert({camera, number});
    }
  }
  std::vector<FramePage> frames;
  for (const auto& [camera, number] : found) frames.emplace_back().name = {scene, camera, number};
  return frames;
}

double unit_of(const fs::path& scene_folder) {
  try {
    const CsvTable table = read_csv(scene_folder / "_detail" / "metadata_scene.csv");
    return table.rows.empty() ? 0 : std::stod(table.rows[0].at(table.column("parameter_value")));
  } catch (const std::exception&) {
    return 0;  // shown as unknown; the audit tells what is wrong with the table
  }
}

void take_manifest(const fs::path& root, DatasetPage& page) {
  const fs::path path = root / kManifestFile;
  if (!fs::is_regular_file(path)) return;
  try {
    const Manifest manifest = read_manifest(path);
    page.record = manifest.dataset;
    for (const auto& [name, file] : manifest.files) page.bytes += file.bytes;
    for (ScenePage& scene : page.scenes) {
      if (const auto at = manifest.scenes.find(scene.name); at != manifest.scenes.end()) scene.record = at->second;
      for (FramePage& frame : scene.frames)
        if (const auto at = manifest.frames.find(frame_key(frame.name)); at != manifest.frames.end()) frame.record = at->second;
    }
  } catch (const Error& e) {
    page.problems.emplace_back(e.what());
  }
}

std::string credits_of(const fs::path& scene_folder) {
  for (const fs::path& place : {scene_folder / "_detail" / "CREDITS.txt", scene_folder / "CREDITS.txt"})
    if (fs::is_regular_file(place)) return read_text_file(place, std::uint64_t{1} << 20);
  return {};
}

}  // namespace

std::string link_to(const fs::path& path, const fs::path& from) {
  const fs::path target = fs::absolute(path).lexically_normal(), base = fs::absolute(from).lexically_normal();
  const std::string text = target.lexically_relative(base).generic_string();
  std::string link;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-_.~/").find(c) != std::string_view::npos;
    if (plain) link += c;
    else link += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return link;
}

DatasetPage gather(const fs::path& root, const fs::path& page_folder, const ParallelFor& parallel) {
  DatasetPage page;
  page.title = fs::absolute(root / ".").lexically_normal().parent_path().filename().string();
  const fs::path scenes = fs::is_directory(root / "scenes") ? root / "scenes" : root;
  for (const std::string& name : sorted_names(scenes)) {
    if (!fs::is_directory(scenes / name / "images")) continue;
    ScenePage& scene = page.scenes.emplace_back();
    scene.name = name;
    scene.frames = frames_of(scenes / name, name);
    scene.meters_per_unit = unit_of(scenes / name);
    try {
      scene.credits = credits_of(scenes / name);
    } catch (const Error& e) {
      page.problems.emplace_back(e.what());
    }
  }
  take_manifest(root, page);
  std::vector<FramePage*> frames;
  for (ScenePage& scene : page.scenes)
    for (FramePage& frame : scene.frames) frames.push_back(&frame);
  const int width = embedded_width(frames.size());
  parallel(frames.size(), [&](std::size_t i) { fill_frame(scenes, page_folder, width, *frames[i]); });
  return page;
}

}  // namespace simulacra::reporting
