// SPDX-License-Identifier: Apache-2.0
#include "render/import/scene_yaml.h"

#include <algorithm>
#include <map>
#include <numbers>
#include <optional>
#include <tuple>

#include "render/base/error.h"
#include "render/import/import.h"
#include "render/import/src/import_own_frame.h"
#include "render/import/src/scene_yaml_options.h"
#include "render/import/src/scene_yaml_parts.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using namespace scene_yaml;
using config::Node;

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

Vec3d vec(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

/// The item of a list in `scene`, for messages; the list was read, so it is there.
const Node& item(const Node& scene, std::string_view list, std::size_t i) { return scene.find(list)->items[i]; }

/// z-up metres from the frame of a file.
Affine3d upright_from(const SceneDescription& part) {
  const double s = part.meters_per_unit;
  const Affine3d scale = scaling({s, s, s});
  return part.up == "z" ? scale : scale * Affine3d{Mat3d::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}), {}};
}

class Builder {
 public:
  Builder(const Node& node, fs::path folder, Diagnostics& diagnostics)
      : node_(node), folder_(std::move(folder)), diagnostics_(diagnostics) {
    if (node.kind != Node::Kind::map) fail_usage("{}: 'scene' is no group; expected keys like 'place'", node.where());
    read_options();
  }

  SceneDescription run() {
    scene_.name = options_.name;
    scene_.up = std::string("z");
    if (!options_.file.empty()) add_base();
    for (std::size_t i = 0; i < options_.place.size(); ++i) place(options_.place[i], item(node_, "place", i));
    remove_objects(scene_, options_.remove, node_.where(), diagnostics_);
    if (const Node& e = options_.environment; e.kind != Node::Kind::null) add_environment(e);
    for (std::size_t i = 0; i < options_.lights.size(); ++i)
      add_light(scene_, options_.lights[i], item(node_, "lights", i));
    for (std::size_t i = 0; i < options_.cameras.size(); ++i)
      add_camera(scene_, options_.cameras[i], item(node_, "cameras", i));
    override_materials(scene_, options_.materials, diagnostics_);
    apply_labels(scene_, options_.labels, diagnostics_);
    if (scene_.objects.empty())
      fail_usage("{}: the scene has no object; 'place' or 'file' names the files to put in", node_.where());
    return std::move(scene_);
  }

 private:
  void read_options() {
    // Within a config the group is called `scene`, so messages say scene.place.0.file.
    struct Root {
      SceneOptions scene;
    };
    Node root;
    root.kind = Node::Kind::map;
    root.entries.emplace_back("scene", node_);
    Root options;
    config::detail::read(root, [&](config::Fields& f) { f.group("scene", options.scene, ""); });
    options_ = std::move(options.scene);
  }

  /// Where a file of that name is; the places are named in the documentation of import_scene_node().
  std::optional<fs::path> find(const std::string& name, const Node& where) const {
    const fs::path written(name);
    if (written.is_absolute()) return fs::exists(written) ? std::optional<fs::path>(written) : std::nullopt;
    std::vector<fs::path> folders;
    if (where.line > 0 && fs::is_regular_file(where.file)) folders.push_back(fs::path(where.file).parent_path());
    folders.push_back(folder_);
    const std::size_t beside = folders.size();
    for (const std::string& search : options_.search)
      for (std::size_t i = 0; i < beside; ++i) folders.push_back(folders[i] / search);
    for (const fs::path& folder : folders)
      if (const fs::path path = (folder / written).lexically_normal(); fs::exists(path)) return path;
    return std::nullopt;
  }
  fs::path found(const std::string& name, const Node& owner) const {
    const Node* file = owner.find("file");
    const Node& where = file != nullptr ? *file : owner;
    const std::optional<fs::path> path = find(name, where);
    if (!path)
      fail_usage("{}: '{}' is not there; looked beside the YAML file{}", where.where(), name,
                 options_.search.empty() ? "; 'scene.search' may name further folders" : " and in 'scene.search'");
    return *path;
  }

  /// Imports each file once, in its own frame.
  const SceneDescription& part(const fs::path& path) {
    const auto known = parts_.find(path);
    if (known != parts_.end()) return known->second;
    return parts_.emplace(path, import_in_own_frame(path, false, diagnostics_)).first->second;
  }

  void add_base() {
    const fs::path path = found(options_.file, node_);
    SceneDescription base = part(path);
    if (!options_.up.empty()) base.up = options_.up;
    if (options_.meters_per_unit > 0) base.meters_per_unit = options_.meters_per_unit;
    if (scene_.name.empty()) scene_.name = base.name;
    scene_.max_depth = base.max_depth;
    const Affine3d world_from_file = upright_from(base);
    append_scene(scene_, base, world_from_file, "");
    scene_.world_from_scene = world_from_file;
  }

  void place(const PlaceOptions& o, const Node& node) {
    if (o.file.empty()) fail_usage("{}: a placed file needs 'file'", node.where());
    const std::string name = o.name.empty() ? fs::path(o.file).stem().string() : o.name;
    if (o.optional && !find(o.file, *node.find("file"))) {
      diagnostics_.warn(node.where(), name, fmt::format("the optional file {} is not there; left out", o.file));
      return;
    }
    const fs::path path = found(o.file, node);
    const SceneDescription& source = part(path);
    SceneDescription frame;  // only its axes and units
    frame.up = o.up.empty() ? source.up : o.up;
    frame.meters_per_unit = o.meters_per_unit > 0 ? o.meters_per_unit : source.meters_per_unit;
    const Affine3d world_from_part = placement(o, node, source, upright_from(frame));
    const bool has_spheres = std::any_of(source.objects.begin(), source.objects.end(),
                                         [](const ObjectDescription& object) { return object.sphere.has_value(); });
    const Vec3d scale = scale_of_place(o);
    if (has_spheres && !(scale.x == scale.y && scale.y == scale.z))
      fail_usage("{}: 'scale' differs between axes, and {} has spheres; expected one factor", node.where(), o.file);
    append_placed(path, source, world_from_part, name, o.label);
  }

  Affine3d placement(const PlaceOptions& o, const Node& node, const SceneDescription& source,
                     const Affine3d& upright) const {
    if (!o.rotation_deg.empty() && node.find("rotate_z_deg") != nullptr)
      fail_usage("{}: both 'rotation_deg' and 'rotate_z_deg' are given; expected one", node.where());
    const std::vector<double> degrees =
        o.rotation_deg.empty() ? std::vector<double>{0, 0, o.rotate_z_deg} : o.rotation_deg;
    const Affine3d turned = rotation({0, 0, 1}, degrees[2] * kRadiansPerDegree) *
                            rotation({0, 1, 0}, degrees[1] * kRadiansPerDegree) *
                            rotation({1, 0, 0}, degrees[0] * kRadiansPerDegree) * scaling(scale_of_place(o)) * upright;
    Vec3d position = vec(o.position);
    if (o.anchor == "floor") {
      SceneDescription moved;
      append_scene(moved, source, turned, "");
      const Box3d box = world_box(moved);
      if (!box.empty()) position = position - Vec3d{box.center().x, box.center().y, box.lo.z};
    }
    return translation(position) * turned;
  }

  static Vec3d scale_of_place(const PlaceOptions& o) {
    if (o.scale.kind == Node::Kind::null) return {1, 1, 1};
    const Vec3d s = o.scale.kind == Node::Kind::scalar ? Vec3d{1, 1, 1} * config::as_number(o.scale, "scale")
                                                       : vec(config::as_numbers(o.scale, "scale", 3));
    if (!(s.x > 0 && s.y > 0 && s.z > 0)) fail_usage("{}: 'scale' must be above 0", o.scale.where());
    return s;
  }

  /// Appends the part; a file that is placed again shares the meshes of its first place.
  void append_placed(const fs::path& path, const SceneDescription& source, const Affine3d& world_from_part,
                     const std::string& name, const std::string& label) {
    const std::size_t first_object = scene_.objects.size();
    const int first_mesh = static_cast<int>(scene_.meshes.size());
    append_scene(scene_, source, world_from_part, name);
    const auto [earlier, is_first] = first_mesh_of_.emplace(path, first_mesh);
    for (std::size_t i = first_object; i < scene_.objects.size(); ++i) {
      ObjectDescription& object = scene_.objects[i];
      if (!is_first && object.mesh >= 0) object.mesh += earlier->second - first_mesh;
      if (label.empty()) continue;
      object.class_hint = label;
      object.instance_key = name;
    }
    if (!is_first) scene_.meshes.resize(static_cast<std::size_t>(first_mesh));
  }

  void add_environment(const Node& node) {
    if (node.kind != Node::Kind::map)
      fail_usage("{}: 'scene.environment' is no group; expected file, radiance, scale, rotate_z_deg", node.where());
    EnvironmentOptions environment;
    config::read(node, environment);
    set_environment(scene_, environment, node,
                    environment.file.empty() ? fs::path() : found(environment.file, node));
  }

  const Node& node_;
  fs::path folder_;
  Diagnostics& diagnostics_;
  SceneOptions options_;
  SceneDescription scene_;
  std::map<fs::path, SceneDescription> parts_;
  std::map<fs::path, int> first_mesh_of_;
};

}  // namespace

SceneDescription import_scene_node(const Node& scene, const fs::path& folder, Diagnostics& diagnostics) {
  return Builder(scene, folder, diagnostics).run();
}

SceneDescription import_scene_yaml(const fs::path& file, Diagnostics& diagnostics) {
  const Node root = config::parse_file(file);
  const Node* scene = root.find("scene");
  if (scene == nullptr) fail_usage("{}: has no 'scene' group; expected scene: {{place: …}}", file.string());
  SceneDescription result = import_scene_node(*scene, file.parent_path(), diagnostics);
  if (scene->find("name") == nullptr) result.name = file.stem().string();
  result.source = file;
  return result;
}

}  // namespace simulacra
