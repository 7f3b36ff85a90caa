// SPDX-License-Identifier: Apache-2.0
// Tables of one scene: unit, nodes, cameras, lens.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "dataset/audit/src/judge.h"
#include "dataset/audit/src/stored_array.h"
#include "dataset/schema/canonical.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"

namespace simulacra::auditing {
namespace {

namespace fs = std::filesystem;

void judge_unit(const DatasetFacts& data, SceneFacts& scene, Findings& to, Findings& loud) {
  const fs::path path = scene.folder / "_detail" / "metadata_scene.csv";
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_scene_columns(), "F13.scene", true, to);
  if (!rows) return loud.none("F14.scale");
  to.test("F13.scene", rel, rows->size() == 1, "one row", [&] { return fmt::format("{} rows", rows->size()); });
  std::optional<double> value;
  for (const Row& row : *rows)
    if (row.at("parameter_name") == "meters_per_asset_unit") {
      value = as_number(row.at("parameter_value"));
      break;
    }
  const bool good = value && *value > 0;
  to.test("F13.scene", rel, good, "meters_per_asset_unit, a positive number",
          [&] { return value ? fmt::format("{}", *value) : fmt::format("{} rows without such a number", rows->size()); });
  if (!good) return;
  scene.meters_per_unit = value;
  loud.test("F14.scale", rel, *value > 0.00101, "0.01 or 1.0", [&] { return fmt::format("{}", *value); });
  if (std::abs(*value - 0.01) >= 1e-8 && std::abs(*value - 1) >= 1e-6)
    loud.note(fmt::format("meters_per_asset_unit is {}; 0.01 and 1.0 serve readers best", *value));
}

/// What is wrong with the object of a node, or nothing.
std::string node_complaint(const SceneFacts& scene, const Row& row, int object, std::size_t number) {
  const std::string& name = row.at("object_name");
  const std::string& node = row.at("node_name");
  if (object < -1 || (scene.object_count && object >= static_cast<int>(*scene.object_count)))
    return fmt::format("row {}: object_id {} of {}", number, object, scene.object_count.value_or(0));
  if (object == -1)
    return name == "_NULL_OBJECT" ? std::string{} : fmt::format("row {}: object_id -1 with name '{}'", number, name);
  const auto index = static_cast<std::size_t>(object);
  if (scene.object_names && index < scene.object_names->size() && (*scene.object_names)[index] != name)
    return fmt::format("row {}: object {} is called '{}', not '{}'", number, object, (*scene.object_names)[index], name);
  if (node.substr(0, node.find('@')) != name) return fmt::format("row {}: node '{}' of object '{}'", number, node, name);
  return {};
}

void judge_nodes(const DatasetFacts& data, SceneFacts& scene, Findings& to) {
  const fs::path path = scene.folder / "_detail" / "metadata_nodes.csv";
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_nodes_columns(), "F13.nodes", true, to);
  if (!rows) return to.none("F11.nodes", "F3.count");
  std::vector<int> nodes, objects;
  std::size_t bad_row = 0;
  for (const Row& row : *rows) {
    const auto node = as_whole(row.at("node_id")), object = as_whole(row.at("object_id"));
    if ((!node || !object) && bad_row == 0) bad_row = nodes.size() + 1;
    nodes.push_back(node.value_or(0));
    objects.push_back(object.value_or(-1));
  }
  if (!to.test("F13.nodes", rel, bad_row == 0, "whole numbers in node_id and object_id",
               [&] { return fmt::format("row {}", bad_row); }))
    return;
  const std::size_t count = nodes.size();
  std::size_t gap = 0;
  while (gap < count && nodes[gap] == static_cast<int>(gap) + 1) ++gap;
  to.test("F11.nodes", rel, gap == count, fmt::format("node_id 1..{} in order", count),
          [&] { return fmt::format("first difference at row {}", gap + 1); });
  to.test("F3.count", rel, count <= 32767, "at most 32767 nodes", [&] { return fmt::format("{}", count); });
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < count; ++i)
    if (std::string text = node_complaint(scene, (*rows)[i], objects[i], i + 1); !text.empty()) wrong.push_back(std::move(text));
  to.test("F11.nodes", rel, wrong.empty(), "object_id and object_name as in metadata_objects.csv",
          [&] { return fmt::format("{} bad rows; {}", wrong.size(), wrong[0]); });
  scene.object_of_node.emplace(count + 1, -1);
  for (std::size_t i = 0; i < count; ++i)
    if (nodes[i] >= 1 && nodes[i] <= static_cast<int>(count)) (*scene.object_of_node)[static_cast<std::size_t>(nodes[i])] = objects[i];
}

void judge_node_strings(const DatasetFacts& data, const SceneFacts& scene, Findings& to) {
  const fs::path path = scene.folder / "_detail" / "metadata_node_strings.csv";
  const std::string rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_node_strings_columns(), "F13.nodes", true, to);
  if (!rows) return;
  const std::size_t limit = scene.object_of_node ? scene.object_of_node->size() - 1 : 0;
  std::size_t bad = 0, first = 0, number = 0;
  for (const Row& row : *rows) {
    ++number;
    const std::optional<int> node = as_whole(row.at("node_id"));
    const bool good = node && *node >= 1 && (limit == 0 || static_cast<std::size_t>(*node) <= limit) &&
                      row.at("path").starts_with("<root>");
    if (!good && bad++ == 0) first = number;
  }
  to.test("F13.nodes", rel, bad == 0, "known node ids and paths that start with <root>",
          [&] { return fmt::format("{} bad rows, first is row {}", bad, first); });
}

/// The row of the scene in the parameter table of the data set, or in one of its own.
const Row* find_parameters(const DatasetFacts& data, const SceneFacts& scene, Findings& to, std::optional<Row>& local,
                           std::string& rel) {
  rel = "metadata_camera_parameters.csv";
  if (const auto at = data.parameters.find(scene.name); at != data.parameters.end()) return &at->second;
  if (!data.parameters.empty()) to.test("F13.parameters", rel, false, "a row for " + scene.name, "none");
  const fs::path path = scene.folder / "_detail" / "metadata_camera_parameters.csv";
  if (!fs::is_regular_file(path)) return nullptr;
  rel = data.rel(path);
  const auto rows = read_table(path, rel, metadata_camera_parameters_columns(), "F13.parameters", false, to);
  for (const Row& row : rows.value_or(std::vector<Row>{}))
    if (row.at("scene_name") == scene.name && !local) local = row;
  return local ? &*local : nullptr;
}

void judge_matrices(SceneFacts& scene, const std::string& rel, const std::map<std::string, double>& value, Findings& to) {
  Mat3d m;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) m(i, j) = value.at(fmt::format("M_cam_from_uv_{}{}", i, j));
  if (!to.test("F13.parameters", rel, std::abs(determinant(m)) > 1e-9, "an invertible M_cam_from_uv for " + scene.name,
               [&] { return fmt::format("determinant {:g}", determinant(m)); }))
    return;
  const Matrix4 want = projection_matrix(m, scene.size->first, scene.size->second, scene.fov_rad);
  double worst = -1, allow = 0, stated = 0;
  std::size_t row = 0, column = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      const double p = value.at(fmt::format("M_proj_{}{}", i, j)), gap = std::abs(p - want[i][j]);
      if (gap > worst) worst = gap, allow = 1e-5 * (1 + std::abs(want[i][j])), stated = p, row = i, column = j;
    }
  to.test("F13.parameters", rel, worst <= allow,
          [&] { return fmt::format("M_proj of {} follows from M_cam_from_uv (M_proj_{}{} {:.7g})", scene.name, row, column, want[row][column]); },
          [&] { return fmt::format("{:.7g}", stated); });
  const Mat3d plain = pinhole(*scene.size);
  double gap = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) gap = std::max(gap, std::abs(m(i, j) - plain(i, j)));
  to.test("F13.canonical", rel, gap <= 1e-5 && std::abs(scene.fov_rad - kPiD / 3) <= 1e-6,
          "canonical matrices and fov pi/3 for " + scene.name,
          [&] { return fmt::format("matrix off by {:.3g}, fov {:.7g} rad", gap, scene.fov_rad); });
  scene.cam_from_uv = m;
}

std::map<std::string, double> parameter_numbers(const Row& row, std::string& first_gap) {
  std::map<std::string, double> value;
  for (const std::string& name : metadata_camera_parameters_columns()) {
    const bool wanted = name.starts_with("M_") || name == "settings_output_img_height" || name == "settings_output_img_width" ||
                        name == "settings_units_info_meters_scale" || name == "settings_camera_fov";
    if (!wanted) continue;
    if (const auto number = as_number(row.at(name))) value[name] = *number;
    else if (first_gap.empty()) first_gap = name;
  }
  return value;
}

void judge_parameters_row(SceneFacts& scene, const Row& row, const std::string& rel, Findings& to) {
  std::string gap;
  const std::map<std::string, double> value = parameter_numbers(row, gap);
  const auto number = [&](const char* name) { return value.contains(name) ? value.at(name) : 0.0; };
  const bool good = to.test("F13.parameters", rel, gap.empty(), "numbers in the row of " + scene.name,
                            [&] { return gap + " is '" + row.at(gap) + "'"; });
  const std::string& physical = row.at("use_camera_physical");
  to.test("F13.parameters", rel, physical == "True" || physical == "False",
          "use_camera_physical True or False for " + scene.name, physical);
  const double width = number("settings_output_img_width"), height = number("settings_output_img_height");
  const bool whole = width > 0 && height > 0 && width == std::floor(width) && height == std::floor(height) &&
                     width < 1e6 && height < 1e6;
  if (whole) scene.size = Size{static_cast<int>(width), static_cast<int>(height)};
  else to.test("F13.parameters", rel, false, "positive whole image size", fmt::format("{} x {}", width, height));
  const double fov = number("settings_camera_fov");
  if (fov > 0 && fov < kPiD) scene.fov_rad = fov;
  if (gap.empty() && scene.size) judge_matrices(scene, rel, value, to);
  const double scale = number("settings_units_info_meters_scale");
  if (scene.meters_per_unit && scale != 0)
    to.test("F13.parameters", rel, std::abs(*scene.meters_per_unit - scale) <= 1e-5 * *scene.meters_per_unit,
            fmt::format("settings_units_info_meters_scale {:g} as in metadata_scene.csv of {}", *scene.meters_per_unit, scene.name),
            [&] { return fmt::format("{:g}", scale); });
  if (!good) to.none("F13.canonical");
}

/// The pixels that a lens moved: only of copies that say so.
void judge_label_source(const DatasetFacts& data, SceneFacts& scene, Findings& to) {
  const fs::path path = data.scenes_folder / label_source_path(scene.name);
  if (!fs::exists(path) || !scene.size) return to.none("X.source");
  const std::string rel = data.rel(path);
  const Shape shape{scene.size->second, scene.size->first};
  const auto array = read_array(path, rel, {.element = Element::i32, .shape = shape, .image = true, .attributes = true}, to);
  if (!array) return to.none("X.source");
  std::vector<std::int32_t> source = array->values<std::int32_t>();
  const auto pixels = static_cast<std::int32_t>(source.size());
  const auto bad = std::find_if(source.begin(), source.end(), [&](std::int32_t p) { return p < -1 || p >= pixels; });
  const bool good = to.test("X.source", rel, bad == source.end(), fmt::format("-1..{}", pixels - 1), [&] { return fmt::format("{}", *bad); });
  if (good) scene.label_source = std::move(source);
}

}  // namespace

Mat3d pinhole(Size size, double fov_rad) { return pinhole_cam_from_uv(size.first, size.second, fov_rad); }

double skew_of(const Mat3d& r) {
  const Mat3d product = transpose(r) * r;
  double worst = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double gap = std::abs(product(i, j) - (i == j ? 1 : 0));
      if (!(gap <= worst)) worst = gap;  // NaN counts as the worst
    }
  return worst;
}

void judge_scene_tables(const DatasetFacts& data, SceneFacts& scene, Findings& to) {
  Findings quiet(to.skips());
  Findings& own = data.kinds.has("scene") ? to : quiet;
  judge_unit(data, scene, own, to);
  judge_mesh_tables(data, scene, to);
  judge_nodes(data, scene, own);
  judge_node_strings(data, scene, own);
}

void judge_lens(const DatasetFacts& data, SceneFacts& scene, Findings& to) {
  Findings quiet(to.skips());
  Findings& csv = data.kinds.has("csv") ? to : quiet;
  std::optional<Row> local;
  std::string rel;
  if (const Row* row = find_parameters(data, scene, csv, local, rel)) judge_parameters_row(scene, *row, rel, csv);
  else to.none("F13.canonical");
  if (!scene.size) scene.size = size_of_any_image(scene.folder / "images");
  judge_label_source(data, scene, to);
  if (data.demanded_size && scene.size) {
    to.test("F2.size", scene.name, *scene.size == *data.demanded_size,
            fmt::format("{} x {}", data.demanded_size->first, data.demanded_size->second),
            [&] { return fmt::format("{} x {}", scene.size->first, scene.size->second); });
    return;
  }
  to.none("F2.size");
  if (scene.size && *scene.size != Size{kCanonicalWidth, kCanonicalHeight})
    to.note(fmt::format("images are {} x {}; public readers expect 1024 x 768", scene.size->first, scene.size->second));
}

std::vector<std::string> judge_camera_list(const DatasetFacts& data, const SceneFacts& scene, const FramesOnDisk& frames,
                                           Findings& to) {
  Findings quiet(to.skips());
  Findings& own = data.kinds.has("scene") ? to : quiet;
  const fs::path detail = scene.folder / "_detail", path = detail / "metadata_cameras.csv";
  const std::string rel = data.rel(path);
  std::set<std::string> folders, all;
  std::error_code ignored;
  for (const fs::directory_entry& e : fs::directory_iterator(detail, ignored))
    if (e.is_directory() && e.path().filename().string().starts_with("cam")) folders.insert(e.path().filename().string());
  all = folders;
  for (const auto& [camera, numbers] : frames) all.insert(camera);
  const auto rows = read_table(path, rel, metadata_cameras_columns(), "F13.cameras", true, own);
  std::set<std::string> listed;
  bool good = rows && !rows->empty();
  if (rows) {
    std::string lost, more, names;
    for (const Row& row : *rows) {
      const std::string& name = row.at("camera_name");
      good = good && is_camera_name(name) && listed.insert(name).second;
      names += " " + name;
      if (!folders.contains(name)) lost += " " + name;
      listed.insert(name);
    }
    for (const std::string& name : all)
      if (!listed.contains(name)) more += " " + name;
    own.test("F13.cameras", rel, good, "cam_XX, each once", "names" + names);
    own.test("F1.cameras", rel, lost.empty(), "a folder for every listed camera", "no folder for" + lost);
    own.test("F1.cameras", rel, more.empty(), "every camera listed", "not listed:" + more);
  } else {
    to.none("F1.cameras");
  }
  all.insert(listed.begin(), listed.end());
  std::vector<std::string> cameras;
  for (const std::string& name : all)
    if (is_camera_name(name)) cameras.push_back(name);
  return cameras;
}

}  // namespace simulacra::auditing
