// SPDX-License-Identifier: Apache-2.0
#include "dataset/frames/frame_index.h"

#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "dataset/hdf5/window.h"
#include "dataset/schema/canonical.h"
#include "dataset/schema/conventions.h"
#include "dataset/schema/csv.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;

struct LabelFile {
  int frame;
  Label label;
};

/// Of "frame.0007.depth_meters.hdf5"; nullopt for other names and unknown labels.
std::optional<LabelFile> parse_file_name(std::string_view name, Folder folder) {
  const auto file = parse_image_file_name(name);
  if (!file || file->extension != "hdf5") return std::nullopt;
  const LabelSpec* label = find_label(file->kind);
  if (!label || label->folder != folder) return std::nullopt;
  return LabelFile{file->frame, label->id};
}

/// "cam_00" of "scene_cam_00_final_hdf5"; empty for other names.
std::string camera_of_folder(std::string_view name, Folder& folder) {
  constexpr std::string_view kStart = "scene_";
  if (!name.starts_with(kStart)) return {};
  name.remove_prefix(kStart.size());
  for (const auto& [end, kind] : {std::pair{std::string_view("_final_hdf5"), Folder::final_pass},
                                  std::pair{std::string_view("_geometry_hdf5"), Folder::geometry}})
    if (name.ends_with(end)) {
      folder = kind;
      return std::string(name.substr(0, name.size() - end.size()));
    }
  return {};
}

using LabelsByFrame = std::map<int, LabelSet>;

std::map<std::string, LabelsByFrame> cameras_on_disk(const fs::path& images) {
  std::map<std::string, LabelsByFrame> found;
  for (const std::string& name : sorted_names(images)) {
    Folder folder{};
    const std::string camera = camera_of_folder(name, folder);
    if (camera.empty()) continue;
    for (const std::string& file : sorted_names(images / name))
      if (const auto parsed = parse_file_name(file, folder)) found[camera][parsed->frame] |= label_bit(parsed->label);
  }
  return found;
}

bool is_rotation(const Mat3d& m) {
  constexpr double kTolerance = 1e-3;   // poses of the public set that are none are far from one
  const Mat3d square = transpose(m) * m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!(std::abs(square(i, j) - (i == j ? 1 : 0)) < kTolerance)) return false;
  return determinant(m) > 0;
}

std::map<int, Affine3d> read_poses(const fs::path& folder, double meters_per_asset_unit) {
  const fs::path at = folder / "camera_keyframe_positions.hdf5", turn = folder / "camera_keyframe_orientations.hdf5",
                 numbers = folder / "camera_keyframe_frame_indices.hdf5";
  if (!fs::exists(at) || !fs::exists(turn)) return {};
  const hdf5::Array positions = hdf5::read(at), orientations = hdf5::read(turn);
  const std::size_t count = positions.shape.empty() ? 0 : positions.shape[0];
  if (positions.shape != std::vector<std::size_t>{count, 3})
    fail("{}: the shape is [{}]; expected one position of 3 numbers a frame", at.string(), fmt::join(positions.shape, ", "));
  if (orientations.shape != std::vector<std::size_t>{count, 3, 3})
    fail("{}: the shape is [{}]; expected [{}, 3, 3]", turn.string(), fmt::join(orientations.shape, ", "), count);
  std::optional<hdf5::Array> frames;
  if (fs::exists(numbers)) frames = hdf5::read(numbers);
  if (frames && frames->size() != count) fail("{}: {} numbers for {} poses", numbers.string(), frames->size(), count);
  std::map<int, Affine3d> poses;
  for (std::size_t i = 0; i < count; ++i) {
    Affine3d pose;
    for (std::size_t r = 0; r < 3; ++r) {
      pose.translation[r] = positions.at(3 * i + r) * meters_per_asset_unit;
      for (std::size_t c = 0; c < 3; ++c) pose.linear(r, c) = orientations.at(9 * i + 3 * r + c);
    }
    if (is_rotation(pose.linear) && is_finite(pose.translation))
      poses[frames ? static_cast<int>(frames->at(i)) : static_cast<int>(i)] = pose;
  }
  return poses;
}

double number_of(const std::string& text, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) fail("{} is '{}', not a number", where, text);
  return value;
}

double meters_per_asset_unit_of(const fs::path& file) {
  if (!fs::exists(file)) return 1;
  const CsvTable table = read_csv(file);
  const std::size_t name = table.column("parameter_name"), value = table.column("parameter_value");
  for (const auto& row : table.rows)
    if (row[name] == "meters_per_asset_unit") {
      const double unit = number_of(row[value], file.string() + ": meters_per_asset_unit");
      if (!(unit > 0 && std::isfinite(unit))) fail("{}: meters_per_asset_unit = {}, expected more than 0", file.string(), unit);
      return unit;
    }
  fail("{}: there is no meters_per_asset_unit", file.string());
}

/// Lenses of a camera parameter table, by scene; empty when there is no table.
std::map<std::string, Mat3d> lenses_of(const fs::path& file) {
  std::map<std::string, Mat3d> lenses;
  if (!fs::exists(file)) return lenses;
  const CsvTable table = read_csv(file);
  const std::size_t scene = table.column("scene_name");
  for (const auto& row : table.rows) {
    Mat3d& lens = lenses[row[scene]];
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const std::string column = fmt::format("M_cam_from_uv_{}{}", i, j);
        lens(i, j) = number_of(row[table.column(column)], fmt::format("{}: {} of {}", file.string(), column, row[scene]));
      }
    if (!(std::abs(determinant(lens)) > 1e-12)) fail("{}: M_cam_from_uv of {} is singular", file.string(), row[scene]);
  }
  return lenses;
}

void check_schema(const fs::path& root) {
  const fs::path file = root / "conventions.json";
  if (!fs::exists(file)) return;
  const auto json = nlohmann::json::parse(read_text_file(file), nullptr, false);
  if (!json.is_object() || !json.contains("schema_version") || !json["schema_version"].is_number_integer())
    fail("{}: there is no schema_version", file.string());
  if (const int version = json["schema_version"]; version != kSchemaVersion)
    fail_usage("{}: the data set has schema version {}; this program reads version {}", file.string(), version, kSchemaVersion);
}

struct Size {
  int width = 0, height = 0;
  std::string file;
};

Label first_of(LabelSet labels) {
  for (const LabelSpec& label : kLabels)
    if (has(labels, label.id)) return label.id;
  check_failed("a frame has a label", __FILE__, __LINE__);
}

/// Reads the size of the camera's first frame, and compares it with that of all others so far.
void check_size(const FrameIndex& index, std::size_t frame_idx, Size& known) {
  const fs::path file = index.file(frame_idx, first_of(index.frames[frame_idx].labels));
  const hdf5::WindowReader array(file);
  if (array.shape().size() < 2) fail("{}: the array has {} dimensions, expected height, width", file.string(), array.shape().size());
  const Size here{static_cast<int>(array.shape()[1]), static_cast<int>(array.shape()[0]), file.string()};
  if (here.width == 0 || here.height == 0) fail("{}: the image is {} x {} pixels", here.file, here.width, here.height);
  if (known.file.empty()) known = here;
  else if (here.width != known.width || here.height != known.height)
    fail_usage("{} has {} x {} pixels and {} has {} x {}: frames of one set must have one size", known.file, known.width,
               known.height, here.file, here.width, here.height);
}

void add_scene(FrameIndex& index, const std::string& name, const std::map<std::string, Mat3d>& lenses, Size& size) {
  const fs::path folder = index.scenes_folder / name;
  const auto cameras = cameras_on_disk(folder / "images");
  if (cameras.empty()) return;
  SceneFacts scene{name, meters_per_asset_unit_of(folder / "_detail" / "metadata_scene.csv"), {}};
  for (const auto& [camera, frames] : cameras) {
    if (frames.empty()) continue;
    index.cameras.push_back({index.scenes.size(), camera, read_poses(folder / "_detail" / camera, scene.meters_per_asset_unit)});
    const std::size_t first = index.frames.size();
    for (const auto& [frame, labels] : frames) index.frames.push_back({index.cameras.size() - 1, frame, labels});
    index.scenes.push_back(scene);   // so that names can be asked for
    check_size(index, first, size);
    index.scenes.pop_back();
  }
  const auto lens = lenses.find(name);
  scene.cam_from_uv = lens != lenses.end() ? lens->second : pinhole_cam_from_uv(size.width, size.height);
  index.scenes.push_back(scene);
}

}  // namespace

std::string names_of(LabelSet set) {
  std::string text;
  for (const LabelSpec& label : kLabels)
    if (has(set, label.id)) text += fmt::format("{}{}", text.empty() ? "" : ", ", label.name);
  return text.empty() ? "none" : text;
}

FrameName FrameIndex::name(std::size_t frame_idx) const {
  return {scene_of(frame_idx).name, camera_of(frame_idx).name, frames[frame_idx].frame};
}

fs::path FrameIndex::file(std::size_t frame_idx, Label label) const { return scenes_folder / label_path(name(frame_idx), label); }

const Affine3d* FrameIndex::world_from_cam(std::size_t frame_idx) const {
  const auto& poses = camera_of(frame_idx).world_from_cam;
  const auto found = poses.find(frames[frame_idx].frame);
  return found == poses.end() ? nullptr : &found->second;
}

LabelSet FrameIndex::common_labels() const {
  LabelSet common = ~LabelSet{0};
  for (const FrameFacts& frame : frames) common &= frame.labels;
  return frames.empty() ? 0 : common;
}

FrameIndex scan_frames(const fs::path& root) {
  if (!fs::is_directory(root)) fail_usage("{}: there is no such folder", root.string());
  FrameIndex index;
  index.root = root;
  index.scenes_folder = fs::is_directory(root / "scenes") ? root / "scenes" : root;
  check_schema(root);
  const auto lenses = lenses_of(root / "metadata_camera_parameters.csv");
  Size size;
  for (const std::string& name : sorted_names(index.scenes_folder))
    if (fs::is_directory(index.scenes_folder / name / "images")) add_scene(index, name, lenses, size);
  index.width = size.width;
  index.height = size.height;
  if (index.frames.empty())
    fail_usage("{}: there are no frames; expected a data set in Hypersim layout, with files such as {}", root.string(),
               label_path({"ai_900_001", "cam_00", 0}, Label::color));
  return index;
}

}  // namespace simulacra
