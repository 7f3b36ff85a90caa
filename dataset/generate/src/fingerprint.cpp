// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/src/fingerprint.h"

#include <array>
#include <system_error>

#include "dataset/schema/checksum.h"

namespace simulacra {
namespace {

/// Feeds values one by one; every list is preceded by its length, every text by its size.
class Digest {
 public:
  void text(std::string_view s) {
    number(s.size());
    sum_.add(s);
  }
  void number(std::uint64_t n) {
    std::array<std::uint8_t, 8> bytes;
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(n >> (8 * i));
    sum_.add(bytes);
  }
  void integer(int n) { number(static_cast<std::uint64_t>(static_cast<std::int64_t>(n))); }
  /// Types without padding.
  template <typename T>
  void plain(const T& value) {
    sum_.add_values(std::span<const T>(&value, 1));
  }
  template <typename T>
  void list(const std::vector<T>& values) {
    number(values.size());
    sum_.add_values(std::span<const T>(values));
  }
  std::string hex() { return sum_.hex(); }

 private:
  Sha256 sum_;
};

void add(Digest& d, const TextureDescription& t) {
  d.text(t.name);
  d.integer(static_cast<int>(t.kind));
  d.integer(static_cast<int>(t.color_space));
  d.integer(static_cast<int>(t.wrap_u));
  d.integer(static_cast<int>(t.wrap_v));
  d.integer(static_cast<int>(t.filter));
  d.plain(t.color0);
  d.plain(t.color1);
  d.plain(t.uv_linear);
  d.plain(t.uv_offset);
  d.integer(t.uv_set);
  d.integer(t.missing);
  if (t.encoded) d.list(*t.encoded);
  std::error_code ignored;  // a missing file has size -1: that, too, is a fact of the scene
  if (!t.file.empty()) d.number(std::filesystem::file_size(t.file, ignored));
}

void add(Digest& d, const MaterialDescription& m) {
  d.text(m.name);
  for (const int n : {static_cast<int>(m.kind), static_cast<int>(m.microfacet), static_cast<int>(m.two_sided), m.back_material,
                      static_cast<int>(m.emission_two_sided), m.normal_texture, m.bump_texture,
                      static_cast<int>(m.use_vertex_color), static_cast<int>(m.unlit), static_cast<int>(m.thin_walled),
                      static_cast<int>(m.nonlinear), static_cast<int>(m.sample_visible), m.blend_a, m.blend_b})
    d.integer(n);
  for (const float x : {m.alpha_cutoff.value_or(-1), m.normal_scale, m.bump_scale, m.ior, m.int_ior, m.ext_ior}) d.plain(x);
  for (const Rgb& c : {m.eta, m.k}) d.plain(c);
  for (const RgbInput& c : {m.emission, m.base_color, m.specular_color, m.transmission_color, m.sheen_color,
                            m.specular_reflectance, m.specular_transmittance})
    d.plain(c);
  for (const FloatInput& x : {m.opacity, m.metallic, m.roughness, m.specular, m.transmission, m.coat, m.coat_roughness,
                              m.sheen_roughness, m.alpha_u, m.alpha_v, m.blend_weight})
    d.plain(x);
}

void add(Digest& d, const MeshDescription& m) {
  d.text(m.name);
  d.list(m.positions);
  d.list(m.normals);
  for (const std::vector<Vec2>& uv : m.uv) d.list(uv);
  d.list(m.tangents);
  d.list(m.colors);
  d.list(m.triangles);
}

void add(Digest& d, const ObjectDescription& o) {
  for (const std::string& s : {o.name, o.path, o.source, o.instance_key, o.class_hint}) d.text(s);
  for (const int n : {o.mesh, o.material, static_cast<int>(o.flip_normals), o.semantic, o.instance, o.sphere ? 1 : 0})
    d.integer(n);
  if (o.sphere) {
    d.plain(o.sphere->center);
    d.plain(o.sphere->radius);
    d.integer(o.sphere->flip_normals);
  }
  d.plain(o.world_from_object);
}

void add_lights(Digest& d, const SceneDescription& scene) {
  for (const PointLightDescription& l : scene.point_lights) {
    d.plain(l.position);
    d.plain(l.intensity);
  }
  for (const SpotLightDescription& l : scene.spot_lights) {
    d.plain(l.position);
    d.plain(l.direction);
    d.plain(l.intensity);
    d.plain(l.cutoff_rad);
    d.plain(l.beam_rad);
    d.integer(static_cast<int>(l.falloff));
  }
  for (const DirectionalLightDescription& l : scene.directional_lights) {
    d.plain(l.direction);
    d.plain(l.irradiance);
  }
  if (!scene.environment) return;
  d.plain(scene.environment->radiance);
  d.integer(scene.environment->texture);
  d.plain(scene.environment->world_from_environment);
}

}  // namespace

std::string fingerprint(const SceneDescription& scene) {
  Digest d;
  d.number(scene.textures.size());
  for (const TextureDescription& t : scene.textures) add(d, t);
  d.number(scene.materials.size());
  for (const MaterialDescription& m : scene.materials) add(d, m);
  d.number(scene.meshes.size());
  for (const MeshDescription& m : scene.meshes) add(d, m);
  d.number(scene.objects.size());
  for (const ObjectDescription& o : scene.objects) add(d, o);
  d.number(scene.point_lights.size());
  d.number(scene.spot_lights.size());
  d.number(scene.directional_lights.size());
  add_lights(d, scene);
  d.number(scene.cameras.size());
  for (const CameraDescription& c : scene.cameras) d.plain(c.world_from_cam);
  d.integer(scene.max_depth);
  return d.hex();
}

}  // namespace simulacra
