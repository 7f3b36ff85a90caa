// SPDX-License-Identifier: Apache-2.0
#include "render/material/src/model.h"

#include "render/base/error.h"
#include "render/material/fresnel.h"
#include "render/material/src/albedo_tables.h"

namespace simulacra {
namespace {

float unit(float v) { return std::min(std::max(v, 0.0f), 1.0f); }
Rgb unit(Rgb c) { return {unit(c.r), unit(c.g), unit(c.b)}; }
Rgb not_negative(Rgb c) { return {std::max(c.r, 0.0f), std::max(c.g, 0.0f), std::max(c.b, 0.0f)}; }

bool is_smooth(const MaterialDescription& m) {
  const auto zero = [](const FloatInput& a) { return a.texture < 0 && a.factor + a.offset <= 0; };
  return zero(m.alpha_u) && zero(m.alpha_v);
}

Microfacet facets(const MaterialDescription& m, float alpha_u, float alpha_v) {
  return {m.microfacet, std::max(alpha_u, Microfacet::kMinAlpha), std::max(alpha_v, Microfacet::kMinAlpha)};
}

Microfacet facets(const MaterialDescription& m) {
  return facets(m, m.alpha_u.factor + m.alpha_u.offset, m.alpha_v.factor + m.alpha_v.offset);
}

float relative_ior(const MaterialDescription& m) {
  if (!(m.int_ior > 0) || !(m.ext_ior > 0) || !std::isfinite(m.int_ior / m.ext_ior))
    fail("material '{}': indices of refraction are {} inside and {} outside, expected positive numbers", m.name,
         m.int_ior, m.ext_ior);
  return m.int_ior / m.ext_ior;
}

float mean(const RgbInput& input, const TextureSet& textures) {
  Rgb c = input.factor;
  if (input.texture >= 0) {
    const Vec4 t = textures.mean(input.texture);
    c *= Rgb{t.x, t.y, t.z};
  }
  return (c.r + c.g + c.b) / 3;
}

DielectricModel make_dielectric(const MaterialDescription& m) {
  const float eta = relative_ior(m);
  // Between equal indices nothing is rough: light goes on as it came.
  return {unit(m.specular_reflectance.factor), unit(m.specular_transmittance.factor), eta, is_smooth(m) || eta == 1,
          facets(m)};
}

PlasticModel make_plastic(const MaterialDescription& m, const TextureSet& textures, ModelTables& tables) {
  PlasticModel p;
  p.diffuse = unit(m.base_color.factor);
  p.specular = unit(m.specular_reflectance.factor);
  p.eta = relative_ior(m);
  p.inv_eta_squared = 1 / (p.eta * p.eta);
  const float d = mean(m.base_color, textures), s = mean(m.specular_reflectance, textures);
  p.specular_weight = d + s > 0 ? s / (d + s) : 0.5f;
  p.nonlinear = m.nonlinear;
  p.smooth = is_smooth(m) || p.eta == 1;
  if (m.alpha_u.texture >= 0 || m.alpha_v.texture >= 0)
    fail("material '{}': the roughness of a plastic is textured, expected a number", m.name);
  p.facets = facets(m);
  if (p.facets.alpha_u != p.facets.alpha_v)
    fail("material '{}': a plastic has alpha_u {} and alpha_v {}, expected the same", m.name, p.facets.alpha_u,
         p.facets.alpha_v);
  p.rough = p.smooth ? nullptr : tables.rough_transmittance(m.microfacet, p.facets.alpha_u, p.eta);
  p.internal_reflectance = p.smooth ? fresnel_diffuse_reflectance(1 / p.eta) : p.rough->internal_reflectance();
  if (p.eta == 1) p.internal_reflectance = 0;
  return p;
}

float square(float v) { return v * v; }

void set_roughness(StandardModel& s, float roughness) {
  s.roughness = unit(roughness);
  s.alpha = square(s.roughness);
}

void set_coat_roughness(StandardModel& s, float roughness) {
  s.coat_roughness = unit(roughness);
  s.coat_alpha = square(s.coat_roughness);
}

void set_dielectric_specular(StandardModel& s, float ior, float weight, Rgb tint) {
  const float r = (ior - 1) / (ior + 1);
  s.f0 = unit(tint * (r * r)) * weight;
  s.f90 = weight;
  s.solid_reflectance = unit(tint * weight);
}

// After roughness and specular lobe are known.
void set_under_mean(StandardModel& s) {
  const SchlickAlbedo mean =
      s.alpha < StandardModel::kSmoothAlpha ? kSmoothMeanAlbedo : s.tables->ggx_mean(s.roughness);
  s.under_mean = std::max(1 - mean(max_component(s.f0), s.f90), 1e-6f);
}

// Every input at its factor; update_model() sets those that vary.
StandardModel make_standard(const MaterialDescription& m) {
  if (!(m.ior >= 0) || !std::isfinite(m.ior))
    fail("material '{}': index of refraction is {}, expected a positive number", m.name, m.ior);
  const auto number = [](const FloatInput& input) { return input.factor + input.offset; };
  StandardModel s;
  s.base = unit(m.base_color.factor);
  s.transmission_tint = unit(m.transmission_color.factor);
  s.sheen = unit(m.sheen_color.factor);
  s.metallic = unit(number(m.metallic));
  s.transmission = unit(number(m.transmission));
  s.ior = m.ior;
  set_dielectric_specular(s, m.ior, unit(number(m.specular)), not_negative(m.specular_color.factor));
  s.coat = unit(number(m.coat));
  s.sheen_alpha = std::max(square(unit(number(m.sheen_roughness))), kMinSheenAlpha);
  set_roughness(s, number(m.roughness));
  set_coat_roughness(s, number(m.coat_roughness));
  s.thin_walled = m.thin_walled || m.ior == 0;
  s.tables = &AlbedoTables::get();
  set_under_mean(s);
  return s;
}

void update(DiffuseModel& d, const MaterialDescription& m, const Inputs& at) { d.albedo = unit(at.base_color(m)); }

void update(ConductorModel& c, const MaterialDescription& m, const Inputs& at) {
  c.reflectance = unit(at(m.specular_reflectance));
  c.facets = facets(m, at(m.alpha_u), at(m.alpha_v));
}

void update(DielectricModel& d, const MaterialDescription& m, const Inputs& at) {
  d.reflectance = unit(at(m.specular_reflectance));
  d.transmittance = unit(at(m.specular_transmittance));
  d.facets = facets(m, at(m.alpha_u), at(m.alpha_v));
}

void update(ThinDielectricModel& d, const MaterialDescription& m, const Inputs& at) {
  d.reflectance = unit(at(m.specular_reflectance));
  d.transmittance = unit(at(m.specular_transmittance));
}

void update(PlasticModel& p, const MaterialDescription& m, const Inputs& at) {
  p.diffuse = unit(at.base_color(m));
  p.specular = unit(at(m.specular_reflectance));
}

void update(StandardModel& s, const MaterialDescription& m, const Inputs& at) {
  s.base = unit(at.base_color(m));
  if (m.transmission_color.texture >= 0) s.transmission_tint = unit(at(m.transmission_color));
  if (m.sheen_color.texture >= 0) s.sheen = unit(at(m.sheen_color));
  if (m.metallic.texture >= 0) s.metallic = unit(at(m.metallic));
  if (m.transmission.texture >= 0) s.transmission = unit(at(m.transmission));
  if (m.specular.texture >= 0 || m.specular_color.texture >= 0)
    set_dielectric_specular(s, m.ior, unit(at(m.specular)), not_negative(at(m.specular_color)));
  if (m.coat.texture >= 0) s.coat = unit(at(m.coat));
  if (m.sheen_roughness.texture >= 0)
    s.sheen_alpha = std::max(square(unit(at(m.sheen_roughness))), kMinSheenAlpha);
  if (m.roughness.texture >= 0) set_roughness(s, at(m.roughness));
  if (m.coat_roughness.texture >= 0) set_coat_roughness(s, at(m.coat_roughness));
  if (m.roughness.texture >= 0 || m.specular.texture >= 0 || m.specular_color.texture >= 0) set_under_mean(s);
}

void update(BlackModel&, const MaterialDescription&, const Inputs&) {}
void update(NullModel&, const MaterialDescription&, const Inputs&) {}

}  // namespace

const RoughTransmittance* ModelTables::rough_transmittance(MicrofacetKind kind, float alpha, float eta) {
  const auto key = std::make_tuple(kind, alpha, eta);
  auto found = rough_transmittance_.find(key);
  if (found == rough_transmittance_.end())
    found = rough_transmittance_.emplace(key, RoughTransmittance(kind, alpha, eta)).first;
  return &found->second;
}

BsdfModel make_model(const MaterialDescription& m, const TextureSet& textures, ModelTables& tables) {
  if (m.unlit) return BlackModel{};
  switch (m.kind) {
    case MaterialKind::standard: return make_standard(m);
    case MaterialKind::diffuse: return DiffuseModel{unit(m.base_color.factor)};
    case MaterialKind::conductor:
      return ConductorModel{m.eta, m.k, unit(m.specular_reflectance.factor), is_smooth(m), facets(m)};
    case MaterialKind::dielectric: return make_dielectric(m);
    case MaterialKind::thin_dielectric:
      return ThinDielectricModel{unit(m.specular_reflectance.factor), unit(m.specular_transmittance.factor),
                                 relative_ior(m)};
    case MaterialKind::plastic: return make_plastic(m, textures, tables);
    case MaterialKind::null: return NullModel{};
    case MaterialKind::blend: break;
  }
  return BlackModel{};
}

bool model_varies(const MaterialDescription& m) {
  const auto textured = [](const auto&... inputs) { return ((inputs.texture >= 0) || ...); };
  const bool base = m.use_vertex_color || textured(m.base_color);
  switch (m.kind) {
    case MaterialKind::diffuse: return base;
    case MaterialKind::plastic: return base || textured(m.specular_reflectance);
    case MaterialKind::conductor: return textured(m.specular_reflectance, m.alpha_u, m.alpha_v);
    case MaterialKind::dielectric:
      return textured(m.specular_reflectance, m.specular_transmittance, m.alpha_u, m.alpha_v);
    case MaterialKind::thin_dielectric: return textured(m.specular_reflectance, m.specular_transmittance);
    case MaterialKind::standard:
      return base || textured(m.metallic, m.roughness, m.specular, m.specular_color, m.transmission,
                              m.transmission_color, m.coat, m.coat_roughness, m.sheen_color, m.sheen_roughness);
    case MaterialKind::blend:
    case MaterialKind::null: break;
  }
  return false;
}

void update_model(BsdfModel& model, const MaterialDescription& m, const Inputs& at) {
  std::visit([&](auto& part) { update(part, m, at); }, model);
}

}  // namespace simulacra
