// SPDX-License-Identifier: Apache-2.0
// Reflectance of smooth interfaces, for unpolarised light.
//  - eta is the relative index inside / outside; "outside" is the side that the normal points to.
//  - Cosines are taken against the normal; a negative one means that light arrives from inside.
#pragma once

#include <cmath>

#include "render/base/vec.h"

namespace simulacra {

struct FresnelDielectric {
  float reflectance;
  float cos_t;   ///< of the refracted direction, on the other side: sign opposite to cos_i; 0 when all is reflected
  float eta_it;  ///< relative index in the direction of travel
  float eta_ti;  ///< its reciprocal
};

inline FresnelDielectric fresnel_dielectric(float cos_i, float eta) {
  const bool outside = cos_i >= 0;
  const float eta_it = outside ? eta : 1 / eta, eta_ti = outside ? 1 / eta : eta;
  const float cos_t_squared = 1 - (1 - cos_i * cos_i) * eta_ti * eta_ti;
  const float ci = std::abs(cos_i), ct = cos_t_squared > 0 ? std::sqrt(cos_t_squared) : 0;
  const float cos_t = outside ? -ct : ct;
  if (eta == 1) return {0, cos_t, eta_it, eta_ti};
  if (ci == 0) return {1, cos_t, eta_it, eta_ti};
  const float s = (ci - eta_it * ct) / (ci + eta_it * ct);
  const float p = (ct - eta_it * ci) / (ct + eta_it * ci);
  return {0.5f * (s * s + p * p), cos_t, eta_it, eta_ti};
}

/// One band of a conductor with the complex index eta + i k relative to the outside; cos_i >= 0.
inline float fresnel_conductor(float cos_i, float eta, float k) {
  const float c2 = cos_i * cos_i, s2 = 1 - c2;
  const float t = eta * eta - k * k - s2;
  const float modulus = std::sqrt(std::max(0.0f, t * t + 4 * eta * eta * k * k));  // a² + b²
  const float a = std::sqrt(std::max(0.0f, 0.5f * (modulus + t)));
  const float u = modulus + c2, v = 2 * cos_i * a;
  const float s = (u - v) / (u + v);
  const float w = modulus * c2 + s2 * s2, x = v * s2;
  const float p = w + x > 0 ? s * (w - x) / (w + x) : s;
  return 0.5f * (s + p);
}

inline Rgb fresnel_conductor(float cos_i, Rgb eta, Rgb k) {
  return {fresnel_conductor(cos_i, eta.r, k.r), fresnel_conductor(cos_i, eta.g, k.g),
          fresnel_conductor(cos_i, eta.b, k.b)};
}

/// (1 - cos)^5, the weight of the grazing reflectance in Schlick's approximation.
inline float schlick_weight(float cos_i) {
  const float m = std::min(std::max(1 - cos_i, 0.0f), 1.0f), m2 = m * m;
  return m2 * m2 * m;
}

/// Mean reflectance of a dielectric interface under diffuse light that arrives in the medium where the
/// relative index is `eta` (> 1: from outside; < 1: from inside). Polynomial fits of Egan & Hilgeman 1973
/// (eta < 1) and d'Eon & Irving 2011 (else), as Mitsuba uses them.
inline float fresnel_diffuse_reflectance(float eta) {
  if (eta < 1) return -1.4399f * eta * eta + 0.7099f * eta + 0.6681f + 0.0636f / eta;
  const float i = 1 / eta;
  return 0.919317f + i * (-3.4793f + i * (6.75335f + i * (-7.80989f + i * (4.98554f - i * 1.36881f))));
}

}  // namespace simulacra
