// SPDX-License-Identifier: Apache-2.0
// A scene's triangles in one list, for mesh files and boxes. World frame, metres.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

/// One object's triangles. Spheres are tessellated: kSphereSegments around, half as many from pole to pole.
struct ObjectGeometry {
  std::vector<Vec3d> vertices;
  std::vector<Triangle> triangles;
};
inline constexpr int kSphereSegments = 256;

ObjectGeometry object_geometry(const SceneDescription& scene, std::size_t object);

/// Triangles of all objects, instances counted each.
std::uint64_t num_world_triangles(const SceneDescription& scene);

/// What the box and the table row of an instance are made of. Entry i - 1 belongs to instance i.
struct InstanceGeometry {
  std::vector<Vec3d> points;   ///< whose box is the instance's box; empty without geometry
  Vec3d centroid;              ///< mean of all triangle corners, as often as they are used
  double surface_area = 0;     ///< m²
  int num_objects = 0;
  int semantic = -1;
  std::string name;            ///< instance key, or the only object's name
};
std::vector<InstanceGeometry> instance_geometry(const SceneDescription& scene);

}  // namespace simulacra
