// SPDX-License-Identifier: Apache-2.0
#include "render/material/microfacet.h"

namespace simulacra {
namespace {

// Inverse error function in single precision: the polynomials of Giles 2010, about 1e-6 relative.
float erf_inverse(float x) {
  x = std::min(std::max(x, -0.999999f), 0.999999f);
  float w = -std::log((1 - x) * (1 + x)), p;
  if (w < 5) {
    constexpr float c[] = {2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f, 0.00021858087f,
                           -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f};
    w -= 2.5f;
    p = c[0];
    for (int i = 1; i < 9; ++i) p = c[i] + p * w;
  } else {
    constexpr float c[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f, -0.00367342844f, 0.00573950773f,
                           -0.0076224613f, 0.00943887047f, 1.00167406f, 2.83297682f};
    w = std::sqrt(w) - 3;
    p = c[0];
    for (int i = 1; i < 9; ++i) p = c[i] + p * w;
  }
  return p * x;
}

// Spherical caps (Dupuy & Benyoub 2023): in the stretched space the facets are a hemisphere, and a visible
// normal is the half vector of v and a uniform direction of a cap.
Vec3 sample_ggx(Vec3 v, float alpha_u, float alpha_v, Vec2 u) {
  const Vec3 s = normalize(Vec3{alpha_u * v.x, alpha_v * v.y, v.z});
  const float phi = 2 * kPi * u.x, z = 1 - u.y * (1 + s.z);
  const float r = std::sqrt(std::max(0.0f, 1 - z * z));
  const Vec3 h{r * std::cos(phi) + s.x, r * std::sin(phi) + s.y, z + s.z};
  return normalize(Vec3{alpha_u * h.x, alpha_v * h.y, std::max(h.z, 1e-7f)});
}

Vec3 sample_beckmann(Vec3 v, float alpha_u, float alpha_v, Vec2 u) {
  const Vec3 s = normalize(Vec3{alpha_u * v.x, alpha_v * v.y, v.z});
  const float r = std::sqrt(s.x * s.x + s.y * s.y);
  const float cos_phi = r > 0 ? s.x / r : 1, sin_phi = r > 0 ? s.y / r : 0;
  const Vec2 along = beckmann_visible_slope(s.z, u);
  const float x = (cos_phi * along.x - sin_phi * along.y) * alpha_u;
  const float y = (sin_phi * along.x + cos_phi * along.y) * alpha_v;
  return normalize(Vec3{-x, -y, 1});
}

}  // namespace

// Slope along v of visible facets for alpha = 1, by Newton steps on the distribution function written in
// the erf domain (Jakob 2014); the slope across v is an independent Gaussian.
Vec2 beckmann_visible_slope(float cos_v, Vec2 u) {
  constexpr float inv_sqrt_pi = 0.564189583547756f;
  const float sin_v = std::sqrt(std::max(0.0f, 1 - cos_v * cos_v));
  const float tan_v = std::max(sin_v, 1e-6f) / cos_v, cot_v = 1 / tan_v;
  const float u_x = std::min(std::max(u.x, 1e-6f), 1 - 1e-6f), u_y = std::min(std::max(u.y, 1e-6f), 1 - 1e-6f);
  const float top = std::erf(cot_v);
  // Start from the solution for grazing v, the most strongly curved case.
  float x = top - (top + 1) * std::erf(std::sqrt(-std::log(u_x)));
  const float target = u_x * (1 + top + inv_sqrt_pi * tan_v * std::exp(-cot_v * cot_v));
  for (int i = 0; i < 3; ++i) {
    const float slope = erf_inverse(x);
    const float value = 1 + x + inv_sqrt_pi * tan_v * std::exp(-slope * slope) - target;
    x -= value / (1 - slope * tan_v);
  }
  return {erf_inverse(x), erf_inverse(2 * u_y - 1)};
}

Vec3 Microfacet::sample_visible(Vec3 v, Vec2 u) const {
  return kind == MicrofacetKind::ggx ? sample_ggx(v, alpha_u, alpha_v, u) : sample_beckmann(v, alpha_u, alpha_v, u);
}

}  // namespace simulacra
