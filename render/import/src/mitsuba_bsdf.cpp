// SPDX-License-Identifier: Apache-2.0
// Scattering models. Each plugin is one MaterialDescription; adapters (twosided, mask, bumpmap, …) are
// copies of what they wrap with one property changed.
#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "render/import/src/mitsuba.h"

namespace simulacra::mitsuba {
namespace {

using Import = MaterialDescription (*)(Context&, Element&);

double ior(Element& bsdf, std::string_view name, std::string_view otherwise) {
  const Property* p = find(bsdf, name);
  if (p == nullptr) return *dielectric_ior(otherwise);
  double value = 0;
  if (const auto* named = std::get_if<std::string>(&p->value)) {
    const auto known = dielectric_ior(*named);
    if (!known)
      fail_usage("{}: {} = '{}', expected a number or one of {}", describe(bsdf), p->written, *named, dielectric_names());
    value = *known;
  } else {
    value = number(bsdf, name, 1);
  }
  if (!(value > 0)) fail_usage("{}: {} = {:g}, expected more than 0", describe(bsdf), p->written, value);
  return value;
}

MaterialDescription base(MaterialKind kind) {
  MaterialDescription m;
  m.kind = kind;
  m.two_sided = false;
  return m;
}

void read_roughness(Context& context, Element& bsdf, MaterialDescription& m) {
  const std::string distribution = text(bsdf, "distribution", "beckmann");
  if (distribution == "ggx") {
    m.microfacet = MicrofacetKind::ggx;
  } else if (distribution == "beckmann") {
    m.microfacet = MicrofacetKind::beckmann;
  } else if (distribution == "as" || distribution == "phong") {
    m.microfacet = MicrofacetKind::beckmann;
    context.warn(bsdf, "distribution", fmt::format("'{}' is not supported; beckmann instead", distribution));
  } else {
    fail_usage("{}: distribution = '{}', expected beckmann or ggx", describe(bsdf), distribution);
  }
  m.sample_visible = boolean(bsdf, "sample_visible", true);
  m.alpha_u = m.alpha_v = float_input(context, bsdf, "alpha", 0.1);
  if (has(bsdf, "alpha_u") || child(bsdf, "texture", "alpha_u") != nullptr)
    m.alpha_u = float_input(context, bsdf, "alpha_u", 0.1);
  if (has(bsdf, "alpha_v") || child(bsdf, "texture", "alpha_v") != nullptr)
    m.alpha_v = float_input(context, bsdf, "alpha_v", 0.1);
  // Mitsuba's rough models have no smooth limit: alpha is at least 1e-4.
  for (FloatInput* alpha : {&m.alpha_u, &m.alpha_v})
    if (alpha->texture < 0) alpha->factor = std::max(alpha->factor, 1e-4f);
}

MaterialDescription diffuse(Context& context, Element& bsdf) {
  MaterialDescription m = base(MaterialKind::diffuse);
  m.base_color = rgb_input(context, bsdf, "reflectance", Rgb{0.5f}, Quantity::reflectance);
  if (bsdf.type == "diffuse" && bsdf.legacy && has(bsdf, "diffuse_reflectance"))
    m.base_color = rgb_input(context, bsdf, "diffuse_reflectance", Rgb{0.5f}, Quantity::reflectance);
  if (bsdf.type == "roughdiffuse") {
    context.warn(bsdf, "roughdiffuse", "not supported; diffuse instead");
    ignore(bsdf, {"alpha", "use_fast_approx"});
  }
  return m;
}

MaterialDescription conductor(Context& context, Element& bsdf) {
  MaterialDescription m = base(MaterialKind::conductor);
  const bool given = has(bsdf, "eta") || has(bsdf, "k");
  const std::string name = text(bsdf, "material", given ? "none" : bsdf.legacy ? "Cu" : "none");
  const auto known = conductor_ior(name);
  if (!known)
    fail_usage("{}: material = '{}', expected one of {}", describe(bsdf), name, conductor_names());
  m.eta = color(bsdf, "eta", known->eta, Quantity::reflectance, context.diagnostics);
  m.k = color(bsdf, "k", known->k, Quantity::reflectance, context.diagnostics);
  if (has(bsdf, "ext_eta")) {
    const auto outside = static_cast<float>(ior(bsdf, "ext_eta", "air"));
    m.eta = m.eta / outside;
    m.k = m.k / outside;
  }
  m.specular_reflectance = rgb_input(context, bsdf, "specular_reflectance", Rgb{1.0f}, Quantity::reflectance);
  if (bsdf.type == "roughconductor") read_roughness(context, bsdf, m);
  return m;
}

MaterialDescription dielectric(Context& context, Element& bsdf) {
  const bool thin = bsdf.type == "thindielectric";
  MaterialDescription m = base(thin ? MaterialKind::thin_dielectric : MaterialKind::dielectric);
  m.int_ior = static_cast<float>(ior(bsdf, "int_ior", "bk7"));
  m.ext_ior = static_cast<float>(ior(bsdf, "ext_ior", "air"));
  m.specular_reflectance = rgb_input(context, bsdf, "specular_reflectance", Rgb{1.0f}, Quantity::reflectance);
  m.specular_transmittance = rgb_input(context, bsdf, "specular_transmittance", Rgb{1.0f}, Quantity::reflectance);
  if (bsdf.type == "roughdielectric") read_roughness(context, bsdf, m);
  return m;
}

MaterialDescription plastic(Context& context, Element& bsdf) {
  MaterialDescription m = base(MaterialKind::plastic);
  m.int_ior = static_cast<float>(ior(bsdf, "int_ior", "polypropylene"));
  m.ext_ior = static_cast<float>(ior(bsdf, "ext_ior", "air"));
  m.base_color = rgb_input(context, bsdf, "diffuse_reflectance", Rgb{0.5f}, Quantity::reflectance);
  m.specular_reflectance = rgb_input(context, bsdf, "specular_reflectance", Rgb{1.0f}, Quantity::reflectance);
  m.nonlinear = boolean(bsdf, "nonlinear", false);
  if (bsdf.type == "roughplastic") read_roughness(context, bsdf, m);
  return m;
}

MaterialDescription null_bsdf(Context&, Element&) { return base(MaterialKind::null); }

/// Parameters of Disney's model that our stack lacks.
void drop_principled(Context& context, Element& bsdf) {
  for (const std::string_view name : {"anisotropic", "spec_tint", "sheen_tint", "flatness", "diff_trans"}) {
    const FloatInput value = float_input(context, bsdf, name, 0);
    if (value.factor != 0 || value.texture >= 0)
      context.warn(bsdf, std::string(name), "has no counterpart in the standard material; left out");
  }
  ignore(bsdf, {"diffuse_reflectance_sampling_rate", "main_specular_sampling_rate", "clearcoat_sampling_rate",
                "spec_trans_sampling_rate", "diff_trans_sampling_rate", "spec_reflect_sampling_rate"});
}

MaterialDescription principled(Context& context, Element& bsdf) {
  MaterialDescription m = base(MaterialKind::standard);
  m.base_color = rgb_input(context, bsdf, "base_color", Rgb{0.5f}, Quantity::reflectance);
  m.roughness = float_input(context, bsdf, "roughness", 0.5);
  m.metallic = float_input(context, bsdf, "metallic", 0);
  m.transmission = float_input(context, bsdf, "spec_trans", 0);
  m.thin_walled = bsdf.type == "principledthin";
  // Disney: specular 0.5 is a reflectance of 4 % at normal incidence, an index of 1.5.
  const double f0 = 0.08 * std::clamp(number(bsdf, "specular", 0.5), 0.0, 1.0);
  m.ior = static_cast<float>(has(bsdf, "eta") ? ior(bsdf, "eta", "bk7") : 2 / (1 - std::sqrt(f0)) - 1);
  m.coat = float_input(context, bsdf, "clearcoat", 0);
  m.coat.factor *= 0.25f;  // Disney's clearcoat lobe has a quarter of the strength
  const double gloss = std::clamp(number(bsdf, "clearcoat_gloss", 0), 0.0, 1.0);
  m.coat_roughness.factor = static_cast<float>(std::sqrt(0.1 + (0.001 - 0.1) * gloss));
  const FloatInput sheen = float_input(context, bsdf, "sheen", 0);
  m.sheen_color = {Rgb{sheen.factor}, sheen.texture};
  drop_principled(context, bsdf);
  m.two_sided = m.transmission.factor > 0 || m.transmission.texture >= 0;
  context.warn(bsdf, bsdf.type, "rendered with the standard material, which is similar but not the same");
  return m;
}

const std::map<std::string_view, Import> kPlain = {
    {"diffuse", diffuse},           {"roughdiffuse", diffuse},     {"conductor", conductor},
    {"roughconductor", conductor},  {"dielectric", dielectric},    {"roughdielectric", dielectric},
    {"thindielectric", dielectric}, {"plastic", plastic},          {"roughplastic", plastic},
    {"principled", principled},     {"principledthin", principled}, {"null", null_bsdf},
};

int add(Context& context, MaterialDescription m, const std::string& name) {
  m.name = name;
  context.scene.materials.push_back(std::move(m));
  return static_cast<int>(context.scene.materials.size()) - 1;
}

const MaterialDescription& at(const Context& context, int material) {
  return context.scene.materials[static_cast<std::size_t>(material)];
}

/// The wrapped materials of an adapter, between `least` and `most` of them.
std::vector<int> wrapped(Context& context, Element& bsdf, const std::string& name, std::size_t least, std::size_t most) {
  std::vector<int> materials;
  for (Element* nested : children(bsdf, "bsdf"))
    materials.push_back(import_bsdf(context, *nested, fmt::format("{} part {}", name, materials.size() + 1)));
  if (materials.size() < least || materials.size() > most)
    fail_usage("{}: {} nested bsdfs, expected {}", describe(bsdf), materials.size(),
               least == most ? std::to_string(least) : fmt::format("{} or {}", least, most));
  return materials;
}

MaterialDescription two_sided(Context& context, Element& bsdf, const std::string& name) {
  const std::vector<int> parts = wrapped(context, bsdf, name, 1, 2);
  MaterialDescription m = at(context, parts[0]);
  m.two_sided = true;
  if (parts.size() == 2) m.back_material = parts[1];
  return m;
}

FloatInput times(Context& context, Element& bsdf, FloatInput a, FloatInput b) {
  if (a.texture >= 0 && b.texture >= 0) {
    context.warn(bsdf, "opacity", "two textured masks on one surface are not supported; the outer one counts");
    return a;
  }
  if (a.texture < 0) std::swap(a, b);
  const float constant = b.factor + b.offset;
  a.factor *= constant;
  a.offset *= constant;
  return a;
}

MaterialDescription mask(Context& context, Element& bsdf, const std::string& name) {
  MaterialDescription m = at(context, wrapped(context, bsdf, name, 1, 1)[0]);
  m.opacity = times(context, bsdf, float_input(context, bsdf, "opacity", 0.5), m.opacity);
  return m;
}

/// The texture of bumpmap and normalmap: under its name in 3.x, under any in 0.x.
Element& relief_texture(Element& bsdf, std::string_view name) {
  Element* texture = child(bsdf, "texture", name);
  if (texture == nullptr) texture = child(bsdf, "texture");
  if (texture == nullptr) fail_usage("{}: no nested texture", describe(bsdf));
  return *texture;
}

MaterialDescription bump(Context& context, Element& bsdf, const std::string& name) {
  MaterialDescription m = at(context, wrapped(context, bsdf, name, 1, 1)[0]);
  const TextureUse use = import_texture(context, relief_texture(bsdf, "map"));
  m.bump_texture = use.texture;
  m.bump_scale = static_cast<float>(number(bsdf, "scale", 1)) * luminance(use.factor);
  return m;
}

MaterialDescription normal_map(Context& context, Element& bsdf, const std::string& name) {
  MaterialDescription m = at(context, wrapped(context, bsdf, name, 1, 1)[0]);
  m.normal_texture = import_texture(context, relief_texture(bsdf, "normalmap")).texture;
  return m;
}

MaterialDescription blend(Context& context, Element& bsdf, const std::string& name) {
  const std::vector<int> parts = wrapped(context, bsdf, name, 2, 2);
  MaterialDescription m = base(MaterialKind::blend);
  m.blend_a = parts[0];
  m.blend_b = parts[1];
  m.blend_weight = float_input(context, bsdf, "weight", 0.5);
  return m;
}

using ImportAdapter = MaterialDescription (*)(Context&, Element&, const std::string&);
const std::map<std::string_view, ImportAdapter> kAdapters = {
    {"twosided", two_sided}, {"two_sided", two_sided}, {"mask", mask},   {"bumpmap", bump}, {"bump", bump},
    {"normalmap", normal_map}, {"blendbsdf", blend},   {"blend", blend},
};

MaterialDescription unsupported(Context& context, Element& bsdf) {
  context.warn(bsdf, bsdf.type, "bsdf not supported; a gray diffuse of 0.5 instead");
  for (auto& [name, property] : bsdf.properties) property.used = true;
  for (Child& c : bsdf.children) c.used = true;
  MaterialDescription m = base(MaterialKind::diffuse);
  m.base_color.factor = Rgb{0.5f};
  return m;
}

}  // namespace

OpenElement::OpenElement(Context& context, const Element& element) : context_(context), element_(&element) {
  if (context.open.contains(element_)) fail_usage("{}: contains itself", describe(element));
  if (context.open.size() >= 64) fail_usage("{}: references nest deeper than 64", describe(element));
  context.open.insert(element_);
}

int import_bsdf(Context& context, Element& bsdf, const std::string& fallback_name) {
  bsdf.visited = true;
  const auto known = context.materials.find(&bsdf);
  if (known != context.materials.end()) return known->second;
  const OpenElement open(context, bsdf);
  const std::string name = bsdf.id.empty() ? fallback_name : bsdf.id;
  int material = -1;
  if (const auto plain = kPlain.find(bsdf.type); plain != kPlain.end()) {
    material = add(context, plain->second(context, bsdf), name);
  } else if (const auto adapter = kAdapters.find(bsdf.type); adapter != kAdapters.end()) {
    material = add(context, adapter->second(context, bsdf, name), name);
  } else {
    material = add(context, unsupported(context, bsdf), name);
  }
  context.materials.emplace(&bsdf, material);
  return material;
}

int default_bsdf(Context& context) {
  if (context.default_material >= 0) return context.default_material;
  MaterialDescription m = base(MaterialKind::diffuse);
  m.base_color.factor = Rgb{0.5f};
  return context.default_material = add(context, m, "default");
}

int emitter_material(Context& context, int material, Element& emitter, const std::string& shape_name) {
  MaterialDescription m = at(context, material);
  m.emission = rgb_input(context, emitter, "radiance", Rgb{1.0f}, Quantity::emission);
  m.emission_two_sided = false;
  ignore(emitter, {"sampling_weight"});
  const std::string name = fmt::format("{} emitter of {}", m.name, shape_name);
  return add(context, std::move(m), name);
}

}  // namespace simulacra::mitsuba
