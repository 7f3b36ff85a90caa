// SPDX-License-Identifier: Apache-2.0
// From the unit square to other domains, each beside its density.
#pragma once

#include <algorithm>
#include <cmath>

#include "render/base/vec.h"

namespace simulacra {

/// Uniform on the unit disk (Shirley & Chiu 1997, concentric map).
inline Vec2 disk_from_square(Vec2 u) {
  const float a = 2 * u.x - 1, b = 2 * u.y - 1;
  if (a == 0 && b == 0) return {0, 0};
  const bool wide = std::abs(a) > std::abs(b);
  const float r = wide ? a : b;
  const float phi = wide ? (kPi / 4) * (b / a) : kPi / 2 - (kPi / 4) * (a / b);
  return {r * std::cos(phi), r * std::sin(phi)};
}

/// Density cos(theta) / pi per solid angle, about +z.
inline Vec3 cosine_hemisphere_from_square(Vec2 u) {
  const Vec2 d = disk_from_square(u);
  return {d.x, d.y, std::sqrt(std::max(0.0f, 1 - dot(d, d)))};
}
inline float cosine_hemisphere_pdf(float cos_theta) { return std::max(0.0f, cos_theta) * kInvPi; }

/// Density 1 / (4 pi).
inline Vec3 sphere_from_square(Vec2 u) {
  const float z = 1 - 2 * u.x, r = std::sqrt(std::max(0.0f, 1 - z * z)), phi = 2 * kPi * u.y;
  return {r * std::cos(phi), r * std::sin(phi), z};
}
inline constexpr float kSpherePdf = 0.25f * kInvPi;

/// Uniform barycentric coordinates (b1, b2) of a triangle (Heitz 2019, low distortion).
inline Vec2 triangle_from_square(Vec2 u) {
  if (u.y > u.x) {
    const float x = u.x * 0.5f;
    return {x, u.y - x};
  }
  const float y = u.y * 0.5f;
  return {u.x - y, y};
}

}  // namespace simulacra
