// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/geometry.h"

#include <algorithm>
#include <cmath>

#include "render/base/error.h"

namespace simulacra {
namespace {

struct WorldSphere {
  Vec3d center;
  double radius;
};

WorldSphere world_sphere(const ObjectDescription& object) {
  const double scale = std::cbrt(std::abs(determinant(object.world_from_object.linear)));
  return {object.world_from_object.point(Vec3d(object.sphere->center)),
          scale * static_cast<double>(object.sphere->radius)};
}

Vec3d sphere_point(const WorldSphere& s, int column, int row) {
  const double phi = 2 * kPiD * column / kSphereSegments, theta = 2 * kPiD * row / kSphereSegments;
  return s.center + s.radius * Vec3d{std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
}

ObjectGeometry tessellated(const WorldSphere& s) {
  constexpr int rows = kSphereSegments / 2;
  ObjectGeometry g;
  const auto index = [](int column, int row) {
    return static_cast<std::uint32_t>(row * kSphereSegments + column % kSphereSegments);
  };
  for (int row = 0; row <= rows; ++row)
    for (int column = 0; column < kSphereSegments; ++column) g.vertices.push_back(sphere_point(s, column, row));
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < kSphereSegments; ++column) {
      const std::uint32_t a = index(column, row), b = index(column + 1, row);
      const std::uint32_t c = index(column + 1, row + 1), d = index(column, row + 1);
      if (row > 0) g.triangles.push_back({a, c, b});
      if (row + 1 < rows) g.triangles.push_back({a, d, c});
    }
  return g;
}

/// Points whose box holds the whole sphere: a ring around the equator's outside, and the poles.
void add_sphere_points(const WorldSphere& s, std::vector<Vec3d>& points) {
  const double outside = s.radius / std::cos(kPiD / kSphereSegments);
  for (int i = 0; i < kSphereSegments; ++i) {
    const double phi = 2 * kPiD * i / kSphereSegments;
    points.push_back(s.center + outside * Vec3d{std::cos(phi), std::sin(phi), 0});
  }
  points.push_back(s.center + Vec3d{0, 0, s.radius});
  points.push_back(s.center - Vec3d{0, 0, s.radius});
}

/// A mesh of the scene is described in its own frame; this is where it stands.
ObjectGeometry placed(const MeshDescription& mesh, const Affine3d& world_from_object) {
  ObjectGeometry g;
  g.vertices.reserve(mesh.positions.size());
  for (const Vec3& p : mesh.positions) g.vertices.push_back(world_from_object.point(Vec3d(p)));
  g.triangles = mesh.triangles;
  return g;
}

struct Totals {
  Vec3d corner_sum;
  std::uint64_t num_corners = 0;
};

void add_object(const SceneDescription& scene, std::size_t i, InstanceGeometry& instance, Totals& totals) {
  const ObjectDescription& object = scene.objects[i];
  ObjectGeometry g = object_geometry(scene, i);
  std::vector<bool> used(g.vertices.size(), false);
  for (const Triangle& t : g.triangles) {
    const Vec3d a = g.vertices[t[0]], b = g.vertices[t[1]], c = g.vertices[t[2]];
    instance.surface_area += 0.5 * length(cross(b - a, c - a));
    totals.corner_sum += a + b + c;
    totals.num_corners += 3;
    for (const std::uint32_t k : t) used[k] = true;
  }
  if (object.sphere) {
    add_sphere_points(world_sphere(object), instance.points);
  } else {
    for (std::size_t k = 0; k < used.size(); ++k)
      if (used[k]) instance.points.push_back(g.vertices[k]);
  }
  ++instance.num_objects;
  instance.semantic = object.semantic;
  instance.name = object.instance_key.empty() ? object.name : object.instance_key;
}

}  // namespace

ObjectGeometry object_geometry(const SceneDescription& scene, std::size_t index) {
  const ObjectDescription& object = scene.objects[index];
  if (object.sphere) return tessellated(world_sphere(object));
  SIM_CHECK(object.mesh >= 0 && static_cast<std::size_t>(object.mesh) < scene.meshes.size());
  return placed(scene.meshes[static_cast<std::size_t>(object.mesh)], object.world_from_object);
}

std::uint64_t num_world_triangles(const SceneDescription& scene) {
  std::uint64_t count = 0;
  for (const ObjectDescription& object : scene.objects)
    count += object.sphere ? std::uint64_t{kSphereSegments} * (kSphereSegments - 2)
                           : scene.meshes[static_cast<std::size_t>(object.mesh)].triangles.size();
  return count;
}

std::vector<InstanceGeometry> instance_geometry(const SceneDescription& scene) {
  int count = 0;
  for (const ObjectDescription& object : scene.objects) count = std::max(count, object.instance);
  std::vector<InstanceGeometry> instances(static_cast<std::size_t>(count));
  std::vector<Totals> totals(instances.size());
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    if (scene.objects[i].instance < 1) continue;
    const std::size_t k = static_cast<std::size_t>(scene.objects[i].instance) - 1;
    add_object(scene, i, instances[k], totals[k]);
  }
  for (std::size_t k = 0; k < instances.size(); ++k)
    if (totals[k].num_corners > 0)
      instances[k].centroid = totals[k].corner_sum / static_cast<double>(totals[k].num_corners);
  return instances;
}

}  // namespace simulacra
