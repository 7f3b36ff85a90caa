// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/material/bsdf.h"
#include "render/material/bsdf_models.h"
#include "render/texture/texture.h"

namespace simulacra {

class ModelTables;

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

/// The frame for directions given to a Bsdf: z is `normal` (unit), x follows dpdu where there is one, so that
/// anisotropic reflection lies along the texture's u.
ShadingFrame shading_frame(Vec3 normal, const SurfacePoint& at);

/// The materials of a scene with their textures bound. Immutable; safe for any number of threads.
/// `textures` must outlive it.
class MaterialSet {
 public:
  /// Throws Error naming the material when a description makes no sense: an index out of range, a blend of
  /// itself or of more than Bsdf::kMaxLeaves materials, an index of refraction that is not positive.
  MaterialSet(std::span<const MaterialDescription> materials, const TextureSet& textures);

  /// The scattering at a hit (blend and back_material resolved). Opacity is not in it. A Bsdf refers to tables
  /// of this set.
  Bsdf bsdf(int material, const SurfacePoint& at) const;
  /// In [0, 1], alpha cutoff applied. 0 for a null material.
  float opacity(int material, const SurfacePoint& at) const;
  /// True when opacity() is 1 everywhere, so that callers can skip it.
  bool always_opaque(int material) const { return traits(material).always_opaque; }
  /// Radiance emitted towards the viewer's side (0 on the dark side of a one-sided emitter).
  Rgb emission(int material, const SurfacePoint& at) const;
  bool emits(int material) const { return traits(material).emits; }
  bool emission_two_sided(int material) const { return description(material).emission_two_sided; }
  /// Mean radiance over the UV square, for light selection. 0 where emits() is false.
  Rgb mean_emission(int material) const { return traits(material).mean_emission; }
  /// True when the emission varies over the surface.
  bool emission_textured(int material) const { return traits(material).emission_textured; }
  /// The shading normal after normal map and bump map; unit, same hemisphere as geometric_normal.
  Vec3 bumped_normal(int material, const SurfacePoint& at) const;
  bool has_bump(int material) const { return traits(material).has_bump; }
  /// True when light passes straight (null, thin dielectric, opacity < 1): shadow rays must ask.
  bool may_pass_straight(int material) const { return traits(material).may_pass_straight; }
  /// True for glass and other transmitting materials (labels flag them).
  bool transmits(int material) const { return traits(material).transmits; }
  std::size_t size() const { return materials_.size(); }

 private:
  struct Traits {
    BsdfModel prototype;      ///< with the untextured inputs, and what is derived from them
    Rgb mean_emission;
    bool varies = false;      ///< some input of `prototype` comes from a texture or a vertex color
    bool always_opaque = true, emits = false, emission_textured = false;
    bool has_bump = false, may_pass_straight = false, transmits = false;
  };

  const MaterialDescription& description(int material) const { return materials_[static_cast<std::size_t>(material)]; }
  const Traits& traits(int material) const { return traits_[static_cast<std::size_t>(material)]; }
  Traits own_traits(const MaterialDescription& m) const;
  void add_parts(int material, Traits& traits) const;
  void add_leaves(int material, const SurfacePoint& at, float weight, bool two_sided, Bsdf& bsdf) const;

  std::vector<MaterialDescription> materials_;
  const TextureSet* textures_;
  std::vector<Traits> traits_;
  std::shared_ptr<ModelTables> tables_;  ///< what prototypes point to
};

}  // namespace simulacra
