// SPDX-License-Identifier: Apache-2.0
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {
namespace {

std::optional<BsdfSample> sample_smooth(const DielectricModel& model, Vec3 wo, float u_lobe) {
  const FresnelDielectric f = fresnel_dielectric(wo.z, model.eta);
  BsdfSample s;
  s.delta = true;
  if (u_lobe < f.reflectance) {
    s.wi = reflect(wo);
    s.weight = model.reflectance;
    s.pdf = f.reflectance;
  } else {
    s.wi = {-f.eta_ti * wo.x, -f.eta_ti * wo.y, f.cos_t};
    s.weight = model.transmittance * (f.eta_ti * f.eta_ti);
    s.pdf = 1 - f.reflectance;
    s.eta = f.eta_it;
  }
  return s;
}

struct FacetGeometry {
  Vec3 m;             ///< facet normal, m.z >= 0
  float wo_m, wi_m;
  float eta;          ///< relative index in the direction of travel; 1 for reflection
  float jacobian;     ///< dm / dwi
};

// The facet that sends wo to wi; nothing when there is none on the proper sides.
std::optional<FacetGeometry> facet_between(const DielectricModel& model, Vec3 wo, Vec3 wi) {
  const bool reflects = wo.z * wi.z > 0;
  FacetGeometry g;
  g.eta = reflects ? 1 : (wo.z > 0 ? model.eta : 1 / model.eta);
  const Vec3 sum = wo + wi * g.eta;
  const float norm2 = length_squared(sum);
  if (!(norm2 > 0)) return std::nullopt;
  g.m = sum / std::sqrt(norm2);
  if (g.m.z < 0) g.m = -g.m;
  g.wo_m = dot(wo, g.m);
  g.wi_m = dot(wi, g.m);
  if (g.wo_m * wo.z <= 0 || g.wi_m * wi.z <= 0) return std::nullopt;
  const float refraction = g.wo_m + g.eta * g.wi_m;
  g.jacobian = reflects ? 1 / (4 * std::abs(g.wi_m))
                        : g.eta * g.eta * std::abs(g.wi_m) / (refraction * refraction);
  return g;
}

}  // namespace

BsdfEval eval(const DielectricModel& model, Vec3 wo, Vec3 wi) {
  if (model.smooth || wo.z == 0 || wi.z == 0) return {};
  const std::optional<FacetGeometry> g = facet_between(model, wo, wi);
  if (!g) return {};
  const float d = model.facets.density(g->m);
  if (d == 0) return {};
  const float f = fresnel_dielectric(g->wo_m, model.eta).reflectance;
  const float part = d * std::abs(g->wo_m / wo.z) * g->jacobian * (wo.z * wi.z > 0 ? f : 1 - f);
  const float pdf = part * model.facets.exact_masking(wo, g->m);
  const float value = part * model.facets.masking(wo, g->m) * model.facets.masking(wi, g->m);
  if (wo.z * wi.z > 0) return {model.reflectance * value, Rgb{}, pdf};
  return {model.transmittance * (value / (g->eta * g->eta)), Rgb{}, pdf};
}

std::optional<BsdfSample> sample(const DielectricModel& model, Vec3 wo, float u_lobe, Vec2 u) {
  if (wo.z == 0) return std::nullopt;
  if (model.smooth) return sample_smooth(model, wo, u_lobe);
  const Vec3 m = model.facets.sample_visible(wo.z > 0 ? wo : -wo, u);
  const FresnelDielectric f = fresnel_dielectric(dot(wo, m), model.eta);
  BsdfSample s;
  if (u_lobe < f.reflectance) {
    s.wi = reflect(wo, m);
    if (s.wi.z * wo.z <= 0) return std::nullopt;
  } else {
    s.wi = normalize(m * (dot(wo, m) * f.eta_ti + f.cos_t) - wo * f.eta_ti);
    if (s.wi.z * wo.z >= 0) return std::nullopt;
    s.eta = f.eta_it;
  }
  const BsdfEval e = eval(model, wo, s.wi);
  if (!(e.pdf > 0)) return std::nullopt;
  s.pdf = e.pdf;
  s.weight = e.total / e.pdf;
  return s;
}

}  // namespace simulacra
