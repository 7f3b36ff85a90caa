// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"
#include "render/material/src/rough_transmittance.h"
#include "render/sampling/warp.h"

namespace simulacra {
namespace {

float interface_transmittance(const PlasticModel& model, float cos_theta) {
  return model.smooth ? 1 - fresnel_dielectric(cos_theta, model.eta).reflectance : model.rough->external(cos_theta);
}

float specular_probability(const PlasticModel& model, float transmittance_o) {
  const float specular = (1 - transmittance_o) * model.specular_weight;
  const float diffuse = transmittance_o * (1 - model.specular_weight);
  return specular + diffuse > 0 ? specular / (specular + diffuse) : 1;
}

// The base seen through the interface, with what bounces between both, without the factors of direction.
Rgb base_reflectance(const PlasticModel& model) {
  const float r = model.internal_reflectance;
  const Rgb trapped = model.nonlinear ? model.diffuse * r : Rgb{r};
  return model.diffuse / (Rgb{1} - trapped) * model.inv_eta_squared;
}

BsdfEval eval_with(const PlasticModel& model, Vec3 wo, Vec3 wi, float transmittance_o, float p_specular) {
  BsdfEval e;
  const float cosine_pdf = wi.z * kInvPi;
  e.diffuse = base_reflectance(model) * (cosine_pdf * transmittance_o * interface_transmittance(model, wi.z));
  e.total = e.diffuse;
  e.pdf = (1 - p_specular) * cosine_pdf;
  if (model.smooth) return e;
  const Vec3 m = normalize(wo + wi);
  const float d = model.facets.density(m) / (4 * wo.z);
  if (d > 0) {
    const float f = fresnel_dielectric(dot(wo, m), model.eta).reflectance;
    e.total += model.specular * (f * d * model.facets.masking(wo, m) * model.facets.masking(wi, m));
    e.pdf += p_specular * d * model.facets.exact_masking(wo, m);
  }
  return e;
}

}  // namespace

BsdfEval eval(const PlasticModel& model, Vec3 wo, Vec3 wi) {
  if (wi.z <= 0) return {};
  const float transmittance_o = interface_transmittance(model, wo.z);
  return eval_with(model, wo, wi, transmittance_o, specular_probability(model, transmittance_o));
}

std::optional<BsdfSample> sample(const PlasticModel& model, Vec3 wo, float u_lobe, Vec2 u) {
  const float transmittance_o = interface_transmittance(model, wo.z);
  const float p_specular = specular_probability(model, transmittance_o);
  BsdfSample s;
  if (u_lobe < p_specular) {
    if (model.smooth) {
      s.wi = reflect(wo);
      s.weight = model.specular * ((1 - transmittance_o) / p_specular);
      s.pdf = p_specular;
      s.delta = true;
      return s;
    }
    s.wi = reflect(wo, model.facets.sample_visible(wo, u));
  } else {
    s.wi = cosine_hemisphere_from_square(u);
  }
  if (s.wi.z <= 0) return std::nullopt;
  const BsdfEval e = eval_with(model, wo, s.wi, transmittance_o, p_specular);
  if (!(e.pdf > 0)) return std::nullopt;
  s.pdf = e.pdf;
  s.weight = e.total / e.pdf;
  s.diffuse_weight = e.diffuse / e.pdf;
  return s;
}

}  // namespace simulacra
