// SPDX-License-Identifier: Apache-2.0
// The stack of StandardModel. Every layer dims what lies below by the light that it keeps for itself:
//  - sheen and coat dim their base by min(1 - E(wo), 1 - E(wi)), where E is the layer's directional albedo.
//    That is reciprocal, and no more than 1 - E(wo) can leave through the base.
//  - the dielectric specular lobe couples to the diffuse base by (1 - E(wo))(1 - E(wi)) / (1 - E_mean)
//    (Kelemen & Szirmay-Kalos 2001), which loses nothing at all for a white base.
// Metal and dielectric share the microfacets; Fresnel terms are Schlick's.
#include "render/material/bsdf_models.h"
#include "render/material/fresnel.h"
#include "render/material/src/albedo_tables.h"
#include "render/material/src/hemisphere.h"
#include "render/sampling/warp.h"

namespace simulacra {
namespace {

constexpr float kCoatF0 = 0.04f;  // a varnish of index 1.5

bool smooth_specular(const StandardModel& m) { return m.alpha < StandardModel::kSmoothAlpha; }
bool smooth_coat(const StandardModel& m) { return m.coat_alpha < StandardModel::kSmoothAlpha; }
bool solid(const StandardModel& m) { return !m.thin_walled && m.transmission > 0; }
// Seen from within solid glass there is neither coat nor sheen.
bool inside(const StandardModel& m, Vec3 wo) { return wo.z < 0 && solid(m); }

Microfacet facets_of(float alpha) { return {MicrofacetKind::ggx, alpha, alpha}; }

DielectricModel glass_of(const StandardModel& m) {
  return {m.solid_reflectance, m.transmission_tint, m.ior, smooth_specular(m) || m.ior == 1, facets_of(m.alpha)};
}

float weight_of_opaque_dielectric(const StandardModel& m) {
  return (1 - m.metallic) * (solid(m) ? 1 - m.transmission : 1);
}

SchlickAlbedo specular_albedo(const StandardModel& m, float cos_o) {
  return smooth_specular(m) ? smooth_albedo(cos_o) : m.tables->ggx(cos_o, m.roughness);
}

// What the dielectric specular lobe keeps of its strongest band.
float dielectric_albedo(const StandardModel& m, SchlickAlbedo a) { return a(max_component(m.f0), m.f90); }

float coat_albedo(const StandardModel& m, float cos_o) {
  const SchlickAlbedo a = smooth_coat(m) ? smooth_albedo(cos_o) : m.tables->ggx(cos_o, m.coat_roughness);
  return m.coat * a(kCoatF0, 1);
}

float sheen_raw(const StandardModel& m, float cos_o) {
  return is_black(m.sheen) ? 0 : m.tables->sheen(cos_o, m.sheen_alpha);
}

// Everything about the stack that depends on wo only. `z` is |cos(theta_o)|.
struct View {
  bool inside;
  float sheen_raw;                 ///< directional albedo of the sheen of color 1
  float under_sheen, under_coat;   ///< share that the layer leaves to its base
  SchlickAlbedo specular;
  float under_specular;
  float p_sheen, p_coat, p_specular, p_diffuse, p_through;  ///< lobe probabilities; sum 1
};

float leave_under_sheen(const StandardModel& m, float raw) {
  return 1 - max_component(m.sheen) * std::min(raw, 1.0f);
}

View view_from(const StandardModel& m, Vec3 wo) {
  View v;
  const float z = std::abs(wo.z);
  v.inside = inside(m, wo);
  v.sheen_raw = v.inside ? 0 : sheen_raw(m, z);
  v.under_sheen = leave_under_sheen(m, v.sheen_raw);
  const float coat = v.inside || m.coat == 0 ? 0 : coat_albedo(m, z);
  v.under_coat = 1 - coat;
  v.specular = specular_albedo(m, z);
  v.under_specular = 1 - dielectric_albedo(m, v.specular);

  const float opaque = weight_of_opaque_dielectric(m), below = v.under_sheen * v.under_coat;
  const float through = (1 - m.metallic) * m.transmission;
  v.p_sheen = 1 - v.under_sheen;
  v.p_coat = v.under_sheen * coat;
  v.p_specular = below * (m.metallic * v.specular(luminance(m.base), 1) + opaque * v.specular(luminance(m.f0), m.f90));
  v.p_diffuse = below * (1 - m.metallic) * (1 - m.transmission) * v.under_specular * luminance(m.base);
  v.p_through = below * through * (m.thin_walled ? v.under_specular * luminance(m.transmission_tint) : 1.0f);
  const float sum = v.p_sheen + v.p_coat + v.p_specular + v.p_diffuse + v.p_through;
  if (sum > 0) {
    const float norm = 1 / sum;
    v.p_sheen *= norm, v.p_coat *= norm, v.p_specular *= norm, v.p_diffuse *= norm, v.p_through *= norm;
  } else {
    v.p_specular = 1;
  }
  return v;
}

// Share of light between wo and wi that gets past sheen and coat.
float past_top(const StandardModel& m, const View& v, Vec3 wi) {
  if (m.coat == 0 && is_black(m.sheen)) return 1;
  const bool wi_inside = inside(m, wi);
  const float z = std::abs(wi.z);
  const float sheen_i = wi_inside ? 1 : leave_under_sheen(m, sheen_raw(m, z));
  const float coat_i = wi_inside || m.coat == 0 ? 1 : 1 - coat_albedo(m, z);
  return std::min(v.under_sheen, sheen_i) * std::min(v.under_coat, coat_i);
}

void add_sheen(const StandardModel& m, const View& v, Vec3 wo, Vec3 wi, BsdfEval& e) {
  if (v.inside || is_black(m.sheen)) return;
  const float limit = std::max({1.0f, v.sheen_raw, sheen_raw(m, wi.z)});
  e.total += m.sheen * (sheen_lobe(wo, wi, m.sheen_alpha) / limit);
  e.pdf += v.p_sheen * 0.5f * kInvPi;
}

// Two GGX lobes over the same half vector.
void add_coat(const StandardModel& m, const View& v, Vec3 wo, Vec3 wi, Vec3 h, BsdfEval& e) {
  if (v.inside || m.coat == 0 || smooth_coat(m)) return;
  const Microfacet facets = facets_of(m.coat_alpha);
  const float seen = facets.density(h) * facets.masking(wo, h) / (4 * wo.z);
  const float f = kCoatF0 + (1 - kCoatF0) * schlick_weight(dot(wo, h));
  const float sheen_i = leave_under_sheen(m, sheen_raw(m, wi.z));
  e.total += Rgb{m.coat * f * seen * facets.masking(wi, h) * std::min(v.under_sheen, sheen_i)};
  e.pdf += v.p_coat * seen;
}

Rgb specular_fresnel(const StandardModel& m, float cos_h) {
  const float grazing = schlick_weight(cos_h), opaque = weight_of_opaque_dielectric(m);
  const Rgb metal = m.base * (1 - grazing) + Rgb{grazing};
  const Rgb dielectric = m.f0 * (1 - grazing) + Rgb{m.f90 * grazing};
  return metal * m.metallic + dielectric * opaque;
}

void add_specular(const StandardModel& m, const View& v, Vec3 wo, Vec3 wi, Vec3 h, float top, BsdfEval& e) {
  if (smooth_specular(m)) return;
  const Microfacet facets = facets_of(m.alpha);
  const float seen = facets.density(h) * facets.masking(wo, h) / (4 * wo.z);
  e.total += specular_fresnel(m, dot(wo, h)) * (top * seen * facets.masking(wi, h));
  e.pdf += v.p_specular * seen;
}

void add_diffuse(const StandardModel& m, const View& v, Vec3 wi, float top, BsdfEval& e) {
  const Rgb albedo = diffuse_albedo(m);
  if (is_black(albedo)) return;
  const float under_i = 1 - dielectric_albedo(m, specular_albedo(m, wi.z));
  const float coupling = v.under_specular * under_i / m.under_mean;
  const float cosine_pdf = wi.z * kInvPi;
  e.diffuse = albedo * (cosine_pdf * coupling * top);
  e.total += e.diffuse;
  e.pdf += v.p_diffuse * cosine_pdf;
}

// Rough thin wall: the reflection lobe, mirrored to the other side. wo.z > 0 > wi.z.
void add_rough_wall(const StandardModel& m, const View& v, Vec3 wo, Vec3 wi, float top, BsdfEval& e) {
  if (smooth_specular(m)) return;
  const Vec3 mirrored = turn_over(wi), h = normalize(wo + mirrored);
  const Microfacet facets = facets_of(m.alpha);
  const float seen = facets.density(h) * facets.masking(wo, h) / (4 * wo.z);
  const float under_i = 1 - dielectric_albedo(m, specular_albedo(m, mirrored.z));
  const float through = (1 - m.metallic) * m.transmission * std::min(v.under_specular, under_i);
  e.total += m.transmission_tint * (through * top * seen * facets.masking(mirrored, h));
  e.pdf += v.p_through * seen;
}

BsdfEval eval_with(const StandardModel& m, const View& v, Vec3 wo, Vec3 wi) {
  BsdfEval e;
  if (wo.z == 0 || wi.z == 0) return e;
  const float top = past_top(m, v, wi);
  // Turned over, so that wo is above; the lobes of the opaque part are the same on both sides.
  const Vec3 o = wo.z > 0 ? wo : turn_over(wo), i = wo.z > 0 ? wi : turn_over(wi);
  if (i.z > 0) {
    const Vec3 h = normalize(o + i);
    add_sheen(m, v, o, i, e);
    add_coat(m, v, o, i, h, e);
    add_specular(m, v, o, i, h, top, e);
    add_diffuse(m, v, i, top, e);
  } else if (m.thin_walled && m.transmission > 0) {
    add_rough_wall(m, v, o, i, top, e);
  }
  if (solid(m) && !smooth_specular(m)) {
    const BsdfEval glass = eval(glass_of(m), wo, wi);
    e.total += glass.total * ((1 - m.metallic) * m.transmission * top);
    e.pdf += v.p_through * glass.pdf;
  }
  return e;
}

BsdfSample delta_sample(Vec3 wi, Rgb value, float probability) {
  BsdfSample s;
  s.wi = wi;
  s.weight = value / probability;
  s.pdf = probability;
  s.delta = true;
  return s;
}

// Straight through a smooth thin wall: the share that passes all layers.
Rgb wall_transmittance(const StandardModel& m, const View& v) {
  const float through = (1 - m.metallic) * m.transmission * v.under_specular;
  return m.transmission_tint * (through * v.under_sheen * v.under_coat);
}

// The lobe that u_lobe picks; u_lobe is stretched to the lobe's own [0, 1).
enum class Lobe { sheen, coat, specular, diffuse, through };
Lobe pick(const View& v, float& u_lobe) {
  const float p[] = {v.p_sheen, v.p_coat, v.p_specular, v.p_diffuse, v.p_through};
  int last = 0;
  for (int i = 0; i < 5; ++i) {
    if (p[i] <= 0) continue;
    last = i;
    if (u_lobe < p[i]) {
      u_lobe /= p[i];
      return static_cast<Lobe>(i);
    }
    u_lobe -= p[i];
  }
  u_lobe = 0.5f;  // rounding left a rest beyond the last lobe
  return static_cast<Lobe>(last);
}

std::optional<BsdfSample> sample_through(const StandardModel& m, const View& v, Vec3 wo, float u_lobe, Vec2 u) {
  if (m.thin_walled) {
    if (smooth_specular(m)) {
      BsdfSample s = delta_sample(-wo, wall_transmittance(m, v), v.p_through);
      s.straight = true;
      return s;
    }
    const Vec3 o = wo.z > 0 ? wo : turn_over(wo);
    const Vec3 i = reflect(o, facets_of(m.alpha).sample_visible(o, u));
    if (i.z <= 0) return std::nullopt;
    BsdfSample s;
    s.wi = wo.z > 0 ? turn_over(i) : i;
    return s;
  }
  std::optional<BsdfSample> s = sample(glass_of(m), wo, u_lobe, u);
  if (!s || !s->delta) return s;
  const float weight = (1 - m.metallic) * m.transmission * past_top(m, v, s->wi) / v.p_through;
  s->weight *= weight;
  s->pdf *= v.p_through;
  return s;
}

// A direction of the chosen lobe; delta lobes come with weight and pdf.
std::optional<BsdfSample> sample_lobe(const StandardModel& m, const View& v, Vec3 wo, Lobe lobe, float u_lobe, Vec2 u) {
  const bool above = wo.z > 0;
  const Vec3 o = above ? wo : turn_over(wo);
  BsdfSample s;
  Vec3 i;
  switch (lobe) {
    case Lobe::sheen:
      i = sample_uniform_hemisphere(u);
      break;
    case Lobe::diffuse:
      i = cosine_hemisphere_from_square(u);
      break;
    case Lobe::coat:
      if (smooth_coat(m)) {
        const Rgb value{m.coat * (kCoatF0 + (1 - kCoatF0) * schlick_weight(o.z)) * v.under_sheen};
        return delta_sample(reflect(wo), value, v.p_coat);
      }
      i = reflect(o, facets_of(m.coat_alpha).sample_visible(o, u));
      break;
    case Lobe::specular:
      if (smooth_specular(m))
        return delta_sample(reflect(wo), specular_fresnel(m, o.z) * (v.under_sheen * v.under_coat), v.p_specular);
      i = reflect(o, facets_of(m.alpha).sample_visible(o, u));
      break;
    case Lobe::through:
      return sample_through(m, v, wo, u_lobe, u);
  }
  if (i.z <= 0) return std::nullopt;
  s.wi = above ? i : turn_over(i);
  return s;
}

}  // namespace

BsdfEval eval(const StandardModel& m, Vec3 wo, Vec3 wi) { return eval_with(m, view_from(m, wo), wo, wi); }

std::optional<BsdfSample> sample(const StandardModel& m, Vec3 wo, float u_lobe, Vec2 u) {
  if (wo.z == 0) return std::nullopt;
  const View v = view_from(m, wo);
  const Lobe lobe = pick(v, u_lobe);
  std::optional<BsdfSample> s = sample_lobe(m, v, wo, lobe, u_lobe, u);
  if (!s || s->delta) return s;
  const BsdfEval e = eval_with(m, v, wo, s->wi);
  if (!(e.pdf > 0)) return std::nullopt;
  s->pdf = e.pdf;
  s->weight = e.total / e.pdf;
  s->diffuse_weight = e.diffuse / e.pdf;
  return s;
}

Rgb diffuse_albedo(const StandardModel& m) { return m.base * ((1 - m.metallic) * (1 - m.transmission)); }

Rgb straight_transmittance(const StandardModel& m, Vec3 wo) {
  if (!m.thin_walled || m.transmission == 0 || !smooth_specular(m)) return Rgb{};
  return wall_transmittance(m, view_from(m, wo));
}

bool has_smooth_lobe(const StandardModel& m) {
  return !is_black(m.sheen) || !is_black(diffuse_albedo(m)) || (m.coat > 0 && !smooth_coat(m)) || !smooth_specular(m);
}

}  // namespace simulacra
