// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/material/bsdf.h"
#include "render/texture/texture.h"

namespace simulacra {

/// What a material needs to know of a hit. World frame.
struct SurfacePoint {
  Vec3 position;
  Vec3 geometric_normal;   ///< unit, outer side
  Vec3 shading_normal;     ///< unit, interpolated, same hemisphere as geometric_normal
  Vec3 dpdu{}, dpdv{};     ///< of uv[0]; zero when the mesh has no usable UVs
  Vec3 tangent{};          ///< mesh tangent (unit) or zero
  float tangent_sign = 1;
  Vec2 uv[2]{};
  Vec4 vertex_color{1, 1, 1, 1};
  bool back_side = false;  ///< the viewer is behind the surface
};

/// The materials of a scene with their textures bound. Immutable; safe for any number of threads.
/// `textures` must outlive it.
class MaterialSet {
 public:
  MaterialSet(std::span<const MaterialDescription> materials, const TextureSet& textures);

  /// The scattering at a hit (blend and back_material resolved). Opacity is not in it.
  Bsdf bsdf(int material, const SurfacePoint& at) const;
  /// In [0, 1], alpha cutoff applied.
  float opacity(int material, const SurfacePoint& at) const;
  /// True when opacity() is 1 everywhere, so that callers can skip it.
  bool always_opaque(int material) const;
  /// Radiance emitted towards the viewer's side (0 on the dark side of a one-sided emitter).
  Rgb emission(int material, const SurfacePoint& at) const;
  bool emits(int material) const;
  bool emission_two_sided(int material) const;
  /// Mean radiance over the UV square, for light selection. 0 where emits() is false.
  Rgb mean_emission(int material) const;
  /// True when the emission varies over the surface.
  bool emission_textured(int material) const;
  /// The shading normal after normal map and bump map; unit, same hemisphere as geometric_normal.
  Vec3 bumped_normal(int material, const SurfacePoint& at) const;
  bool has_bump(int material) const;
  /// True when light passes straight (null, thin dielectric, opacity < 1): shadow rays must ask.
  bool may_pass_straight(int material) const;
  /// True for glass and other transmitting materials (labels flag them).
  bool transmits(int material) const;
  std::size_t size() const;

 private:
  std::vector<MaterialDescription> materials_;
  const TextureSet* textures_;
};

}  // namespace simulacra
