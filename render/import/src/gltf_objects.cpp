// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_objects.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

enum class Rank : std::uint8_t { full, flat, nothing };

// Whether a transform keeps volume, squeezes it into a plane or line, or into a point.
Rank rank(const Affine3d& transform) {
  const Mat3d& m = transform.linear;
  const double x = length(m.column(0)), y = length(m.column(1)), z = length(m.column(2));
  if (std::max({x, y, z}) < 1e-12) return Rank::nothing;
  const double volume = std::abs(determinant(m));
  return volume > 1e-12 * x * y * z && volume > 0 ? Rank::full : Rank::flat;
}

std::vector<double> morph_weights(const JsonRef& node, const JsonRef& mesh) {
  auto given = node.find("weights");
  if (!given) given = mesh.find("weights");
  std::vector<double> weights(given ? given->size() : 0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (*given)[i].number();
  return weights;
}

// One attribute of EXT_mesh_gpu_instancing; empty when absent.
std::vector<float> instance_numbers(Document& document, const JsonRef& attributes, std::string_view name,
                                    std::size_t width, std::optional<std::uint64_t>& count) {
  const auto reference = attributes.find(name);
  if (!reference) return {};
  const Accessor accessor = accessor_of(document, *reference);
  if (accessor.num_components != width || accessor.is_matrix)
    reference->refuse_because(fmt::format("accessor {} has {} components, expected {}", accessor.index,
                                          accessor.num_components, width));
  if (count && *count != accessor.count)
    reference->refuse_because(fmt::format("accessor {} has {} instances, another attribute has {}", accessor.index,
                                          accessor.count, *count));
  if (accessor.count > kMaxObjects)
    reference->refuse_because(fmt::format("{} instances, at most {} are read", accessor.count, kMaxObjects));
  count = accessor.count;
  return read_floats(document, accessor, name == "ROTATION");
}

Vec3d vector_at(const std::vector<float>& numbers, std::size_t i, Vec3d otherwise) {
  if (numbers.empty()) return otherwise;
  return Vec3d(Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]));
}

}  // namespace

std::vector<ObjectPlacer::Placement> ObjectPlacer::placements(std::size_t node) {
  const Affine3d world_from_node = nodes_->world_from_node(node);
  const JsonRef entry = document_->item("nodes", node);
  const auto instancing = entry.extension("EXT_mesh_gpu_instancing");
  const std::string name = nodes_->name(node), path = nodes_->path(node);
  if (!instancing) return {{name, path, world_from_node}};
  const JsonRef attributes = instancing->require("attributes");
  std::optional<std::uint64_t> count;
  const auto translations = instance_numbers(*document_, attributes, "TRANSLATION", 3, count);
  const auto rotations = instance_numbers(*document_, attributes, "ROTATION", 4, count);
  const auto scales = instance_numbers(*document_, attributes, "SCALE", 3, count);
  if (!count) attributes.refuse_because("has none of TRANSLATION, ROTATION and SCALE");
  std::vector<Placement> result;
  for (std::size_t i = 0; i < *count; ++i) {
    std::array<double, 4> rotation{0, 0, 0, 1};
    if (!rotations.empty())
      for (std::size_t c = 0; c < 4; ++c) rotation[c] = static_cast<double>(rotations[4 * i + c]);
    const Affine3d node_from_instance =
        affine_from_trs(vector_at(translations, i, {0, 0, 0}), rotation, vector_at(scales, i, {1, 1, 1}));
    const Affine3d world_from_instance = world_from_node * node_from_instance;
    if (!is_finite(world_from_instance)) attributes.refuse_because(fmt::format("the transform of instance {} is not finite", i));
    result.push_back({fmt::format("{} instance {}", name, i), fmt::format("{} instance {}", path, i), world_from_instance});
  }
  return result;
}

std::optional<Skin> ObjectPlacer::skin_of(const JsonRef& node) {
  const auto reference = node.find("skin");
  if (!reference) return std::nullopt;
  Skin skin;
  skin.index = document_->index(*reference, "skins");
  const JsonRef entry = document_->item("skins", skin.index);
  const JsonRef joints = entry.require("joints");
  if (joints.size() == 0 || joints.size() >= 65535) joints.refuse("1 to 65534 joints");
  std::vector<float> matrices;
  if (const auto inverse_bind = entry.find("inverseBindMatrices")) {
    const Accessor accessor = accessor_of(*document_, *inverse_bind);
    if (accessor.num_components != 16 || accessor.component != ComponentType::f32)
      inverse_bind->refuse_because(fmt::format("accessor {} holds no MAT4 of floats", accessor.index));
    if (accessor.count < joints.size())
      inverse_bind->refuse_because(fmt::format("accessor {} has {} matrices for {} joints", accessor.index,
                                               accessor.count, joints.size()));
    matrices = read_floats(*document_, accessor);
  }
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Affine3d world_from_joint = nodes_->world_from_node(document_->index(joints[j], "nodes"));
    Affine3d joint_from_mesh;
    if (!matrices.empty()) {
      const auto column = [&](std::size_t c) {
        const float* m = matrices.data() + 16 * j + 4 * c;
        return Vec3d(Vec3(m[0], m[1], m[2]));
      };
      joint_from_mesh = {Mat3d::from_columns(column(0), column(1), column(2)), column(3)};
    }
    skin.joints.push_back(world_from_joint * joint_from_mesh);
    if (!is_finite(skin.joints.back())) joints[j].refuse_because("its transform is not finite");
  }
  return skin;
}

void ObjectPlacer::warn_of_missing_uv(const JsonRef& primitive, int material, const PrimitiveMesh& read) {
  const auto used = materials_->uv_sets(material);
  for (std::size_t set = 0; set < used.size(); ++set)
    if (used[set] && !read.has_uv[set])
      document_->warn(primitive.pointer(),
                      fmt::format("has no TEXCOORD_{}, which a texture of material '{}' uses", set,
                                  printable(scene_->materials[static_cast<std::size_t>(material)].name)));
}

void ObjectPlacer::place_primitive(const JsonRef& mesh, std::size_t index, const PrimitiveUse& use,
                                   const std::vector<Placement>& placements) {
  const JsonRef all = mesh.require("primitives"), primitive = all[index];
  const int material = materials_->material_of(primitive);
  PrimitiveUse own = use;
  own.keep_alpha = !materials_->is_opaque(material);
  const auto read = meshes_.read(mesh, index, own);
  if (!read) return;
  warn_of_missing_uv(primitive, material, *read);
  if (read->has_colors) scene_->materials[static_cast<std::size_t>(material)].use_vertex_color = true;

  const bool several = all.size() > 1;
  for (const Placement& placement : placements) {
    if (scene_->objects.size() >= kMaxObjects)
      fail_usage("{}: more than {} objects", document_->file_name(), kMaxObjects);
    ObjectDescription object;
    object.name = placement.name;
    object.path = placement.path;
    if (!mesh.name().empty()) object.path += fmt::format("/{}", mesh.name());
    if (several) {
      object.name += fmt::format(" primitive {}", index);
      object.path += fmt::format("/primitive {}", index);
    }
    object.source = scene_->name;
    object.mesh = read->mesh;
    object.material = material;
    object.world_from_object = read->skinned ? Affine3d{} : placement.world_from_object;
    switch (rank(object.world_from_object)) {
      case Rank::nothing: continue;  // scaled to a point, which is how files hide things
      case Rank::flat:
        object.mesh = meshes_.flattened(read->mesh, object.world_from_object);
        object.world_from_object = Affine3d{};
        break;
      case Rank::full: break;
    }
    scene_->objects.push_back(std::move(object));
  }
}

void ObjectPlacer::place(std::size_t node) {
  const JsonRef entry = document_->item("nodes", node);
  const auto reference = entry.find("mesh");
  if (!reference) return;
  const JsonRef mesh = document_->item("meshes", document_->index(*reference, "meshes"));
  const std::vector<double> weights = morph_weights(entry, mesh);
  const std::optional<Skin> skin = skin_of(entry);
  const std::vector<Placement> where = placements(node);
  PrimitiveUse use;
  use.morph_weights = weights;
  use.skin = skin ? &*skin : nullptr;
  const JsonRef primitives = mesh.require("primitives");
  for (std::size_t i = 0; i < primitives.size(); ++i) place_primitive(mesh, i, use, where);
}

void ObjectPlacer::place_alone(std::size_t index) {
  const JsonRef mesh = document_->item("meshes", index);
  const std::vector<double> weights = morph_weights(mesh, mesh);
  PrimitiveUse use;
  use.morph_weights = weights;
  const std::string name = mesh.name().empty() ? fmt::format("mesh {}", index) : mesh.name();
  const JsonRef primitives = mesh.require("primitives");
  for (std::size_t i = 0; i < primitives.size(); ++i) place_primitive(mesh, i, use, {{name, name, Affine3d{}}});
}

}  // namespace simulacra::gltf
