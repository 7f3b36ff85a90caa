// SPDX-License-Identifier: Apache-2.0
// What lies at a hit, and the parts of a Scene that integrators use.
#pragma once

#include <cstdint>
#include <vector>

#include "render/accel/accel.h"
#include "render/base/vec.h"
#include "render/light/lights.h"
#include "render/material/material.h"
#include "render/scene/scene.h"
#include "render/texture/texture.h"

namespace simulacra {

/// A surface point seen along a ray. World frame.
struct Interaction {
  SurfacePoint at;           ///< shading_normal without bump, before bending
  Vec3 wo;                   ///< unit, back along the ray
  int object = -1, material = -1;
  float rounding = 0;        ///< bound of the position's rounding error: rays leave the surface by this much

  /// A ray from this point towards `direction`, started beyond the rounding error on its side of the surface.
  Ray leave(Vec3 direction, float t_max = INFINITY) const;
};

/// `normal` (unit, outer side) turned until the viewer sees the same side of it as of the geometry:
/// dot >= 0.001 on that side.
Vec3 bend_to_viewer(Vec3 normal, Vec3 geometric_normal, Vec3 wo);

struct Scene::State final : StraightTransmittance, SurfaceEmission {
  State(SceneDescription scene_description, const SceneOptions& options, Diagnostics& diagnostics);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Interaction interact(const Ray& ray, const Hit& hit) const;
  Rgb at(const Hit& hit, Vec3 origin, Vec3 direction) const override;       // StraightTransmittance
  Rgb emitted(const Hit& hit, Vec3 origin, Vec3 direction) const override;  // SurfaceEmission

  SceneDescription description;
  TextureSet textures;
  int white_material;        ///< a white two-sided diffuse, appended behind the scene's own materials
  MaterialSet materials;
  std::vector<std::uint8_t> passable;   ///< by object
  Accel accel;
  LightSet lights;

 private:
  struct ObjectGeometry {
    bool identity = true;
    Mat3 linear, normal_matrix;
    Vec3 translation;
    float scale = 1;         ///< of a sphere's similarity
    float largest = 0;       ///< largest absolute coordinate, world frame, of the object
  };
  Vec3 to_world(const ObjectGeometry& g, Vec3 p) const { return g.identity ? p : g.linear * p + g.translation; }
  void fill_triangle(Interaction& it, const ObjectGeometry& g, const Hit& hit) const;
  void fill_sphere(Interaction& it, const ObjectGeometry& g, const Ray& ray, const Hit& hit) const;

  std::vector<ObjectGeometry> geometry_;
};

}  // namespace simulacra
