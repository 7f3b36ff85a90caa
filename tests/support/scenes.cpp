// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scenes.h"

#include <fmt/core.h>

namespace simulacra::test {
namespace {

int add_object(SceneDescription& scene, ObjectDescription object) {
  object.name = fmt::format("object {}", scene.objects.size());
  scene.objects.push_back(std::move(object));
  return static_cast<int>(scene.objects.size()) - 1;
}

}  // namespace

int add_diffuse(SceneDescription& scene, Rgb reflectance, Rgb emission) {
  MaterialDescription m;
  m.name = fmt::format("material {}", scene.materials.size());
  m.kind = MaterialKind::diffuse;
  m.base_color = {reflectance, -1};
  m.emission = {emission, -1};
  scene.materials.push_back(m);
  return static_cast<int>(scene.materials.size()) - 1;
}

int add_rectangle(SceneDescription& scene, Vec3 p, Vec3 a, Vec3 b, int material) {
  MeshDescription mesh;
  mesh.positions = {p, p + a, p + a + b, p + b};
  mesh.uv[0] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  scene.meshes.push_back(std::move(mesh));
  ObjectDescription object;
  object.mesh = static_cast<int>(scene.meshes.size()) - 1;
  object.material = material;
  return add_object(scene, std::move(object));
}

void add_box_room(SceneDescription& scene, float side, int material) {
  const float h = side / 2, s = side;
  add_rectangle(scene, {-h, -h, -h}, {s, 0, 0}, {0, s, 0}, material);  // floor, normal +z
  add_rectangle(scene, {-h, -h, h}, {0, s, 0}, {s, 0, 0}, material);   // ceiling, normal -z
  add_rectangle(scene, {-h, -h, -h}, {0, s, 0}, {0, 0, s}, material);  // x = -h, normal +x
  add_rectangle(scene, {h, -h, -h}, {0, 0, s}, {0, s, 0}, material);   // x = h, normal -x
  add_rectangle(scene, {-h, -h, -h}, {0, 0, s}, {s, 0, 0}, material);  // y = -h, normal +y
  add_rectangle(scene, {-h, h, -h}, {s, 0, 0}, {0, 0, s}, material);   // y = h, normal -y
}

int add_sphere(SceneDescription& scene, Vec3 center, float radius, int material) {
  ObjectDescription object;
  object.sphere = SphereDescription{center, radius, false};
  object.material = material;
  return add_object(scene, std::move(object));
}

CameraDescription camera_at(Vec3d eye, Vec3d target) {
  CameraDescription c;
  const Vec3d back = normalize(eye - target);
  const Vec3d right = normalize(cross(std::abs(back.z) > 0.99 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}, back));
  c.name = "camera";
  c.world_from_cam = {Mat3d::from_columns(right, cross(back, right), back), eye};
  return c;
}

}  // namespace simulacra::test
