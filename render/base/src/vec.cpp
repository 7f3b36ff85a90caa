// SPDX-License-Identifier: Apache-2.0
#include "render/base/vec.h"

namespace simulacra {

Affine3d rotation(Vec3d axis, double angle_rad) {
  // Rodrigues' formula.
  const Vec3d a = normalize(axis);
  const double c = std::cos(angle_rad), s = std::sin(angle_rad), k = 1 - c;
  Affine3d r;
  r.linear.m = {{{c + a.x * a.x * k, a.x * a.y * k - a.z * s, a.x * a.z * k + a.y * s},
                 {a.y * a.x * k + a.z * s, c + a.y * a.y * k, a.y * a.z * k - a.x * s},
                 {a.z * a.x * k - a.y * s, a.z * a.y * k + a.x * s, c + a.z * a.z * k}}};
  return r;
}

}  // namespace simulacra
