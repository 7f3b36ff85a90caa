// SPDX-License-Identifier: Apache-2.0
// Poses of one camera.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dataset/audit/src/judge.h"
#include "dataset/audit/src/stored_array.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

std::optional<double> judge_camera_table(const DatasetFacts& data, const fs::path& folder, Findings& to) {
  const fs::path path = folder / "metadata_camera.csv";
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_camera_columns(), "F13.cameras", true, to);
  if (!rows) return std::nullopt;
  bool numbers = true;
  std::string text;
  std::map<std::string, std::optional<double>> value;
  for (const Row& row : *rows) {
    const std::string& name = row.at("parameter_name");
    value[name] = as_number(row.at("parameter_value"));
    numbers = numbers && value[name];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, row.at("parameter_value"));
  }
  const bool good = !rows->empty() && (*rows)[0].at("parameter_name") == "frame_time_seconds" && numbers &&
                    value["frame_time_seconds"].value_or(0) > 0;
  to.test("F13.cameras", rel, good, "frame_time_seconds first, numbers only", text.empty() ? std::string("no rows") : text);
  if (rows->size() > 1) to.note("metadata_camera.csv has more rows than frame_time_seconds");
  const std::optional<double> fov = value.contains("settings_camera_fov") ? value["settings_camera_fov"] : std::nullopt;
  return fov && *fov > 0 && *fov < kPiD ? fov : std::nullopt;
}

std::vector<Vec3d> as_points(const StoredArray& array) {
  const auto v = array.as<double>();
  std::vector<Vec3d> points;
  for (std::size_t i = 0; i + 2 < v.size(); i += 3) points.push_back({v[i], v[i + 1], v[i + 2]});
  return points;
}

std::vector<Mat3d> as_matrices(const StoredArray& array) {
  const auto v = array.as<double>();
  std::vector<Mat3d> matrices;
  for (std::size_t i = 0; i + 8 < v.size(); i += 9) {
    Mat3d& m = matrices.emplace_back();
    for (std::size_t k = 0; k < 9; ++k) m(k / 3, k % 3) = v[i + k];
  }
  return matrices;
}

void judge_rotations(const std::vector<Mat3d>& turns, const std::string& path, Findings& to) {
  std::size_t bad = 0, first = 0, low = turns.size();
  for (std::size_t i = 0; i < turns.size(); ++i) {
    if (!(skew_of(turns[i]) <= 1e-6 && std::abs(determinant(turns[i]) - 1) <= 1e-6) && bad++ == 0) first = i;
    if (!(turns[i](2, 1) >= -1e-6) && low == turns.size()) low = i;
  }
  to.test("F8.rotation", path, bad == 0, "R^T R = I and det R = +1 within 1e-6", [&] {
    return fmt::format("{} of {} keyframes, first {}: |R^T R - I| = {:.3g}, det = {:.6f}", bad, turns.size(), first,
                       skew_of(turns[first]), determinant(turns[first]));
  });
  to.test("F8.up", path, low == turns.size(), "a camera y axis that does not point down",
          [&] { return fmt::format("keyframe {} has {:.4f}", low, turns[low](2, 1)); });
}

void judge_finite(const std::optional<std::vector<Vec3d>>& points, const std::string& path, Findings& to) {
  if (!points) return to.none("F8.finite");
  const auto bad = std::find_if(points->begin(), points->end(), [](Vec3d p) { return !is_finite(p); });
  to.test("F8.finite", path, bad == points->end(), "finite rows",
          [&] { return fmt::format("row {} is {} {} {}", bad - points->begin(), bad->x, bad->y, bad->z); });
}

/// From keyframe 1 on: keyframe 0 of the original data keeps an artist's pose.
void judge_look_at(const CameraFacts& c, const std::string& path, Findings& to) {
  if (!c.world_from_cam || !c.eyes || !c.targets || c.eyes->size() < 2 || c.eyes->size() != c.targets->size() ||
      c.eyes->size() != c.world_from_cam->size())
    return to.none("F8.lookat");
  std::size_t bad = 0;
  double found = 0;
  for (std::size_t i = c.eyes->size() - 1; i > 0; --i) {
    const double off = length(normalize((*c.targets)[i] - (*c.eyes)[i]) + (*c.world_from_cam)[i].column(2));
    if (!(off <= 1e-3)) bad = i, found = off;
  }
  to.test("F8.lookat", path, bad == 0, "direction to the look-at point = -z of the camera within 1e-3",
          [&] { return fmt::format("keyframe {} is off by {:.4f}", bad, found); });
}

std::string first_numbers(const std::vector<int>& numbers, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, numbers.size()); ++i) text += fmt::format(" {}", numbers[i]);
  return text;
}

std::vector<int> frames_to_judge(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera,
                                 const std::set<int>& on_disk, Findings& to) {
  if (!data.split || !data.kinds.has("csv")) {
    if (on_disk.empty() && data.kinds.all())
      to.test("F1.files", fmt::format("{}/images/scene_{}_*", scene.name, camera), false, "at least one frame", "none");
    return {on_disk.begin(), on_disk.end()};
  }
  const auto at = data.split->included.find({scene.name, camera});
  std::set<int> all = at == data.split->included.end() ? std::set<int>{} : at->second;
  std::vector<int> more;
  std::set_difference(on_disk.begin(), on_disk.end(), all.begin(), all.end(), std::back_inserter(more));
  to.test("F13.manifest", data.split->path, more.empty(),
          fmt::format("every frame on disk of {} {} included", scene.name, camera),
          [&] { return "not listed as included: frames" + first_numbers(more, 6); });
  if (data.trajectories)
    to.test("F13.trajectories", "metadata_camera_trajectories.csv", data.trajectories->contains(trajectory_name(scene.name, camera)),
            "a row for " + trajectory_name(scene.name, camera), "none");
  all.insert(on_disk.begin(), on_disk.end());
  return {all.begin(), all.end()};
}

void judge_indices(const CameraFacts& c, const std::vector<int>& frames, const std::string& path, Findings& to) {
  if (!c.indices) return to.none("F8.indices");
  const std::vector<std::int64_t>& indices = *c.indices;
  bool counted = true;
  for (std::size_t i = 0; i < indices.size(); ++i) counted = counted && indices[i] == static_cast<std::int64_t>(i);
  to.test("F8.indices", path, counted, fmt::format("0..{}", static_cast<std::int64_t>(indices.size()) - 1), [&] {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(6, indices.size()); ++i) text += fmt::format("{} ", indices[i]);
    return text + "...";
  });
  std::vector<int> lost;
  for (const int frame : frames)
    if (std::find(indices.begin(), indices.end(), frame) == indices.end()) lost.push_back(frame);
  to.test("F8.indices", path, lost.empty(), "a keyframe for every frame", [&] { return "none for frames" + first_numbers(lost, 5); });
}

}  // namespace

CameraFacts judge_camera(const DatasetFacts& data, const SceneFacts& scene, const std::string& camera,
                         const std::set<int>& on_disk, std::vector<int>& frames, Findings& loud) {
  Findings quiet(loud.skips());
  Findings& to = data.kinds.has("camera") ? loud : quiet;
  const fs::path folder = scene.folder / "_detail" / camera;
  CameraFacts c;
  c.name = camera;
  c.fov_rad = judge_camera_table(data, folder, to);
  std::int64_t n = -1;
  const auto path_of = [&](const char* name) { return folder / fmt::format("camera_keyframe_{}.hdf5", name); };
  const auto read = [&](const char* name, Element element, Shape shape) {
    shape.insert(shape.begin(), n);
    auto array = read_array(path_of(name), data.rel(path_of(name)), {.element = element, .shape = shape}, to);
    if (array && n < 0) n = static_cast<std::int64_t>(array->rows());
    return array;
  };
  if (const auto a = read("frame_indices", Element::i64, {})) c.indices = a->values<std::int64_t>();
  if (const auto a = read("positions", Element::f64, {3})) c.eyes = as_points(*a);
  if (const auto a = read("orientations", Element::f64, {3, 3})) c.world_from_cam = as_matrices(*a);
  if (const auto a = read("look_at_positions", Element::f64, {3})) c.targets = as_points(*a);
  frames = frames_to_judge(data, scene, camera, on_disk, loud);
  if (n >= 0 && n != 100) to.note(fmt::format("cameras with {} keyframes; one reader wants exactly 100", n));
  judge_indices(c, frames, data.rel(path_of("frame_indices")), to);
  judge_finite(c.eyes, data.rel(path_of("positions")), to);
  judge_finite(c.targets, data.rel(path_of("look_at_positions")), to);
  if (c.world_from_cam) judge_rotations(*c.world_from_cam, data.rel(path_of("orientations")), to);
  else to.none("F8.rotation");
  judge_look_at(c, data.rel(path_of("look_at_positions")), to);
  return c;
}

}  // namespace simulacra::auditing
