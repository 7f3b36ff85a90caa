// SPDX-License-Identifier: Apache-2.0
#include "tests/dataset/store/box_room.h"

#include <cmath>
#include <optional>

#include <fmt/core.h>

#include "render/base/half.h"
#include "render/camera/camera.h"

namespace simulacra::test {
namespace {

constexpr float kRoomX = 2.5f, kRoomY = 3.0f, kRoomZ = 2.6f;

int add_mesh(SceneDescription& scene, const std::string& name, std::vector<Vec3> positions,
             std::vector<Triangle> triangles) {
  MeshDescription mesh;
  mesh.name = name;
  mesh.positions = std::move(positions);
  mesh.triangles = std::move(triangles);
  scene.meshes.push_back(std::move(mesh));
  return static_cast<int>(scene.meshes.size()) - 1;
}

void add_object(SceneDescription& scene, const std::string& name, int mesh, const Affine3d& world_from_object,
                int semantic, int instance, const std::string& key = "") {
  ObjectDescription object;
  object.name = name;
  object.path = fmt::format("Room/{}", name);
  object.source = "box_room";
  object.mesh = mesh;
  object.material = static_cast<int>(scene.objects.size() % scene.materials.size());
  object.world_from_object = world_from_object;
  object.semantic = semantic;
  object.instance = instance;
  object.instance_key = key;
  scene.objects.push_back(std::move(object));
}

void add_quad(SceneDescription& scene, const std::string& name, Vec3 corner, Vec3 u, Vec3 v, int semantic) {
  const int mesh = add_mesh(scene, name, {corner, corner + u, corner + u + v, corner + v}, {{0, 1, 2}, {0, 2, 3}});
  add_object(scene, name, mesh, Affine3d{}, semantic, -1);
}

int add_cube(SceneDescription& scene) {
  std::vector<Vec3> p;
  for (int i = 0; i < 8; ++i)
    p.push_back({i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f});
  return add_mesh(scene, "cube", p, {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}});
}

Affine3d placed(Vec3d center, Vec3d size, double turn_rad) {
  return translation(center) * rotation({0, 0, 1}, turn_rad) * scaling(size);
}

using Hit = RoomHit;

std::optional<double> hit_triangle(Vec3d o, Vec3d d, Vec3d a, Vec3d b, Vec3d c) {
  const Vec3d u = b - a, v = c - a, p = cross(d, v);
  const double det = dot(u, p);
  if (std::abs(det) < 1e-12) return std::nullopt;
  const Vec3d s = o - a;
  const double x = dot(s, p) / det, y = dot(d, cross(s, u)) / det, t = dot(v, cross(s, u)) / det;
  if (x < 0 || y < 0 || x + y > 1 || t < 1e-6) return std::nullopt;
  return t;
}

std::optional<double> hit_sphere(Vec3d o, Vec3d d, Vec3d center, double radius) {
  const Vec3d s = o - center;
  const double b = dot(s, d), c = dot(s, s) - radius * radius, root = b * b - c;
  if (root < 0) return std::nullopt;
  const double t = -b - std::sqrt(root);
  return t > 1e-6 ? std::optional<double>(t) : std::nullopt;
}

std::optional<Hit> trace(const SceneDescription& room, Vec3d o, Vec3d d) {
  std::optional<Hit> best;
  const auto keep = [&](double t, std::size_t object, Vec3d normal) {
    const bool behind = dot(normal, d) > 0;
    if (!best || t < best->distance) best = Hit{t, object, behind ? -normal : normal, behind};
  };
  for (std::size_t i = 0; i < room.objects.size(); ++i) {
    const ObjectDescription& object = room.objects[i];
    if (object.sphere) {
      const Vec3d center(object.sphere->center);
      if (const auto t = hit_sphere(o, d, center, static_cast<double>(object.sphere->radius)))
        keep(*t, i, normalize(o + *t * d - center));
      continue;
    }
    const MeshDescription& mesh = room.meshes[static_cast<std::size_t>(object.mesh)];
    for (const Triangle& triangle : mesh.triangles) {
      Vec3d p[3];
      for (std::size_t k = 0; k < 3; ++k) p[k] = object.world_from_object.point(Vec3d(mesh.positions[triangle[k]]));
      if (const auto t = hit_triangle(o, d, p[0], p[1], p[2]))
        keep(*t, i, normalize(cross(p[1] - p[0], p[2] - p[0])));
    }
  }
  return best;
}

void set(Frame& frame, Label label, int row, int column, Vec3d value) {
  Plane& plane = frame.plane(label);
  for (int c = 0; c < plane.channels; ++c) {
    const float x = static_cast<float>(value[static_cast<std::size_t>(c)]);
    plane.f[plane.at(row, column, c)] = spec(label).dtype == DType::f16 ? round_to_half(x) : x;
  }
}

void set(Frame& frame, Label label, int row, int column, int value) {
  Plane& plane = frame.plane(label);
  plane.i[plane.at(row, column)] = value;
}

void shade(Frame& frame, int row, int column, const std::optional<Hit>& hit, Vec3d p) {
  float parts[3][3] = {{0, 0, 0}, {0, 0, 0}, {2, 2, 2.5f}};
  if (hit)
    for (int c = 0; c < 3; ++c) {
      const double phase = static_cast<double>(hit->object) + c;
      parts[0][c] = static_cast<float>(0.5 + 0.4 * std::sin(phase + 2 * p.x));
      parts[1][c] = static_cast<float>((0.3 + 0.2 * std::abs(hit->normal.x) + 0.1 * p.z) / (0.5 + 0.1 * p.y * p.y));
      parts[2][c] = static_cast<float>(0.05 + 0.04 * std::cos(3 * p.y));
    }
  Plane* planes[] = {&frame.plane(Label::diffuse_reflectance), &frame.plane(Label::diffuse_illumination),
                     &frame.plane(Label::residual), &frame.plane(Label::color)};
  for (int c = 0; c < 3; ++c) {
    const std::size_t at = planes[0]->at(row, column, c);
    for (int k = 0; k < 3; ++k) planes[k]->f[at] = round_to_half(parts[k][c]);
    planes[3]->f[at] = round_to_half(planes[0]->f[at] * planes[1]->f[at] + planes[2]->f[at]);
  }
}

void measure(Frame& frame, const SceneDescription& room, const Camera& camera, int row, int column) {
  const Ray ray = camera.center_ray(column, row);
  const Vec3d o(ray.origin), d = normalize(Vec3d(ray.direction));
  const std::optional<Hit> hit = trace(room, o, d);
  const Vec3d p = hit ? o + hit->distance * d : Vec3d{};
  shade(frame, row, column, hit, p);
  if (!hit) return;
  const Mat3d cam_from_world = transpose(camera.world_from_cam().linear);
  const ObjectDescription& object = room.objects[hit->object];
  set(frame, Label::depth_meters, row, column, Vec3d{hit->distance, 0, 0});
  set(frame, Label::depth_planar_meters, row, column, Vec3d{-(cam_from_world * (p - o)).z, 0, 0});
  set(frame, Label::position, row, column, p);
  for (const Label label : {Label::normal_world, Label::normal_bump_world}) set(frame, label, row, column, hit->normal);
  for (const Label label : {Label::normal_cam, Label::normal_bump_cam})
    set(frame, label, row, column, cam_from_world * hit->normal);
  set(frame, Label::tex_coord, row, column, Vec3d{p.x, p.y, 0});
  set(frame, Label::render_entity_id, row, column, static_cast<int>(hit->object) + 1);
  set(frame, Label::semantic, row, column, object.semantic);
  set(frame, Label::semantic_instance, row, column, object.instance);
  set(frame, Label::material_id, row, column, object.material);
  set(frame, Label::valid_mask, row, column, 3);
  set(frame, Label::transparency, row, column, 0);
}

}  // namespace

SceneDescription box_room() {
  SceneDescription room;
  room.name = "box_room";
  room.up = std::string("z");
  for (const char* name : {"plaster", "oak, oiled", "wool"}) {
    MaterialDescription material;
    material.name = name;
    room.materials.push_back(material);
  }
  const float x = kRoomX, y = kRoomY, z = kRoomZ;
  add_quad(room, "floor", {-x, -y, 0}, {2 * x, 0, 0}, {0, 2 * y, 0}, 2);
  add_quad(room, "ceiling", {-x, -y, z}, {0, 2 * y, 0}, {2 * x, 0, 0}, 22);
  add_quad(room, "wall south", {-x, -y, 0}, {2 * x, 0, 0}, {0, 0, z}, 1);
  add_quad(room, "wall north", {-x, y, 0}, {2 * x, 0, 0}, {0, 0, z}, 1);
  add_quad(room, "wall west", {-x, -y, 0}, {0, 2 * y, 0}, {0, 0, z}, 1);
  // Its upper corner is open.
  add_quad(room, "wall east", {x, -y, 0}, {0, 2 * y, 0}, {0, 0, 2.3f}, 1);
  add_quad(room, "wall east above", {x, -y, 2.3f}, {0, 2 * y - 0.4f, 0}, {0, 0, z - 2.3f}, 1);
  const int cube = add_cube(room);
  add_object(room, "cabinet", cube, placed({-1.6, 1.9, 0.7}, {1.1, 0.6, 1.4}, 0.5), 3, 1);
  add_object(room, "table top", cube, placed({0.6, 1.2, 0.72}, {1.2, 0.8, 0.06}, -0.3), 7, 2, "table");
  add_object(room, "table leg", cube, placed({0.6, 1.2, 0.345}, {0.1, 0.1, 0.69}, -0.3), 7, 2, "table");
  add_object(room, "ball", -1, Affine3d{}, 40, 3);
  room.objects.back().sphere = SphereDescription{{1.1f, 1.7f, 1.05f}, 0.3f, false};
  add_object(room, "thing", cube, placed({-0.4, 2.5, 0.2}, {0.4, 0.4, 0.4}, 0.1), -1, -1);
  return room;
}

std::optional<RoomHit> box_room_hit(const SceneDescription& room, Vec3d origin, Vec3d direction) {
  return trace(room, origin, normalize(direction));
}

Frame box_room_frame(const SceneDescription& room, const Affine3d& world_from_cam, int width, int height) {
  const Camera camera(Camera::canonical(world_from_cam), width, height);
  Frame frame;
  frame.width = width;
  frame.height = height;
  for (const LabelSpec& row : kLabels) frame.allocate(row.id);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) measure(frame, room, camera, row, column);
  for (const std::int32_t id : frame.plane(Label::render_entity_id).i) frame.stats.empty_pixels += id == -1;
  return frame;
}

Affine3d looking_at(Vec3d eye, Vec3d target) {
  const Vec3d z = normalize(eye - target), x = normalize(cross(Vec3d{0, 0, 1}, z));
  return {Mat3d::from_columns(x, cross(z, x), z), eye};
}

}  // namespace simulacra::test
