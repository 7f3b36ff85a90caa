// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "render/description/description.h"
#include "render/description/src/moved.h"

namespace simulacra {
namespace {

/// Where the part's textures, materials and meshes begin in the whole.
struct Offsets {
  int texture, material, mesh;
};

void shift(int& index, int offset) {
  if (index >= 0) index += offset;
}

void renumber(MaterialDescription& m, const Offsets& offsets) {
  const std::array rgb_inputs = {&m.emission, &m.base_color, &m.specular_color, &m.transmission_color,
                                 &m.sheen_color, &m.specular_reflectance, &m.specular_transmittance};
  for (RgbInput* input : rgb_inputs) shift(input->texture, offsets.texture);
  const std::array float_inputs = {&m.opacity, &m.metallic, &m.roughness, &m.specular,
                                   &m.transmission, &m.coat, &m.coat_roughness, &m.sheen_roughness,
                                   &m.alpha_u, &m.alpha_v, &m.blend_weight};
  for (FloatInput* input : float_inputs) shift(input->texture, offsets.texture);
  shift(m.normal_texture, offsets.texture);
  shift(m.bump_texture, offsets.texture);
  shift(m.back_material, offsets.material);
  shift(m.blend_a, offsets.material);
  shift(m.blend_b, offsets.material);
}

template <typename T>
void append(std::vector<T>& to, std::vector<T>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

template <typename T>
void prefix_names(std::vector<T>& named, const std::string& prefix) {
  for (T& item : named) item.name = prefix + "/" + item.name;
}

void prefix_all(SceneDescription& part, const std::string& prefix) {
  prefix_names(part.objects, prefix);
  prefix_names(part.point_lights, prefix);
  prefix_names(part.spot_lights, prefix);
  prefix_names(part.directional_lights, prefix);
  prefix_names(part.cameras, prefix);
  for (ObjectDescription& object : part.objects) {
    object.path = prefix + "/" + object.path;
    if (!object.instance_key.empty()) object.instance_key = prefix + "/" + object.instance_key;
  }
}

}  // namespace

void append_scene(SceneDescription& scene, const SceneDescription& part, const Affine3d& world_from_part,
                  const std::string& prefix) {
  SceneDescription moved = part;
  move_scene(moved, world_from_part);
  if (!prefix.empty()) prefix_all(moved, prefix);

  const Offsets offsets{static_cast<int>(scene.textures.size()), static_cast<int>(scene.materials.size()),
                        static_cast<int>(scene.meshes.size())};
  for (MaterialDescription& material : moved.materials) renumber(material, offsets);
  for (ObjectDescription& object : moved.objects) {
    shift(object.mesh, offsets.mesh);
    shift(object.material, offsets.material);
  }
  if (moved.environment) shift(moved.environment->texture, offsets.texture);

  append(scene.textures, moved.textures);
  append(scene.materials, moved.materials);
  append(scene.meshes, moved.meshes);
  append(scene.objects, moved.objects);
  append(scene.point_lights, moved.point_lights);
  append(scene.spot_lights, moved.spot_lights);
  append(scene.directional_lights, moved.directional_lights);
  append(scene.cameras, moved.cameras);
  if (!scene.environment) scene.environment = moved.environment;
  make_names_unique(scene);
}

}  // namespace simulacra
