// SPDX-License-Identifier: Apache-2.0
// Small tools to make scene parts in code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra::rooms {

/// Collects flat-shaded faces. UVs are metres on each face.
class MeshBuilder {
 public:
  /// Corners counter-clockwise seen from outside; u runs along a->b, v along a->d, from `uv`.
  void quad(Vec3d a, Vec3d b, Vec3d c, Vec3d d, Vec2d uv = {0, 0});
  void box(Vec3d lo, Vec3d hi);
  /// About +z through `center`, from z0 to z1, closed by discs; smooth to the eye with 32 sides.
  void cylinder(Vec2d center, double radius, double z0, double z1);
  void sphere(Vec3d center, double radius);
  bool empty() const { return mesh_.triangles.empty(); }
  MeshDescription take(std::string name);

 private:
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) { mesh_.triangles.push_back({a, b, c}); }
  std::uint32_t vertex(Vec3d p, Vec2d uv);
  MeshDescription mesh_;
};

/// What all parts of one thing share.
struct Thing {
  std::string name;  ///< "window 1": also the instance key
  std::string_view semantic;
  std::string_view folder;  ///< of the path: "shell", "fixture", "furniture"
};

int add_material(SceneDescription& scene, MaterialDescription material);
/// A plain material of the standard kind.
MaterialDescription standard_material(std::string name, Rgb color, float roughness);
/// Adds a mesh as one object "<thing> <part>"; does nothing when the mesh is empty.
void add_part(SceneDescription& scene, MeshBuilder& mesh, const Thing& thing, std::string_view part, int material,
              const Affine3d& world_from_object = {});
/// A texture of `size_m` metres a side over metre UVs; returns its index.
int add_pattern(SceneDescription& scene, std::string name, std::vector<std::uint8_t> png, double size_m);

}  // namespace simulacra::rooms
