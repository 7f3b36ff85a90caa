// SPDX-License-Identifier: Apache-2.0
// Shapes, groups and instances.
//  - A mesh keeps its own frame under toWorld where that changes nothing. Mirroring transforms are applied
//    to the vertices, since Mitsuba takes the outer side of a mesh without normals from the moved corners.
//  - Smooth normals that a file lacks are computed after toWorld, as Mitsuba does.
#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "render/geometry/mesh.h"
#include "render/geometry/shapes.h"
#include "render/import/src/mitsuba.h"
#include "render/import/src/ply.h"

namespace simulacra::mitsuba {
namespace {

std::string stem(const std::string& file) {
  const std::string s = std::filesystem::path(file).stem().string();
  return s.empty() ? file : s;
}

std::string shape_name(const Element& shape) {
  if (!shape.id.empty()) return shape.id;
  const auto file = shape.properties.find("filename");
  if (file != shape.properties.end())
    if (const auto* name = std::get_if<std::string>(&file->second.value)) return stem(*name);
  return shape.type;
}

/// "shape/lamp/Mesh012": what label rules match holds the id and the file's stem.
std::string shape_path(const Element& shape) {
  std::string path = "shape";
  if (!shape.id.empty()) path += "/" + shape.id;
  const auto file = shape.properties.find("filename");
  if (file != shape.properties.end())
    if (const auto* name = std::get_if<std::string>(&file->second.value)) return path + "/" + stem(*name);
  return path + "/" + shape.type;
}

int add_mesh(Context& context, MeshDescription mesh, const std::string& name) {
  mesh.name = name;
  context.scene.meshes.push_back(std::move(mesh));
  return static_cast<int>(context.scene.meshes.size()) - 1;
}

void require_volume(const Element& shape, const Affine3d& to_world) {
  // Per column, so that the unit does not matter.
  const double size = length(to_world.linear.column(0)) * length(to_world.linear.column(1)) * length(to_world.linear.column(2));
  if (!(std::abs(determinant(to_world.linear)) > 1e-12 * size))
    fail_usage("{}: toWorld flattens the shape (its determinant is 0)", describe(shape));
}

/// A flat or smooth shape of known outer side.
void place(Context& context, ObjectDescription& object, MeshDescription mesh, const Affine3d& to_world) {
  if (determinant(to_world.linear) < 0) mesh = transformed(mesh, to_world);
  else object.world_from_object = to_world;
  object.mesh = add_mesh(context, std::move(mesh), object.name);
}

/// Rectangles and disks are often flattened along z by toWorld: only their two axes matter.
Affine3d flat_transform(const Element& shape, Affine3d m) {
  const Vec3d x = m.linear.column(0), y = m.linear.column(1), n = cross(x, y);
  const double l = length(n);
  if (!(l > 1e-12 * length(x) * length(y)))
    fail_usage("{}: toWorld flattens the shape (it has no area)", describe(shape));
  if (std::abs(determinant(m.linear)) > 1e-9 * l * length(m.linear.column(2))) return m;
  m.linear = Mat3d::from_columns(x, y, n / l);
  return m;
}

void sphere(Context& context, Element& shape, ObjectDescription& object) {
  const Affine3d to_world = transform(shape, "to_world");
  require_volume(shape, to_world);
  const Vec3d center = vector(shape, "center", {0, 0, 0});
  const double radius = number(shape, "radius", 1);
  if (!(radius > 0)) fail_usage("{}: radius = {:g}, expected more than 0", describe(shape), radius);
  const bool inside_out = object.flip_normals != (determinant(to_world.linear) < 0);
  object.flip_normals = false;
  if (is_similarity(to_world)) {
    object.world_from_object = to_world;
    object.sphere = SphereDescription{Vec3(center), static_cast<float>(radius), inside_out};
    return;
  }
  // Mitsuba turns a mirrored sphere inside out.
  object.flip_normals = inside_out;
  place(context, object, tessellate_sphere(), to_world * translation(center) * scaling({radius, radius, radius}));
}

void cylinder(Context& context, Element& shape, ObjectDescription& object) {
  const Affine3d to_world = transform(shape, "to_world");
  require_volume(shape, to_world);
  const Vec3d p0 = vector(shape, "p0", {0, 0, 0}), p1 = vector(shape, "p1", {0, 0, 1});
  const double radius = number(shape, "radius", 1);
  if (!(radius > 0) || !(length(p1 - p0) > 0))
    fail_usage("{}: radius {:g} and length {:g}, expected more than 0", describe(shape), radius, length(p1 - p0));
  place(context, object, tessellate_cylinder(), to_world * cylinder_transform(p0, p1, radius));
}

void rectangle(Context& context, Element& shape, ObjectDescription& object) {
  place(context, object, tessellate_rectangle(), flat_transform(shape, transform(shape, "to_world")));
}

void disk(Context& context, Element& shape, ObjectDescription& object) {
  place(context, object, tessellate_disk(), flat_transform(shape, transform(shape, "to_world")));
}

void cube(Context& context, Element& shape, ObjectDescription& object) {
  const Affine3d to_world = transform(shape, "to_world");
  require_volume(shape, to_world);
  place(context, object, tessellate_cube(), to_world);
}

MeshDescription load(Context& context, Element& shape, const std::filesystem::path& file) {
  if (shape.type == "obj") return read_obj(file, boolean(shape, "flip_tex_coords", true));
  MeshDescription mesh = read_ply(file, [&](const std::string& culprit, const std::string& what) {
    context.diagnostics.warn(file.string(), culprit, what);
  });
  if (boolean(shape, "flip_tex_coords", false))
    for (Vec2& uv : mesh.uv[0]) uv.y = 1 - uv.y;
  return mesh;
}

/// obj and ply.
void mesh_file(Context& context, Element& shape, ObjectDescription& object) {
  const std::string name = text(shape, "filename", "");
  if (name.empty()) fail_usage("{}: no filename", describe(shape));
  const std::filesystem::path file = find_file(context, shape, name);
  if (file.empty()) fail_usage("{}: mesh file '{}' not found", describe(shape), name);
  const Affine3d to_world = transform(shape, "to_world");
  require_volume(shape, to_world);
  const bool flat = boolean(shape, "face_normals", false);
  const bool keep_frame = is_similarity(to_world) && determinant(to_world.linear) > 0;
  if (has(shape, "max_smooth_angle") && number(shape, "max_smooth_angle", 0) >= 0)
    context.warn(shape, "maxSmoothAngle", "not supported; the file's normals as they are");
  ignore(shape, {"shape_index", "collapse"});

  const std::string key = fmt::format("{}|{}|{}", file.string(), flat, boolean(shape, "flip_tex_coords", shape.type == "obj"));
  if (const auto known = context.files.find(key); keep_frame && known != context.files.end()) {
    object.world_from_object = to_world;
    object.mesh = known->second;
    return;
  }
  MeshDescription mesh = load(context, shape, file);
  if (mesh.triangles.empty()) {
    context.warn(shape, name, "no triangles; the shape is left out");
    return;
  }
  if (flat) mesh.normals.clear();
  const bool has_normals = !mesh.normals.empty();
  if (keep_frame) object.world_from_object = to_world;
  else mesh = transformed(mesh, to_world, has_normals);
  const std::size_t replaced = check_mesh(mesh, file.string());
  if (replaced > 0) context.diagnostics.warn(file.string(), "normals", fmt::format("{} without length replaced", replaced));
  if (has_normals) wind_by_normals(mesh);
  else if (!flat) compute_vertex_normals(mesh);
  object.mesh = add_mesh(context, std::move(mesh), file.stem().string());
  if (keep_frame) context.files.emplace(key, object.mesh);
}

bool has_normal_map(const SceneDescription& scene, int material) {
  if (material < 0) return false;
  const MaterialDescription& m = scene.materials[static_cast<std::size_t>(material)];
  return m.normal_texture >= 0 || has_normal_map(scene, m.back_material) || has_normal_map(scene, m.blend_a) ||
         has_normal_map(scene, m.blend_b);
}

/// Normal maps turn with the uv: Mitsuba takes the tangent along u and the bitangent by the right hand.
void add_tangents(Context& context, ObjectDescription& object) {
  if (!has_normal_map(context.scene, object.material)) return;
  if (object.sphere) {
    const auto r = static_cast<double>(object.sphere->radius);
    object.world_from_object = object.world_from_object * translation(Vec3d(object.sphere->center)) * scaling({r, r, r});
    object.flip_normals = object.sphere->flip_normals;
    object.sphere.reset();
    MeshDescription mesh = tessellate_sphere();
    if (determinant(object.world_from_object.linear) < 0) {
      mesh = transformed(mesh, object.world_from_object);
      object.world_from_object = {};
    }
    object.mesh = add_mesh(context, std::move(mesh), object.name);
  }
  MeshDescription& mesh = context.scene.meshes[static_cast<std::size_t>(object.mesh)];
  if (mesh.normals.empty()) {  // flat: corners get the normal of their triangle
    MeshDescription apart;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const auto c = triangle_corners(mesh, t);
      Vec3 n = triangle_normal(c[0], c[1], c[2]);
      if (length_squared(n) == 0) n = {0, 0, 1};
      for (const std::uint32_t v : mesh.triangles[t]) {
        apart.positions.push_back(mesh.positions[v]);
        apart.normals.push_back(n);
        if (!mesh.uv[0].empty()) apart.uv[0].push_back(mesh.uv[0][v]);
        if (!mesh.colors.empty()) apart.colors.push_back(mesh.colors[v]);
      }
      const auto first = static_cast<std::uint32_t>(3 * t);
      apart.triangles.push_back({first, first + 1, first + 2});
    }
    apart.name = mesh.name;
    mesh = std::move(apart);
  }
  compute_u_tangents(mesh);
}

using Import = void (*)(Context&, Element&, ObjectDescription&);
const std::map<std::string_view, Import> kShapes = {{"sphere", sphere}, {"cylinder", cylinder}, {"rectangle", rectangle},
                                                    {"disk", disk},     {"cube", cube},         {"obj", mesh_file},
                                                    {"ply", mesh_file}};

/// Material of a shape: its bsdf or the default one, with its area emitter. One bsdf, one emitter.
int material_of(Context& context, Element& shape, const std::string& name) {
  const std::vector<Element*> bsdfs = children(shape, "bsdf"), emitters = children(shape, "emitter");
  if (bsdfs.size() > 1) context.warn(shape, "bsdf", "more than one bsdf; the first one counts");
  if (emitters.size() > 1) context.warn(shape, "emitter", "more than one emitter; the first one counts");
  const int material =
      bsdfs.empty() ? default_bsdf(context) : import_bsdf(context, *bsdfs[0], fmt::format("{} of {}", bsdfs[0]->type, name));
  if (emitters.empty()) return material;
  if (emitters[0]->type != "area") {
    context.warn(*emitters[0], emitters[0]->type, "only area emitters can belong to a shape; left out");
    emitters[0]->visited = false;
    return material;
  }
  const int emitting = emitter_material(context, material, *emitters[0], name);
  // A lamp that names no bsdf reflects nothing.
  if (bsdfs.empty()) context.scene.materials[static_cast<std::size_t>(emitting)].base_color.factor = Rgb{0.0f};
  return emitting;
}

/// A shape that is geometry itself; nothing when there is none to show.
std::optional<ObjectDescription> single_shape(Context& context, Element& shape) {
  const auto import = kShapes.find(shape.type);
  if (import == kShapes.end()) {
    context.warn(shape, shape.type, "shape not supported; left out");
    shape.visited = false;
    return std::nullopt;
  }
  ObjectDescription object;
  object.name = shape_name(shape);
  object.path = shape_path(shape);
  object.source = context.scene.name;
  object.flip_normals = boolean(shape, "flip_normals", false);
  import->second(context, shape, object);
  ignore(shape, {"silhouette_sampling_weight"});
  if (object.mesh < 0 && !object.sphere) return std::nullopt;
  object.material = material_of(context, shape, object.name);
  add_tangents(context, object);
  return object;
}

const std::vector<ShapeTemplate>& group(Context& context, Element& shape);

/// The mesh seen in a mirror, made once.
int mirrored_mesh(Context& context, int mesh) {
  const auto [found, added] = context.mirrored_meshes.try_emplace(mesh, -1);
  if (!added) return found->second;
  const MeshDescription& original = context.scene.meshes[static_cast<std::size_t>(mesh)];
  return found->second = add_mesh(context, transformed(original, scaling({-1, 1, 1})), original.name + " mirrored");
}

/// `object` moved by an instance's transform; meshes stay shared.
ObjectDescription instance_of(Context& context, const ObjectDescription& object, const Affine3d& to_world) {
  ObjectDescription moved = object;
  moved.world_from_object = to_world * object.world_from_object;
  if (moved.sphere && !is_similarity(moved.world_from_object)) {
    const SphereDescription s = *moved.sphere;
    const auto r = static_cast<double>(s.radius);
    moved.world_from_object = moved.world_from_object * translation(Vec3d(s.center)) * scaling({r, r, r});
    moved.mesh = add_mesh(context, tessellate_sphere(), object.name);
    moved.sphere.reset();
    moved.flip_normals = s.flip_normals;
  }
  if (moved.mesh >= 0 && determinant(moved.world_from_object.linear) < 0) {
    moved.mesh = mirrored_mesh(context, moved.mesh);
    moved.world_from_object = moved.world_from_object * scaling({-1, 1, 1});
  }
  return moved;
}

constexpr std::size_t kMaxObjects = 500'000;  // nested groups multiply; ids are 16 bit anyway

std::vector<ShapeTemplate> instance(Context& context, Element& shape) {
  const Affine3d to_world = transform(shape, "to_world");
  require_volume(shape, to_world);
  Element* shapegroup = child(shape, "shape");
  if (shapegroup == nullptr || shapegroup->type != "shapegroup")
    fail_usage("{}: expected a reference to a shapegroup", describe(shape));
  std::vector<ShapeTemplate> placed;
  const std::string name = shape.id.empty() ? shape_name(*shapegroup) : shape.id;
  for (const ShapeTemplate& part : group(context, *shapegroup)) {
    ObjectDescription object = instance_of(context, part.object, to_world);
    object.name = name + "/" + part.object.name;
    object.path = shape_path(shape) + "/" + (shapegroup->id.empty() ? "" : shapegroup->id + "/") + part.object.path;
    placed.push_back({std::move(object)});
  }
  return placed;
}

std::vector<ShapeTemplate> parts_of(Context& context, Element& shape) {
  shape.visited = true;
  if (shape.type == "instance") return instance(context, shape);
  if (shape.type == "merge") {
    std::vector<ShapeTemplate> parts;
    for (Element* nested : children(shape, "shape"))
      for (ShapeTemplate& part : parts_of(context, *nested)) parts.push_back(std::move(part));
    return parts;
  }
  if (auto object = single_shape(context, shape)) return {{*std::move(object)}};
  return {};
}

const std::vector<ShapeTemplate>& group(Context& context, Element& shape) {
  shape.visited = true;
  if (const auto known = context.groups.find(&shape); known != context.groups.end()) return known->second;
  const OpenElement open(context, shape);
  std::vector<ShapeTemplate> parts;
  for (Element* nested : children(shape, "shape")) {
    for (ShapeTemplate& part : parts_of(context, *nested)) parts.push_back(std::move(part));
    if (parts.size() > kMaxObjects) fail_usage("{}: more than {} shapes", describe(shape), kMaxObjects);
  }
  return context.groups.emplace(&shape, std::move(parts)).first->second;
}

}  // namespace

void import_shape(Context& context, Element& shape) {
  shape.visited = true;
  if (shape.type == "shapegroup") {
    shape.visited = false;  // seen through its instances
    return;
  }
  const std::size_t instances_before = context.scene.objects.size();
  std::vector<ShapeTemplate> parts = parts_of(context, shape);
  if (instances_before + parts.size() > kMaxObjects)
    fail_usage("{}: more than {} shapes in the scene", describe(shape), kMaxObjects);
  // The parts of an instance are one piece of furniture.
  const std::string key = shape.type == "instance" && parts.size() > 1
                              ? fmt::format("{}/{}#{}", context.scene.name, shape_name(shape), instances_before)
                              : std::string{};
  for (ShapeTemplate& part : parts) {
    part.object.instance_key = key;
    context.scene.objects.push_back(std::move(part.object));
  }
}

}  // namespace simulacra::mitsuba
