// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {

BsdfEval eval(const ConductorModel& model, Vec3 wo, Vec3 wi) {
  if (model.smooth || wi.z <= 0) return {};
  const Vec3 m = normalize(wo + wi);
  const float d = model.facets.density(m);
  if (d == 0) return {};
  const float seen = d * model.facets.masking(wo, m) / (4 * wo.z);
  const Rgb f = fresnel_conductor(dot(wo, m), model.eta, model.k) * model.reflectance;
  return {f * (seen * model.facets.masking(wi, m)), Rgb{}, seen};
}

std::optional<BsdfSample> sample(const ConductorModel& model, Vec3 wo, float, Vec2 u) {
  BsdfSample s;
  if (model.smooth) {
    s.wi = reflect(wo);
    s.weight = fresnel_conductor(wo.z, model.eta, model.k) * model.reflectance;
    s.pdf = 1;
    s.delta = true;
    return s;
  }
  const Vec3 m = model.facets.sample_visible(wo, u);
  s.wi = reflect(wo, m);
  if (s.wi.z <= 0) return std::nullopt;
  s.pdf = model.facets.density(m) * model.facets.masking(wo, m) / (4 * wo.z);
  if (!(s.pdf > 0)) return std::nullopt;
  s.weight = fresnel_conductor(dot(wo, m), model.eta, model.k) * model.reflectance * model.facets.masking(s.wi, m);
  return s;
}

}  // namespace simulacra
