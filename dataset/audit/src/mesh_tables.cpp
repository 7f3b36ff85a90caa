// SPDX-License-Identifier: Apache-2.0
// Object tables of one scene: classes, instances, colors, and the mesh where it is there.
#include <algorithm>
#include <filesystem>

#include "dataset/annotate/nyu40.h"
#include "dataset/audit/src/judge.h"
#include "dataset/audit/src/stored_array.h"
#include "dataset/schema/tables.h"
#include "render/base/error.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

std::optional<std::vector<int>> column_of(const std::optional<StoredArray>& array) {
  if (!array) return std::nullopt;
  std::vector<int> out;
  for (const std::int64_t v : array->values<std::int64_t>())
    out.push_back(static_cast<int>(std::clamp<std::int64_t>(v, -1000000000, 1000000000)));
  return out;
}

void judge_lengths(const DatasetFacts& data, SceneFacts& scene, const fs::path& folder, Findings& to) {
  std::map<std::string, std::size_t> counts;
  if (scene.object_names) counts["metadata_objects.csv"] = scene.object_names->size();
  if (scene.si) counts["mesh_objects_si"] = scene.si->size();
  if (scene.sii) counts["mesh_objects_sii"] = scene.sii->size();
  if (counts.empty()) return to.none("F11.objects");
  std::size_t low = counts.begin()->second, high = low;
  std::string text;
  for (const auto& [name, count] : counts) {
    low = std::min(low, count), high = std::max(high, count);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  to.test("F11.objects", data.rel(folder), low == high, "as many rows in all object tables", text);
  scene.object_count = low;
}

void judge_instances(const DatasetFacts& data, SceneFacts& scene, const fs::path& folder, Findings& to) {
  const std::string path = data.rel(folder / "mesh_objects_sii.hdf5");
  const std::vector<int>& sii = *scene.sii;
  const auto bad = std::find_if(sii.begin(), sii.end(), [&](int i) {
    return i != -1 && (i < 1 || (scene.color_rows && i >= static_cast<int>(*scene.color_rows)));
  });
  to.test("F11.objects", path, bad == sii.end(),
          [&] { return fmt::format("-1 or 1..K-1 with K={}", scene.color_rows ? std::to_string(*scene.color_rows) : "unknown"); },
          [&] { return fmt::format("object {} has {}", bad - sii.begin(), *bad); });
  const int top_used = sii.empty() ? -1 : *std::max_element(sii.begin(), sii.end());
  to.test("F3.count", path, top_used <= 32767, "instance ids up to 32767", [&] { return fmt::format("{}", top_used); });
  std::set<int> used;
  for (const int i : sii)
    if (i > 0) used.insert(i);
  const int top = std::max(static_cast<int>(scene.color_rows.value_or(1)) - 1, used.empty() ? 0 : *used.rbegin());
  int first_gap = 1;
  while (used.contains(first_gap)) ++first_gap;
  to.test("F12.contiguous", path, static_cast<int>(used.size()) >= top, fmt::format("an object for each id 1..{}", top),
          [&] { return fmt::format("{} ids without one, first {}", top - static_cast<int>(used.size()), first_gap); });
  if (used.size() > 255)
    to.note(fmt::format("{} has {} instances; readers that keep 8 bits wrap ids above 255", scene.name, used.size()));
}

std::string listed(const std::set<int>& numbers) {
  std::string text;
  for (const int n : numbers) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text;
}

void judge_classes(const DatasetFacts& data, const SceneFacts& scene, const fs::path& folder, Findings& to) {
  const std::vector<int>&si = *scene.si, &sii = *scene.sii;
  std::map<int, std::set<int>> classes;
  std::size_t stuff = si.size();
  for (std::size_t i = 0; i < si.size(); ++i) {
    if (sii[i] > 0) classes[sii[i]].insert(si[i]);
    if (is_stuff(si[i]) && sii[i] != -1 && stuff == si.size()) stuff = i;
  }
  const auto odd = std::find_if(classes.begin(), classes.end(),
                                [](const auto& c) { return c.second.size() > 1 || c.second.contains(-1); });
  to.test("F11.oneclass", data.rel(folder), odd == classes.end(), "one class for each instance in the object tables",
          [&] { return fmt::format("instance {} has classes {}", odd->first, listed(odd->second)); });
  to.test("F11.stuff", data.rel(folder), stuff == si.size(), "instance -1 for wall, floor, ceiling objects",
          [&] { return fmt::format("object {}: class {}, instance {}", stuff, si[stuff], sii[stuff]); });
}

void judge_colors(const std::optional<StoredArray>& table, const std::string& path, bool classes, Findings& to) {
  if (!table) return to.none("F11.colours");
  const std::vector<std::int64_t> v = table->values<std::int64_t>();
  bool good = v.size() >= 3 && v[0] == -1 && v[1] == -1 && v[2] == -1;
  for (std::size_t i = 3; i < v.size(); ++i) good = good && v[i] >= 0 && v[i] <= 255;
  to.test("F11.colours", path, good, "row 0 = -1 -1 -1, others 0..255", [&] {
    return v.size() < 3 ? std::string("no rows")
                        : fmt::format("row 0 {} {} {}, range {}..{}", v[0], v[1], v[2],
                                      v.size() > 3 ? *std::min_element(v.begin() + 3, v.end()) : 0,
                                      v.size() > 3 ? *std::max_element(v.begin() + 3, v.end()) : 0);
  });
  if (!classes) return;
  std::size_t wrong = 0;
  for (const SemanticClass& row : kNyu40)
    for (std::size_t k = 0; k < 3; ++k)
      if (wrong == 0 && v[3 * static_cast<std::size_t>(row.id) + k] != row.color[k]) wrong = static_cast<std::size_t>(row.id);
  to.test("F11.colours", path, wrong == 0, "the NYU40 colors", [&] {
    return fmt::format("class {} has {} {} {}", wrong, v[3 * wrong], v[3 * wrong + 1], v[3 * wrong + 2]);
  });
}

/// Real numbers, whatever their size.
std::vector<double> as_doubles(const StoredArray& a) {
  if (a.element == Element::f64) return a.values<double>();
  if (a.element == Element::f32) {
    const std::vector<float> v = a.values<float>();
    return {v.begin(), v.end()};
  }
  fail("elements that are neither float32 nor float64");
}
std::vector<std::int64_t> as_integers(const StoredArray& a) {
  if (a.element == Element::i64) return a.values<std::int64_t>();
  if (a.element == Element::i32) {
    const std::vector<std::int32_t> v = a.values<std::int32_t>();
    return {v.begin(), v.end()};
  }
  fail("elements that are neither int32 nor int64");
}

/// Corner points per instance, where the (normally private) mesh files are present.
void read_mesh(const DatasetFacts& data, SceneFacts& scene, const fs::path& folder, Findings& to) {
  for (const char* name : {"mesh_vertices", "mesh_faces_vi", "mesh_faces_oi"})
    if (!fs::is_regular_file(folder / (std::string(name) + ".hdf5"))) return;
  if (!scene.sii) return;
  try {
    Findings quiet(to.skips());
    const auto read = [&](const char* name, std::initializer_list<Element> types, Shape shape) {
      const fs::path path = folder / (std::string(name) + ".hdf5");
      for (const Element type : types)
        if (auto array = read_array(path, data.rel(path), {.element = type, .shape = shape}, quiet)) return *array;
      fail("{}.hdf5 is no array of the expected type and shape", name);
    };
    const StoredArray faces = read("mesh_faces_vi", {Element::i64, Element::i32}, {-1, 3});
    const std::vector<double> v = as_doubles(read("mesh_vertices", {Element::f64, Element::f32}, {-1, 3}));
    const std::vector<std::int64_t> vi = as_integers(faces);
    std::vector<std::int64_t> oi;
    for (const Shape& shape : {Shape{-1}, Shape{-1, 1}}) {
      const fs::path path = folder / "mesh_faces_oi.hdf5";
      for (const Element type : {Element::i64, Element::i32})
        if (oi.empty())
          if (const auto array = read_array(path, data.rel(path), {.element = type, .shape = shape}, quiet)) oi = as_integers(*array);
    }
    if (oi.size() * 3 != vi.size()) fail("{} owners for {} faces", oi.size(), vi.size() / 3);
    for (std::size_t f = 0; f < oi.size(); ++f) {
      if (oi[f] < 0 || oi[f] >= static_cast<std::int64_t>(scene.sii->size())) fail("face {} of object {}", f, oi[f]);
      const int instance = (*scene.sii)[static_cast<std::size_t>(oi[f])];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int64_t at = vi[3 * f + k];
        if (at < 0 || 3 * at + 2 >= static_cast<std::int64_t>(v.size())) fail("face {} has vertex {}", f, at);
        const auto p = 3 * static_cast<std::size_t>(at);
        if (instance > 0) scene.mesh_points[instance].push_back({v[p], v[p + 1], v[p + 2]});
      }
    }
    scene.has_mesh = true;
  } catch (const Error& e) {
    scene.mesh_points.clear();
    to.test("F1.readable", data.rel(folder), false, "mesh files that fit together", e.what());
  }
}

}  // namespace

void judge_mesh_tables(const DatasetFacts& data, SceneFacts& scene, Findings& loud) {
  Findings quiet(loud.skips());
  Findings& to = data.kinds.has("mesh") ? loud : quiet;
  const fs::path folder = scene.folder / "_detail" / "mesh";
  const auto read = [&](const char* name, Shape shape) {
    const fs::path path = folder / (std::string(name) + ".hdf5");
    return read_array(path, data.rel(path), {.element = Element::i64, .shape = std::move(shape)}, to);
  };
  const auto si = read("mesh_objects_si", {-1, 1}), sii = read("mesh_objects_sii", {-1, 1});
  const auto class_colors = read("metadata_semantic_colors", {41, 3});
  const auto colors = read("metadata_semantic_instance_colors", {-1, 3});
  const fs::path objects = folder / "metadata_objects.csv";
  if (const auto rows = read_table(objects, data.rel(objects), metadata_objects_columns(), "F13.nodes", true, to)) {
    scene.object_names.emplace();
    for (const Row& row : *rows) scene.object_names->push_back(row.at("object_name"));
  }
  const fs::path materials = folder / "metadata_materials.csv";
  if (const auto rows = read_table(materials, data.rel(materials), metadata_materials_columns(), "F13.nodes", false, quiet))
    scene.material_count = rows->size();
  scene.si = column_of(si);
  scene.sii = column_of(sii);
  if (colors) scene.color_rows = colors->rows();
  judge_lengths(data, scene, folder, to);
  if (scene.si) {
    const auto bad = std::find_if(scene.si->begin(), scene.si->end(), [](int s) { return s != -1 && (s < 1 || s > 40); });
    to.test("F11.objects", data.rel(folder / "mesh_objects_si.hdf5"), bad == scene.si->end(), "-1 or 1..40",
            [&] { return fmt::format("object {} has {}", bad - scene.si->begin(), *bad); });
  }
  if (scene.sii) judge_instances(data, scene, folder, to);
  else to.none("F12.contiguous");
  if (scene.si && scene.sii && scene.si->size() == scene.sii->size()) judge_classes(data, scene, folder, to);
  else {
    to.none("F11.oneclass", "F11.stuff");
    scene.si.reset(), scene.sii.reset();
  }
  judge_colors(class_colors, data.rel(folder / "metadata_semantic_colors.hdf5"), true, to);
  judge_colors(colors, data.rel(folder / "metadata_semantic_instance_colors.hdf5"), false, to);
  read_mesh(data, scene, folder, loud);
}

}  // namespace simulacra::auditing
