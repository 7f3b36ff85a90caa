// SPDX-License-Identifier: Apache-2.0
// All emitters of a scene. Densities are per solid angle at the receiver and include the choice of the emitter.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "render/accel/accel.h"
#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/light/environment.h"
#include "render/light/light_tree.h"
#include "render/light/portal.h"
#include "render/material/material.h"

namespace simulacra {

struct LightSample {
  Vec3 wi;                 ///< unit, from the receiver to the light
  float distance;          ///< along wi; infinity for lights from outside
  Rgb radiance;            ///< arriving along -wi if nothing is in the way (delta lights: times their density)
  float pdf;
  bool delta;              ///< point, spot and directional lights: no other strategy can find them
};

/// Radiance that a surface emits from a hit towards `origin`; asked for textured emitters only.
class SurfaceEmission {
 public:
  virtual ~SurfaceEmission() = default;
  virtual Rgb emitted(const Hit& hit, Vec3 origin, Vec3 direction) const = 0;
};

class LightSet {
 public:
  LightSet(const SceneDescription& scene, const MaterialSet& materials, const TextureSet& textures,
           const SurfaceEmission& emission);

  /// `normal` as in LightTree::pick().
  std::optional<LightSample> sample(Vec3 point, Vec3 normal, float u_choice, Vec2 u) const;
  /// Density of sample() for a hit on an emitting surface at `distance` along `wi`; 0 for what does not emit.
  float pdf_surface(Vec3 point, Vec3 normal, const Hit& hit, Vec3 wi) const;
  float pdf_environment(Vec3 point, Vec3 wi) const;
  /// Black without an environment.
  Rgb environment(Vec3 direction) const;
  bool has_environment() const { return environment_ != nullptr; }
  bool empty() const;

 private:
  struct SurfaceLight {    // a triangle, or a sphere where radius > 0
    Vec3 p0, edge1, edge2; ///< sphere: p0 is its center
    Vec3 normal;           ///< unit, outer side
    float area = 0;
    float radius = 0;
    Rgb radiance;
    int object = 0;
    std::uint32_t triangle = 0;
    bool two_sided = false, textured = false, inward = false;
  };
  void add_surface_lights(const SceneDescription& scene, const MaterialSet& materials, std::vector<LightBounds>& bounds);
  void add_triangle_lights(const SceneDescription& scene, const MaterialSet& materials, int object,
                           std::vector<LightBounds>& bounds);
  void add_sphere_light(const SceneDescription& scene, const MaterialSet& materials, int object,
                        std::vector<LightBounds>& bounds);
  std::optional<LightSample> sample_finite(Vec3 point, Vec3 normal, float u_choice, Vec2 u) const;
  std::optional<LightSample> sample_triangle(const SurfaceLight& light, Vec3 point, Vec2 u) const;
  std::optional<LightSample> sample_sphere(const SurfaceLight& light, Vec3 point, Vec2 u) const;
  std::optional<LightSample> sample_environment(Vec3 point, float u_choice, Vec2 u) const;
  LightSample sample_point(std::size_t index, Vec3 point) const;
  LightSample sample_spot(std::size_t index, Vec3 point) const;
  float sphere_pdf(const SurfaceLight& light, Vec3 point, Vec3 wi, float distance) const;

  const SurfaceEmission* emission_;
  std::vector<SurfaceLight> surfaces_;              ///< the tree's first lights, then points, then spots
  std::vector<std::int32_t> first_light_of_object_; ///< -1: does not emit
  std::vector<PointLightDescription> points_;
  std::vector<SpotLightDescription> spots_;
  std::vector<DirectionalLightDescription> directionals_;
  std::unique_ptr<EnvironmentLight> environment_;
  PortalSet portals_{{}};                           ///< where the environment is looked for first
  std::unique_ptr<LightTree> tree_;
  /// Probability of each group of emitters.
  float finite_share_ = 0, directional_share_ = 0, environment_share_ = 0;
};

}  // namespace simulacra
