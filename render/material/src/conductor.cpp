// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {

BsdfEval eval(const ConductorModel& model, Vec3 wo, Vec3 wi) {
  if (model.smooth || wi.z <= 0) return {};
  const Vec3 m = normalize(wo + wi);
  const float d = model.facets.density(m) / (4 * wo.z);
  if (d == 0) return {};
  const Rgb f = fresnel_conductor(dot(wo, m), model.eta, model.k) * model.reflectance;
  return {f * (d * model.facets.masking(wo, m) * model.facets.masking(wi, m)), Rgb{},
          d * model.facets.exact_masking(wo, m)};
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
  s.wi = reflect(wo, model.facets.sample_visible(wo, u));
  const BsdfEval e = eval(model, wo, s.wi);
  if (!(e.pdf > 0)) return std::nullopt;
  s.pdf = e.pdf;
  s.weight = e.total / e.pdf;
  return s;
}

}  // namespace simulacra
