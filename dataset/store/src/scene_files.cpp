// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/scene_files.h"

#include <algorithm>
#include <limits>

#include "dataset/annotate/nyu40.h"
#include "dataset/schema/csv.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"
#include "dataset/store/boxes.h"
#include "dataset/store/colors.h"
#include "dataset/store/geometry.h"
#include "dataset/store/src/array_file.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

constexpr int kMaxId = 32767;  // ids are stored as int16

using Files = std::vector<OutputFile>;

std::string material_name(const SceneDescription& scene, int material) {
  return material < 0 ? std::string("default") : scene.materials[static_cast<std::size_t>(material)].name;
}

CsvTable nodes_table(const SceneDescription& scene) {
  CsvTable table{metadata_nodes_columns(), {}};
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const std::string& name = scene.objects[i].name;
    table.rows.push_back({std::to_string(i + 1), name, std::to_string(i), name});
  }
  return table;
}

/// Every name that leads to an object: what free-text labels can be made of.
CsvTable node_strings_table(const SceneDescription& scene) {
  CsvTable table{metadata_node_strings_columns(), {}};
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const ObjectDescription& object = scene.objects[i];
    const auto add = [&](const std::string& path, const std::string& text) {
      if (!text.empty()) table.rows.push_back({std::to_string(i + 1), "<root>" + path, text});
    };
    add("", object.name);
    add(".path", object.path);
    add(".source", object.source);
    add(".instance", object.instance_key);
    if (object.mesh >= 0) add(".mesh", scene.meshes[static_cast<std::size_t>(object.mesh)].name);
    if (object.material < 0) continue;
    const MaterialDescription& material = scene.materials[static_cast<std::size_t>(object.material)];
    add(".material", material.name);
    const auto add_texture = [&](const char* parameter, int texture) {
      if (texture >= 0)
        add(fmt::format(".material.{}", parameter), scene.textures[static_cast<std::size_t>(texture)].name);
    };
    add_texture("base_color", material.base_color.texture);
    add_texture("bump", material.bump_texture);
    add_texture("emission", material.emission.texture);
    add_texture("metallic", material.metallic.texture);
    add_texture("normal", material.normal_texture);
    add_texture("opacity", material.opacity.texture);
    add_texture("roughness", material.roughness.texture);
  }
  return table;
}

void add_annotation(const SceneDescription& scene, std::size_t num_instances, const std::string& folder,
                    Files& files) {
  std::vector<std::int64_t> si, sii, class_colors{-1, -1, -1}, instance_colors{-1, -1, -1};
  CsvTable objects{metadata_objects_columns(), {}}, materials{metadata_materials_columns(), {}};
  for (const ObjectDescription& object : scene.objects) {
    si.push_back(object.semantic);
    sii.push_back(object.instance);
    objects.rows.push_back({object.name});
  }
  for (std::size_t i = 0; i < scene.materials.size(); ++i)
    materials.rows.push_back({material_name(scene, static_cast<int>(i))});
  for (const SemanticClass& row : kNyu40) class_colors.insert(class_colors.end(), row.color.begin(), row.color.end());
  for (std::size_t i = 1; i <= num_instances; ++i) {
    const Color8 c = instance_color(static_cast<int>(i));
    instance_colors.insert(instance_colors.end(), c.begin(), c.end());
  }
  const std::size_t n = si.size();
  files.push_back(array_file(folder + "/mesh_objects_si.hdf5", {n, 1}, si));
  files.push_back(array_file(folder + "/mesh_objects_sii.hdf5", {n, 1}, sii));
  files.push_back(array_file(folder + "/metadata_semantic_colors.hdf5", {kNyu40.size() + 1, 3}, class_colors));
  files.push_back(
      array_file(folder + "/metadata_semantic_instance_colors.hdf5", {num_instances + 1, 3}, instance_colors));
  files.push_back(text_file(folder + "/metadata_objects.csv", csv_text(objects)));
  files.push_back(text_file(folder + "/metadata_materials.csv", csv_text(materials)));
}

/// Rows of the three box files; row 0 belongs to no instance.
struct BoxArrays {
  std::vector<double> positions, orientations, extents;
  void add(const OrientedBox* box) {
    constexpr double none = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 3; ++i) positions.push_back(box ? box->center[i] : none);
    for (std::size_t i = 0; i < 3; ++i) extents.push_back(box ? box->extents[i] : none);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) orientations.push_back(box ? box->world_from_box(i, j) : none);
  }
  void write(const std::string& scene_name, BoxType type, Files& files) const {
    const std::size_t n = positions.size() / 3;
    files.push_back(array_file(box_path(scene_name, type, "positions"), {n, 3}, positions));
    files.push_back(array_file(box_path(scene_name, type, "orientations"), {n, 3, 3}, orientations));
    files.push_back(array_file(box_path(scene_name, type, "extents"), {n, 3}, extents));
  }
};

std::vector<std::string> instance_row(int id, const InstanceGeometry& instance, const OrientedBox* box, double scale) {
  std::vector<std::string> row = {std::to_string(id), std::to_string(instance.semantic),
                                  std::string(semantic_name(instance.semantic)), instance.name,
                                  std::to_string(instance.num_objects), csv_bool(box != nullptr)};
  for (std::size_t k = 0; k < 3; ++k) row.push_back(box ? csv_number(box->center[k]) : "");
  for (std::size_t k = 0; k < 3; ++k) row.push_back(box ? csv_number(box->extents[k]) : "");
  const Vec3d x = box ? box->world_from_box.column(0) : Vec3d{};
  row.push_back(box ? csv_number(std::atan2(x.y, x.x) * 180 / kPiD) : "");
  row.push_back(csv_number(instance.surface_area * scale * scale));
  return row;
}

void add_boxes(const std::vector<InstanceGeometry>& instances, const std::string& scene_name, double scale,
               Files& files) {
  BoxArrays aligned_2d, axis_aligned;
  aligned_2d.add(nullptr);
  axis_aligned.add(nullptr);
  CsvTable table{metadata_instances_columns(), {}};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const InstanceGeometry& instance = instances[i];
    const int id = static_cast<int>(i) + 1;
    if (instance.points.empty()) {
      aligned_2d.add(nullptr);
      axis_aligned.add(nullptr);
      table.rows.push_back(instance_row(id, instance, nullptr, scale));
      continue;
    }
    const OrientedBox box = object_aligned_box(instance.points, instance.centroid);
    const OrientedBox aabb = axis_aligned_box(instance.points);
    aligned_2d.add(&box);
    axis_aligned.add(&aabb);
    table.rows.push_back(instance_row(id, instance, &box, scale));
  }
  aligned_2d.write(scene_name, BoxType::object_aligned_2d, files);
  axis_aligned.write(scene_name, BoxType::axis_aligned, files);
  files.push_back(text_file(mesh_folder(scene_name) + "/metadata_instances.csv", csv_text(table)));
}

void add_mesh(const SceneDescription& scene, const std::string& folder, Files& files) {
  std::vector<double> vertices;
  std::vector<std::int64_t> faces, owners;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const ObjectGeometry g = object_geometry(scene, i);
    const std::int64_t first = static_cast<std::int64_t>(vertices.size() / 3);
    for (const Vec3d& p : g.vertices) vertices.insert(vertices.end(), {p.x, p.y, p.z});
    for (const Triangle& t : g.triangles) faces.insert(faces.end(), {first + t[0], first + t[1], first + t[2]});
    owners.insert(owners.end(), g.triangles.size(), static_cast<std::int64_t>(i));
  }
  files.push_back(array_file(folder + "/mesh_vertices.hdf5", {vertices.size() / 3, 3}, vertices));
  files.push_back(array_file(folder + "/mesh_faces_vi.hdf5", {owners.size(), 3}, faces));
  files.push_back(array_file(folder + "/mesh_faces_oi.hdf5", {owners.size()}, owners));
}

}  // namespace

Files scene_files(const SceneDescription& scene, const std::string& scene_name, std::span<const std::string> cameras,
                  const SceneFilesOptions& options) {
  if (scene.objects.size() > kMaxId)
    fail("{}: {} objects, the format's 16-bit ids take at most {}", scene.name, scene.objects.size(), kMaxId);
  const std::vector<InstanceGeometry> instances = instance_geometry(scene);
  if (instances.size() > kMaxId)
    fail("{}: {} instances, the format's 16-bit ids take at most {}", scene.name, instances.size(), kMaxId);

  const std::string detail = detail_folder(scene_name);
  CsvTable camera_table{metadata_cameras_columns(), {}};
  for (const std::string& camera : cameras) camera_table.rows.push_back({camera});
  const CsvTable scale{metadata_scene_columns(), {{"meters_per_asset_unit", csv_number(options.meters_per_asset_unit)}}};

  Files files;
  files.push_back(text_file(detail + "/metadata_scene.csv", csv_text(scale)));
  files.push_back(text_file(detail + "/metadata_cameras.csv", csv_text(camera_table)));
  files.push_back(text_file(detail + "/metadata_nodes.csv", csv_text(nodes_table(scene))));
  files.push_back(text_file(detail + "/metadata_node_strings.csv", csv_text(node_strings_table(scene))));
  add_annotation(scene, instances.size(), mesh_folder(scene_name), files);
  add_boxes(instances, scene_name, options.meters_per_asset_unit, files);
  if (num_world_triangles(scene) <= options.max_mesh_triangles) add_mesh(scene, mesh_folder(scene_name), files);
  return files;
}

}  // namespace simulacra
