// SPDX-License-Identifier: Apache-2.0
#include "tools/inspector/catalog/scene_tables.h"

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "dataset/annotate/nyu40.h"
#include "dataset/hdf5/hdf5.h"
#include "dataset/schema/canonical.h"
#include "dataset/schema/csv.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::inspector {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Reads one scene's tables; what fails becomes a line.
class SceneReader {
 public:
  SceneReader(const FrameList& list, const SceneFolders& scene) : list_(list), scene_(scene) {}

  Json read() {
    Json out;
    out["name"] = scene_.name;
    if (const auto at = list_.scene_records.find(scene_.name); at != list_.scene_records.end()) {
      out["type"] = at->second.scene_type;
      out["source"] = at->second.source;
      out["warnings"] = at->second.warnings;
    }
    read_unit();
    attempt([&] { read_parameters(out); });
    out["meters_per_unit"] = unit_known_ ? Json(unit_) : Json();
    if (!out.contains("lens")) out["lens"] = {{"cam_from_uv", Json()}, {"fov_x_rad", kCanonicalFovRad}, {"assumed", true}};
    attempt([&] { read_cameras(out); });
    attempt([&] { read_entities(out); });
    attempt([&] { read_materials(out); });
    attempt([&] { read_instances(out); });
    attempt([&] { read_boxes(out); });
    attempt([&] { read_credits(out); });
    out["problems"] = problems_;
    return out;
  }

 private:
  template <typename Body>
  void attempt(Body&& body) {
    try {
      body();
    } catch (const std::exception& e) {
      problems_.push_back(e.what());
    }
  }

  /// The file in any of the scene's _detail folders; empty when there is none.
  fs::path find(const fs::path& relative) const {
    for (const fs::path& detail : scene_.details)
      if (std::error_code ignored; fs::is_regular_file(detail / relative, ignored)) return detail / relative;
    return {};
  }

  void read_unit() {
    const fs::path path = find("metadata_scene.csv");
    if (path.empty()) return;
    attempt([&] {
      const CsvTable table = read_csv(path);
      for (const auto& row : table.rows)
        if (row.at(table.column("parameter_name")) == "meters_per_asset_unit") set_unit(row.at(table.column("parameter_value")), path);
    });
  }
  void set_unit(const std::string& text, const fs::path& path) {
    const double unit = std::stod(text);
    if (!std::isfinite(unit) || !(unit > 0)) fail("{}: a unit of {} m", path.string(), text);
    unit_ = unit, unit_known_ = true;
  }

  void read_parameters(Json& out) {
    if (!list_.camera_parameters) return;
    const CsvTable table = read_csv(*list_.camera_parameters);
    const std::size_t name = table.column("scene_name");
    for (const auto& row : table.rows) {
      if (row[name] != scene_.name) continue;
      Json lens = Json::array();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) lens.push_back(std::stod(row[table.column(fmt::format("M_cam_from_uv_{}{}", i, j))]));
      out["lens"] = {{"cam_from_uv", lens}, {"assumed", false}};
      if (!unit_known_) set_unit(row[table.column("settings_units_info_meters_scale")], *list_.camera_parameters);
    }
  }

  void read_cameras(Json& out) {
    std::set<std::string> names;
    for (const fs::path& detail : scene_.details)
      for (const std::string& name : sorted_names(detail))
        if (is_camera_name(name)) names.insert(name);
    out["cameras"] = Json::array();
    for (const std::string& name : names)
      attempt([&] { out["cameras"].push_back(camera(name)); });
  }

  Json camera(const std::string& name) {
    const fs::path at = find(fs::path(name) / "camera_keyframe_positions.hdf5"), turn = find(fs::path(name) / "camera_keyframe_orientations.hdf5"),
                   numbers = find(fs::path(name) / "camera_keyframe_frame_indices.hdf5");
    if (at.empty() || turn.empty()) fail("{}: the camera's positions or orientations are not there", (scene_.details.front() / name).string());
    const hdf5::Array positions = hdf5::read(at), orientations = hdf5::read(turn);
    const std::size_t count = positions.shape.empty() ? 0 : positions.shape[0];
    if (positions.shape != std::vector<std::size_t>{count, 3} || orientations.shape != std::vector<std::size_t>{count, 3, 3})
      fail("{}: positions and orientations are not [n, 3] and [n, 3, 3]", at.string());
    Json out = {{"name", name}, {"frames", Json::array()}, {"positions", Json::array()}, {"orientations", Json::array()}};
    for (std::size_t i = 0; i < 3 * count; ++i) out["positions"].push_back(positions.at(i) * unit_);
    for (std::size_t i = 0; i < 9 * count; ++i) out["orientations"].push_back(orientations.at(i));
    if (numbers.empty()) {
      for (std::size_t i = 0; i < count; ++i) out["frames"].push_back(i);
      return out;
    }
    const hdf5::Array indices = hdf5::read(numbers);
    if (indices.size() != count) fail("{}: {} numbers for {} poses", numbers.string(), indices.size(), count);
    for (std::size_t i = 0; i < count; ++i) out["frames"].push_back(static_cast<std::int64_t>(indices.at(i)));
    return out;
  }

  void read_entities(Json& out) {
    out["entities"] = Json::object();
    const fs::path path = find("metadata_nodes.csv");
    if (path.empty()) return;
    const CsvTable table = read_csv(path);
    const std::size_t id = table.column("node_id"), name = table.column("node_name");
    for (const auto& row : table.rows) out["entities"][row[id]] = row[name];
  }

  void read_materials(Json& out) {
    out["materials"] = Json::array();
    const fs::path path = find("mesh/metadata_materials.csv");
    if (path.empty()) return;
    const CsvTable table = read_csv(path);
    const std::size_t name = table.column("material_name");
    for (const auto& row : table.rows) out["materials"].push_back(row[name]);
  }

  void read_instances(Json& out) {
    out["instances"] = Json::object();
    const fs::path path = find("mesh/metadata_instances.csv");
    if (path.empty()) return instances_of_objects(out);
    const CsvTable table = read_csv(path);
    const std::size_t id = table.column("instance_id"), semantic = table.column("semantic_id"), name = table.column("name");
    for (const auto& row : table.rows) out["instances"][row[id]] = {{"name", row[name]}, {"semantic", std::stoi(row[semantic])}};
  }

  /// The public set has no table of instances: an instance is called after its first object.
  void instances_of_objects(Json& out) {
    const fs::path names = find("mesh/metadata_objects.csv"), semantic = find("mesh/mesh_objects_si.hdf5"), instance = find("mesh/mesh_objects_sii.hdf5");
    if (names.empty() || semantic.empty() || instance.empty()) return;
    const CsvTable table = read_csv(names);
    const std::size_t name = table.column("object_name");
    const hdf5::Array si = hdf5::read(semantic), sii = hdf5::read(instance);
    if (si.size() != table.rows.size() || sii.size() != table.rows.size())
      fail("{}: {} objects, and {} classes and {} instances beside it", names.string(), table.rows.size(), si.size(), sii.size());
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::string id = std::to_string(static_cast<int>(sii.at(i)));
      if (sii.at(i) >= 1 && !out["instances"].contains(id)) out["instances"][id] = {{"name", table.rows[i][name]}, {"semantic", static_cast<int>(si.at(i))}};
    }
  }

  void read_boxes(Json& out) {
    const auto path = [&](std::string_view part) { return find(fmt::format("mesh/metadata_semantic_instance_bounding_box_object_aligned_2d_{}.hdf5", part)); };
    if (path("positions").empty() || path("orientations").empty() || path("extents").empty()) return;
    const hdf5::Array centers = hdf5::read(path("positions")), axes = hdf5::read(path("orientations")), extents = hdf5::read(path("extents"));
    const std::size_t count = centers.shape.empty() ? 0 : centers.shape[0];
    if (centers.size() != 3 * count || axes.size() != 9 * count || extents.size() != 3 * count)
      fail("{}: box positions, orientations and extents do not belong together", path("positions").string());
    for (std::size_t i = 0; i < count; ++i) {   // row i belongs to instance i
      if (!std::isfinite(centers.at(3 * i)) || !std::isfinite(extents.at(3 * i))) continue;
      Json box = {{"center", Json::array()}, {"axes", Json::array()}, {"extents", Json::array()}};
      for (std::size_t k = 0; k < 3; ++k) box["center"].push_back(centers.at(3 * i + k) * unit_), box["extents"].push_back(extents.at(3 * i + k) * unit_);
      for (std::size_t k = 0; k < 9; ++k) box["axes"].push_back(axes.at(9 * i + k));
      out["instances"][std::to_string(i)]["box"] = box;
    }
  }

  void read_credits(Json& out) {
    const fs::path path = find("CREDITS.txt");
    if (!path.empty()) out["credits"] = read_text_file(path, std::uint64_t{1} << 20);
  }

  const FrameList& list_;
  const SceneFolders& scene_;
  double unit_ = 1;
  bool unit_known_ = false;
  std::vector<std::string> problems_;
};

}  // namespace

std::string scene_json(const FrameList& list, std::size_t scene_idx) {
  return SceneReader(list, list.scenes.at(scene_idx)).read().dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace simulacra::inspector
