// SPDX-License-Identifier: Apache-2.0
// Scattering at one point, as a value.
//  - Directions are unit vectors in the local frame. +z is the shading normal on the OUTER side of the
//    surface (the side its geometric normal points to); wo.z < 0 means that the surface is seen from behind.
//    The integrator bends the shading normal so that wo lies on the same side of it as of the geometric one.
//  - wo points to the camera, wi to the light, both away from the surface.
//  - eval() includes the factor |cos(theta_i)|. Densities are per solid angle of wi.
//  - For every non-delta sample weight * pdf == eval(wo, wi).total up to rounding, and
//    diffuse_weight * pdf == eval(wo, wi).diffuse.
//  - Delta lobes: eval() gives nothing for them; sample() returns delta = true with the discrete probability in pdf.
//  - Radiance is transported (camera paths): transmission weights carry the 1/eta² factor of radiance.
#pragma once

#include <optional>

#include "render/base/vec.h"

namespace simulacra {

struct Bsdf;  // defined in this module

struct BsdfEval {
  Rgb total;           ///< all non-delta lobes
  Rgb diffuse;         ///< the part of `total` that leaves through the base diffuse lobe (and diffuse transmission)
  float pdf = 0;
};

struct BsdfSample {
  Vec3 wi;
  Rgb weight;          ///< value / pdf
  Rgb diffuse_weight;  ///< the diffuse part of `weight`
  float pdf = 0;
  bool delta = false;
  /// Passed the surface without a change of direction (opacity, null, thin dielectric): shadow rays pass
  /// there too, so such a step keeps the previous vertex's MIS state.
  bool straight = false;
  float eta = 1;       ///< relative index of refraction along a refracted path, else 1
};

BsdfEval eval(const Bsdf&, Vec3 wo, Vec3 wi);
/// u_lobe chooses the lobe, u the direction; all in [0, 1).
std::optional<BsdfSample> sample(const Bsdf&, Vec3 wo, float u_lobe, Vec2 u);
/// ρ: the diffuse reflectance of the side that wo sees (0 without a diffuse lobe). In [0, 1].
Rgb diffuse_albedo(const Bsdf&, Vec3 wo);
/// Fraction of light that passes in a straight line (null, thin dielectric); 0 for everything else.
Rgb straight_transmittance(const Bsdf&, Vec3 wo);
/// False when every lobe is a delta (next-event estimation is useless there).
bool has_smooth_lobe(const Bsdf&);
/// True when light can pass to the other side (glass and the like).
bool transmits(const Bsdf&);

}  // namespace simulacra
