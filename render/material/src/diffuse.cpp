// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/sampling/warp.h"

namespace simulacra {

BsdfEval eval(const DiffuseModel& model, Vec3, Vec3 wi) {
  if (wi.z <= 0) return {};
  const float pdf = wi.z * kInvPi;
  const Rgb value = model.albedo * pdf;
  return {value, value, pdf};
}

std::optional<BsdfSample> sample(const DiffuseModel& model, Vec3, float, Vec2 u) {
  const Vec3 wi = cosine_hemisphere_from_square(u);
  if (wi.z <= 0) return std::nullopt;
  BsdfSample s;
  s.wi = wi;
  s.weight = s.diffuse_weight = model.albedo;
  s.pdf = wi.z * kInvPi;
  return s;
}

}  // namespace simulacra
