// SPDX-License-Identifier: Apache-2.0
// Microfacet normal distributions with Smith's separable masking and sampling of visible normals
// (Walter et al. 2007; Heitz & d'Eon 2014). Local frame, +z is the surface normal; m has m.z >= 0.
#pragma once

#include <cmath>

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

struct Microfacet {
  MicrofacetKind kind = MicrofacetKind::ggx;
  float alpha_u = 0.1f, alpha_v = 0.1f;  ///< at least kMinAlpha

  /// What float arithmetic still resolves.
  static constexpr float kMinAlpha = 1e-4f;

  /// Density of facet normals: ∫ density(m) m.z dm = 1.
  float density(Vec3 m) const;
  /// Share of facets m that v sees; 0 when v and m are on different sides of each other. For Beckmann a fit
  /// of Walter et al. 2007, up to 0.35 % off, that renderers agree on.
  float masking(Vec3 v, Vec3 m) const;
  /// The same without the fit's error: it normalises visible_density().
  float exact_masking(Vec3 v, Vec3 m) const;
  /// A normal among those that v (v.z > 0) sees. Its density is visible_density().
  Vec3 sample_visible(Vec3 v, Vec2 u) const;
  float visible_density(Vec3 v, Vec3 m) const;
};

/// The visible Beckmann slopes for alpha = 1 along v (a function of cos_v and u.x) and across it (of u.y).
Vec2 beckmann_visible_slope(float cos_v, Vec2 u);

inline float Microfacet::density(Vec3 m) const {
  const float x = m.x / alpha_u, y = m.y / alpha_v, z2 = m.z * m.z;
  float d;
  if (kind == MicrofacetKind::beckmann) {
    d = std::exp(-(x * x + y * y) / z2) / (kPi * alpha_u * alpha_v * z2 * z2);
  } else {
    const float t = x * x + y * y + z2;
    d = 1 / (kPi * alpha_u * alpha_v * t * t);
  }
  return d * m.z > 1e-20f ? d : 0;  // also false for the NaN of a grazing Beckmann normal
}

inline float Microfacet::masking(Vec3 v, Vec3 m) const {
  if (dot(v, m) * v.z <= 0) return 0;
  const float x = alpha_u * v.x, y = alpha_v * v.y, slope2 = x * x + y * y;
  if (slope2 == 0) return 1;
  const float tan2 = slope2 / (v.z * v.z);
  if (kind == MicrofacetKind::ggx) return 2 / (1 + std::sqrt(1 + tan2));
  const float a = 1 / std::sqrt(tan2);
  if (a >= 1.6f) return 1;
  return (3.535f * a + 2.181f * a * a) / (1 + 2.276f * a + 2.577f * a * a);
}

inline float Microfacet::exact_masking(Vec3 v, Vec3 m) const {
  if (kind == MicrofacetKind::ggx) return masking(v, m);
  if (dot(v, m) * v.z <= 0) return 0;
  const float x = alpha_u * v.x, y = alpha_v * v.y, slope2 = x * x + y * y;
  const float a = std::abs(v.z) / std::sqrt(slope2);
  if (!(a < 4)) return 1;  // within 1e-9
  constexpr float inv_sqrt_pi = 0.564189583547756f;
  return 2 / (1 + std::erf(a) + std::exp(-a * a) * inv_sqrt_pi / a);
}

inline float Microfacet::visible_density(Vec3 v, Vec3 m) const {
  return density(m) * exact_masking(v, m) * std::abs(dot(v, m) / v.z);
}

}  // namespace simulacra
