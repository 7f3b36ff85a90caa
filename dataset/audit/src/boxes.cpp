// SPDX-License-Identifier: Apache-2.0
// Bounding boxes: the files themselves, against the mesh, and against what the images show.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "dataset/audit/src/judge.h"
#include "dataset/audit/src/smallest_rectangle.h"
#include "dataset/audit/src/stored_array.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::array<std::string_view, 3> kParts = {"positions", "orientations", "extents"};

/// The rows of one box file.
struct Part {
  std::string path;
  std::size_t width = 3;            ///< numbers a row
  std::vector<double> v;
  std::size_t rows() const { return v.size() / width; }
  bool finite(std::size_t row) const {
    return std::all_of(v.begin() + static_cast<std::ptrdiff_t>(row * width),
                       v.begin() + static_cast<std::ptrdiff_t>((row + 1) * width), [](double x) { return std::isfinite(x); });
  }
  bool absent(std::size_t row) const {
    return std::all_of(v.begin() + static_cast<std::ptrdiff_t>(row * width),
                       v.begin() + static_cast<std::ptrdiff_t>((row + 1) * width), [](double x) { return x == kInf; });
  }
  std::string text(std::size_t row) const {
    std::string out;
    for (std::size_t i = 0; i < width; ++i) out += fmt::format("{}{:.6g}", i ? " " : "", v[row * width + i]);
    return out;
  }
  Vec3d vector(std::size_t row) const { return {v[3 * row], v[3 * row + 1], v[3 * row + 2]}; }
  Mat3d matrix(std::size_t row) const {
    Mat3d m;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) m(i, j) = v[9 * row + 3 * i + j];
    return m;
  }
};

bool is_rotation_of(BoxKind kind, const Mat3d& m) {
  if (!(skew_of(m) <= 1e-6) || !(std::abs(determinant(m) - 1) <= 1e-6)) return false;
  const auto near = [&](std::size_t i, std::size_t j, double want) { return std::abs(m(i, j) - want) <= 1e-6; };
  switch (kind) {
    case BoxKind::object_aligned_2d:
      return near(0, 2, 0) && near(1, 2, 0) && near(2, 2, 1) && near(2, 0, 0) && near(2, 1, 0);
    case BoxKind::axis_aligned:
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
          if (!near(i, j, i == j ? 1 : 0)) return false;
      return true;
    case BoxKind::object_aligned_3d: return true;
  }
  return false;
}

bool sides_in_order(BoxKind kind, Vec3d e) {
  const double slack = 1e-9 * std::max({std::abs(e.x), std::abs(e.y), std::abs(e.z)});
  if (e.x < 0 || e.y < 0 || e.z < 0) return false;
  if (kind != BoxKind::axis_aligned && e.x < e.y - slack) return false;
  return kind != BoxKind::object_aligned_3d || e.y >= e.z - slack;
}

std::string_view rotation_wish(BoxKind kind) {
  return kind == BoxKind::object_aligned_2d ? "a rotation about z" : kind == BoxKind::axis_aligned ? "the identity" : "a rotation";
}

void judge_rows(const SceneFacts& scene, const std::array<Part, 3>& parts, Findings& to) {
  const std::size_t n = parts[0].rows();
  std::vector<bool> owned(n);
  for (std::size_t i = 1; i < n; ++i) owned[i] = !scene.sii && parts[0].finite(i);
  if (scene.sii)
    for (const int i : *scene.sii)
      if (i > 0 && i < static_cast<int>(n)) owned[static_cast<std::size_t>(i)] = true;
  for (const Part& part : parts) {
    std::size_t bad = n;
    for (std::size_t i = 0; i < n && bad == n; ++i)
      if (owned[i] ? !part.finite(i) : !part.absent(i)) bad = i;
    to.test("F12.rows", part.path, bad == n, "finite rows for used ids, +inf elsewhere (row 0 too)",
            [&] { return fmt::format("row {} is {}", bad, part.text(bad)); });
  }
}

Boxes judge_shapes(BoxKind kind, const std::array<Part, 3>& parts, Findings& to) {
  const auto& [positions, orientations, extents] = parts;
  const std::size_t n = positions.rows();
  Boxes boxes{kind, std::vector<Vec3d>(n), std::vector<Vec3d>(n), std::vector<Mat3d>(n), std::vector<bool>(n), extents.path};
  std::size_t turned = n, unordered = n, usable = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (!positions.finite(i) || !orientations.finite(i) || !extents.finite(i)) continue;
    ++usable;
    boxes.position[i] = positions.vector(i);
    boxes.extent[i] = extents.vector(i);
    boxes.world_from_box[i] = orientations.matrix(i);
    const bool upright = is_rotation_of(kind, boxes.world_from_box[i]);
    if (!upright && turned == n) turned = i;
    if (!sides_in_order(kind, boxes.extent[i]) && unordered == n) unordered = i;
    const Vec3d e = boxes.extent[i];
    boxes.proper[i] = upright && e.x >= 0 && e.y >= 0 && e.z >= 0;
  }
  if (usable == 0) {
    to.none("F12.rotation", "F12.extents");
    return boxes;
  }
  to.test("F12.rotation", orientations.path, turned == n, std::string(rotation_wish(kind)) + " in every used row",
          [&] { return fmt::format("row {} is {}", turned, orientations.text(turned)); });
  to.test("F12.extents", extents.path, unordered == n,
          kind == BoxKind::object_aligned_3d ? "sides >= 0, x >= y >= z" : kind == BoxKind::axis_aligned ? "sides >= 0" : "sides >= 0, x >= y",
          [&] { return fmt::format("row {} is {}", unordered, extents.text(unordered)); });
  return boxes;
}

Vec3d in_box(const Boxes& boxes, std::size_t i, Vec3d p) { return transpose(boxes.world_from_box[i]) * (p - boxes.position[i]); }

void judge_against_mesh(const SceneFacts& scene, const Boxes& boxes, Findings& to) {
  for (const auto& [instance, points] : scene.mesh_points) {
    const auto i = static_cast<std::size_t>(instance);
    if (i >= boxes.proper.size() || !boxes.proper[i] || points.empty()) continue;
    Vec3d low{kInf, kInf, kInf}, high{-kInf, -kInf, -kInf};
    std::vector<Vec2d> footprint;
    for (const Vec3d p : points) {
      const Vec3d q = in_box(boxes, i, p);
      low = min(low, q), high = max(high, q);
      footprint.push_back({p.x, p.y});
    }
    const Vec3d extent = boxes.extent[i];
    const double slack = 1e-4 * length(extent) + 1e-9;
    Vec3d gap;
    for (std::size_t a = 0; a < 3; ++a)
      gap[a] = std::max(std::abs(high[a] - extent[a] / 2), std::abs(low[a] + extent[a] / 2));
    to.test("F12.mesh", boxes.extents_path, gap.x <= slack && gap.y <= slack && gap.z <= slack,
            fmt::format("box of instance {} touches its mesh on all sides", instance),
            [&] { return fmt::format("gaps or overhangs up to {:.6g} {:.6g} {:.6g} in x, y, z", gap.x, gap.y, gap.z); });
    if (boxes.kind != BoxKind::object_aligned_2d) continue;
    const double area = extent.x * extent.y, least = smallest_rectangle(std::move(footprint));
    to.test("F12.mesh", boxes.extents_path, area <= least * 1.001 + slack * slack,
            fmt::format("the smallest footprint for instance {}, area {:.6g}", instance, least),
            [&] { return fmt::format("{:.6g}", area); });
  }
}

/// All three files of one kind, or nothing when one is missing or wrong.
std::optional<std::array<Part, 3>> read_parts(const DatasetFacts& data, const SceneFacts& scene, BoxKind kind, Findings& to) {
  std::array<Part, 3> parts;
  bool whole = true;
  for (std::size_t p = 0; p < 3; ++p) {
    const fs::path path = scene.folder / "_detail" / "mesh" /
                          fmt::format("metadata_semantic_instance_bounding_box_{}_{}.hdf5", kBoxKinds[static_cast<std::size_t>(kind)], kParts[p]);
    parts[p].path = data.rel(path);
    parts[p].width = p == 1 ? 9 : 3;
    const std::int64_t rows = scene.color_rows ? static_cast<std::int64_t>(*scene.color_rows) : -1;
    const Shape shape = p == 1 ? Shape{rows, 3, 3} : Shape{rows, 3};
    if (const auto array = read_array(path, parts[p].path, {.element = Element::f64, .shape = shape}, to))
      parts[p].v = array->values<double>();
    else
      whole = false;
  }
  if (!whole) return std::nullopt;
  const bool level = parts[0].rows() == parts[1].rows() && parts[0].rows() == parts[2].rows();
  if (!level)
    to.test("F12.rows", parts[0].path, false, "as many rows in all three box files",
            fmt::format("{}, {} and {}", parts[0].rows(), parts[1].rows(), parts[2].rows()));
  if (!level || parts[0].rows() == 0) return std::nullopt;
  return parts;
}

bool any_part(const SceneFacts& scene, BoxKind kind) {
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return fs::is_regular_file(scene.folder / "_detail" / "mesh" /
                               fmt::format("metadata_semantic_instance_bounding_box_{}_{}.hdf5", kBoxKinds[static_cast<std::size_t>(kind)], part));
  });
}

/// Do the points seen over all frames reach the faces that a camera saw? False when no face can be judged.
bool judge_tightness(const Boxes& boxes, std::size_t i, const SeenBox& seen, Findings& to) {
  const Vec3d extent = boxes.extent[i];
  bool any = false, bad = false;
  double worst = -kInf;
  std::size_t axis = 0, side = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t s = 0; s < 2; ++s) {
      const double foot = seen.foot[a][s];
      if (!std::isfinite(foot) || !(3 * foot < 0.5 * extent[a])) continue;
      any = true;
      const double gap = s == 0 ? extent[a] / 2 + seen.low[a] : extent[a] / 2 - seen.high[a];
      if (gap > 0.05 * extent[a] + 3 * foot) {
        bad = true;
        if (gap > worst) worst = gap, axis = a, side = s;
      }
    }
  if (any)
    to.test("F12.tight", boxes.extents_path, !bad, fmt::format("instance {} reaches the box faces turned to the camera", i), [&] {
      return fmt::format("{:.4g} asset units of empty box before its {}{} face (side {:.4g})", worst, "-+"[side], "xyz"[axis], extent[axis]);
    });
  return any;
}

}  // namespace

SeenBox::SeenBox() : low(kInf, kInf, kInf), high(-kInf, -kInf, -kInf), excess(-kInf) {
  for (auto& sides : foot) sides = {kInf, kInf};
}

void judge_box_files(const DatasetFacts& data, SceneFacts& scene, Findings& to) {
  if (!data.kinds.has("boxes")) return;
  bool any = false;
  for (const BoxKind kind : {BoxKind::object_aligned_2d, BoxKind::axis_aligned, BoxKind::object_aligned_3d}) {
    if (!any_part(scene, kind) && !(data.complete && kind == BoxKind::object_aligned_2d)) continue;
    any = true;
    const auto parts = read_parts(data, scene, kind, to);
    if (!parts) continue;
    judge_rows(scene, *parts, to);
    scene.boxes.push_back(judge_shapes(kind, *parts, to));
    scene.seen.emplace_back(scene.boxes.back().proper.size());
    if (scene.has_mesh) judge_against_mesh(scene, scene.boxes.back(), to);
  }
  if (!any) to.none("F12.rows", "F12.rotation", "F12.extents", "F12.contain", "F12.tight", "F12.mesh");
}

void judge_scene_end(const SceneFacts& scene, Findings& to) {
  if (!scene.classes.empty()) {
    std::size_t odd = 0;
    int first = 0;
    for (const auto& [instance, classes] : scene.classes)
      if (classes.size() > 1 || classes.contains(-1))
        if (odd++ == 0) first = instance;
    to.test("F11.oneclass", odd == 0 ? scene.name : scene.classes.at(first).begin()->second, odd == 0,
            "one class for each instance in the images", [&] {
              std::string list;
              for (const auto& [semantic, path] : scene.classes.at(first)) list += fmt::format(" {}", semantic);
              return fmt::format("{} instances; instance {} appears with classes{}", odd, first, list);
            });
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (scene.up_count[i] < 50) {
      to.none("F8.up");
      continue;
    }
    const double mean = scene.up_sum[i] / static_cast<double>(scene.up_count[i]);
    to.test("F8.up", scene.name, (i == 0 ? mean : -mean) > 0.5, i == 0 ? "floor normals point up" : "ceiling normals point down",
            [&] { return fmt::format("mean z of normal_world {:.3f} over {} pixels", mean, scene.up_count[i]); });
  }
  for (std::size_t b = 0; b < scene.boxes.size(); ++b) {
    const Boxes& boxes = scene.boxes[b];
    bool any = false, tight = false;
    for (std::size_t i = 0; i < boxes.proper.size(); ++i) {
      const SeenBox& seen = scene.seen[b][i];
      if (!boxes.proper[i] || seen.count == 0) continue;
      any = true;
      to.test("F12.contain", boxes.extents_path, seen.excess <= 0, fmt::format("all visible points of instance {} inside", i), [&] {
        return fmt::format("points up to {:.4g} asset units outside a box of {:.4g} x {:.4g} x {:.4g}", seen.excess,
                           boxes.extent[i].x, boxes.extent[i].y, boxes.extent[i].z);
      });
      tight = judge_tightness(boxes, i, seen, to) || tight;
    }
    if (!any) to.none("F12.contain");
    if (!tight) to.none("F12.tight");
  }
  if (!scene.boxes.empty() && !scene.has_mesh) to.none("F12.mesh");
}

}  // namespace simulacra::auditing
