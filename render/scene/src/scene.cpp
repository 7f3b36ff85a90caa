// SPDX-License-Identifier: Apache-2.0
#include "render/scene/scene.h"

#include <algorithm>

#include "render/base/error.h"
#include "render/scene/interaction.h"

namespace simulacra {
namespace {

/// Meshes that a single object uses are moved into the world frame: one level less for rays to descend.
void bake_single_meshes(SceneDescription& scene) {
  std::vector<int> users(scene.meshes.size(), 0);
  for (const ObjectDescription& o : scene.objects)
    if (o.mesh >= 0) ++users[static_cast<std::size_t>(o.mesh)];
  for (ObjectDescription& o : scene.objects) {
    if (o.mesh < 0 || users[static_cast<std::size_t>(o.mesh)] != 1 || o.world_from_object == Affine3d{}) continue;
    MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(o.mesh)];
    const Affine3d& m = o.world_from_object;
    const double det = determinant(m.linear);
    if (!(std::abs(det) > 0) || !std::isfinite(det)) continue;  // flat or broken: stays an instance
    const Mat3d normal_matrix = transpose(inverse(m.linear));
    for (Vec3& p : mesh.positions) p = Vec3(m.point(Vec3d(p)));
    for (Vec3& n : mesh.normals) n = Vec3(normalize(normal_matrix * Vec3d(n)));
    for (Vec4& t : mesh.tangents) {
      const Vec3d v = m.vector({static_cast<double>(t.x), static_cast<double>(t.y), static_cast<double>(t.z)});
      const Vec3 u = length_squared(v) > 0 ? Vec3(normalize(v)) : Vec3{1, 0, 0};
      t = {u.x, u.y, u.z, det < 0 ? -t.w : t.w};
    }
    // A mirroring transform turns the winding over; the outer side stays outside.
    if (det < 0)
      for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    o.world_from_object = {};
  }
}

void check_world(const SceneDescription& scene) {
  if (scene.objects.empty()) fail_usage("scene '{}': nothing to render: no object has geometry", scene.name);
  for (const ObjectDescription& o : scene.objects) {
    if (o.material < 0 || o.material >= static_cast<int>(scene.materials.size()))
      fail("scene '{}': object '{}' has material {}, there are {}", scene.name, o.name, o.material, scene.materials.size());
    if (!o.sphere && (o.mesh < 0 || o.mesh >= static_cast<int>(scene.meshes.size())))
      fail("scene '{}': object '{}' has mesh {}, there are {}", scene.name, o.name, o.mesh, scene.meshes.size());
  }
}

std::vector<MaterialDescription> with_white(std::vector<MaterialDescription> materials) {
  MaterialDescription white;
  white.name = "white";
  white.kind = MaterialKind::diffuse;
  white.base_color = {Rgb{1.0f}, -1};
  materials.push_back(white);
  return materials;
}

SceneDescription prepared(SceneDescription scene) {
  check_world(scene);
  bake_single_meshes(scene);
  return scene;
}

std::vector<std::uint8_t> passable_objects(const SceneDescription& scene, const MaterialSet& materials) {
  std::vector<std::uint8_t> result;
  for (const ObjectDescription& o : scene.objects) result.push_back(materials.may_pass_straight(o.material) ? 1 : 0);
  return result;
}

}  // namespace

Scene::State::State(SceneDescription scene_description, const SceneOptions& options, Diagnostics& diagnostics)
    : description(prepared(std::move(scene_description))),
      textures(description.textures, options.texture_cache_bytes, diagnostics),
      white_material(static_cast<int>(description.materials.size())),
      materials(with_white(description.materials), textures),
      passable(passable_objects(description, materials)),
      accel(description, passable, this),
      lights(description, materials, textures, *this) {
  geometry_.reserve(description.objects.size());
  for (const ObjectDescription& o : description.objects) {
    ObjectGeometry g;
    g.identity = o.world_from_object == Affine3d{};
    const Affine3d& m = o.world_from_object;
    const Mat3d normal_matrix = transpose(inverse(m.linear));
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) {
        g.linear(r, c) = static_cast<float>(m.linear(r, c));
        g.normal_matrix(r, c) = static_cast<float>(normal_matrix(r, c));
      }
    g.translation = Vec3(m.translation);
    g.scale = static_cast<float>(std::cbrt(std::abs(determinant(m.linear))));
    const auto grow = [&](Vec3 p) { g.largest = std::max({g.largest, std::abs(p.x), std::abs(p.y), std::abs(p.z)}); };
    if (o.sphere) {
      const Vec3 c = to_world(g, o.sphere->center);
      const float r = g.scale * o.sphere->radius;
      grow(c + Vec3{r, r, r});
      grow(c - Vec3{r, r, r});
    } else {
      for (const Vec3& p : description.meshes[static_cast<std::size_t>(o.mesh)].positions) grow(to_world(g, p));
    }
    geometry_.push_back(g);
  }
}

Scene::Scene(SceneDescription description, const SceneOptions& options, Diagnostics& diagnostics)
    : state_(std::make_unique<State>(std::move(description), options, diagnostics)) {}
Scene::~Scene() = default;
Scene::Scene(Scene&&) noexcept = default;
Scene& Scene::operator=(Scene&&) noexcept = default;

const SceneDescription& Scene::description() const { return state_->description; }
bool Scene::has_light() const { return !state_->lights.empty(); }

std::optional<Scene::Probe> Scene::probe(Vec3d origin, Vec3d direction) const {
  const State& s = *state_;
  Ray ray{Vec3(origin), normalize(Vec3(direction))};
  float travelled = 0;
  // Cut-out surfaces are passed as the label rays pass them; a stack of more than 64 counts as solid.
  for (int layer = 0; layer < 64; ++layer) {
    const auto hit = s.accel.closest(ray);
    if (!hit) return std::nullopt;
    const Interaction it = s.interact(ray, *hit);
    if (!s.materials.always_opaque(it.material) && s.materials.opacity(it.material, it.at) < 0.5f) {
      travelled += hit->t;
      ray = it.leave(ray.direction);
      continue;
    }
    const Vec3 n = it.at.back_side ? -it.at.geometric_normal : it.at.geometric_normal;
    return Probe{travelled + hit->t, hit->object, hit->triangle, n, it.at.back_side, s.materials.transmits(it.material)};
  }
  return std::nullopt;
}

}  // namespace simulacra
