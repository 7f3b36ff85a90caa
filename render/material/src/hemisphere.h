// SPDX-License-Identifier: Apache-2.0
// Directions of the upper hemisphere, and mirrors, in a local frame with +z up.
#pragma once

#include <cmath>

#include "render/base/vec.h"

namespace simulacra {

/// Density 1 / 2pi.
inline Vec3 sample_uniform_hemisphere(Vec2 u) {
  const float r = std::sqrt(std::max(0.0f, 1 - u.x * u.x)), phi = 2 * kPi * u.y;
  return {r * std::cos(phi), r * std::sin(phi), u.x};
}

inline Vec3 reflect(Vec3 v) { return {-v.x, -v.y, v.z}; }
inline Vec3 reflect(Vec3 v, Vec3 m) { return m * (2 * dot(v, m)) - v; }
inline Vec3 turn_over(Vec3 v) { return {v.x, v.y, -v.z}; }

}  // namespace simulacra
