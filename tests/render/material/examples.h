// SPDX-License-Identifier: Apache-2.0
// The registry of materials that every test of scattering loops over.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "render/base/error.h"
#include "render/material/material.h"

namespace simulacra::test {

struct BsdfExample {
  std::string name;
  MaterialDescription material;
  bool passes = false;      ///< scatters to the other side as well
  bool lossless = false;    ///< reflects or transmits all light
  bool from_behind = true;  ///< not black from behind
  float inside_ior = 1;     ///< relative to the outside, where the other side is another medium
};

namespace detail {

inline FloatInput number(float v) { return {v, -1, 0, 0.0f}; }
inline RgbInput color(float r, float g, float b) { return {{r, g, b}, -1}; }

inline MaterialDescription of(MaterialKind kind) {
  MaterialDescription m;
  m.kind = kind;
  return m;
}

inline MaterialDescription diffuse(Rgb albedo) {
  MaterialDescription m = of(MaterialKind::diffuse);
  m.base_color.factor = albedo;
  return m;
}

inline MaterialDescription gold(MicrofacetKind kind, float alpha_u, float alpha_v) {
  MaterialDescription m = of(MaterialKind::conductor);
  m.eta = {0.143f, 0.3753f, 1.442f};
  m.k = {3.983f, 2.3856f, 1.6034f};
  m.microfacet = kind;
  m.alpha_u = number(alpha_u);
  m.alpha_v = number(alpha_v);
  return m;
}

inline MaterialDescription dielectric(MicrofacetKind kind, float alpha) {
  MaterialDescription m = of(MaterialKind::dielectric);
  m.microfacet = kind;
  m.alpha_u = m.alpha_v = number(alpha);
  return m;
}

inline MaterialDescription tinted(MaterialDescription m) {
  m.specular_reflectance = color(0.9f, 0.5f, 0.3f);
  m.specular_transmittance = color(0.4f, 0.6f, 0.8f);
  return m;
}

inline MaterialDescription plastic(Rgb albedo, MicrofacetKind kind, float alpha) {
  MaterialDescription m = of(MaterialKind::plastic);
  m.base_color.factor = albedo;
  m.int_ior = 1.49f;
  m.microfacet = kind;
  m.alpha_u = m.alpha_v = number(alpha);
  return m;
}

inline MaterialDescription standard(Rgb base, float roughness, float metallic = 0) {
  MaterialDescription m = of(MaterialKind::standard);
  m.base_color.factor = base;
  m.roughness = number(roughness);
  m.metallic = number(metallic);
  return m;
}

inline std::vector<BsdfExample> textbook_examples() {
  constexpr auto ggx = MicrofacetKind::ggx, beckmann = MicrofacetKind::beckmann;
  const Rgb red{0.5f, 0.1f, 0.1f}, green{0.1f, 0.4f, 0.15f};
  std::vector<BsdfExample> list;
  list.push_back({"diffuse", diffuse({0.2f, 0.5f, 0.7f})});
  list.push_back({"diffuse_white", diffuse(Rgb{1}), false, true});
  BsdfExample one_sided{"diffuse_one_sided", diffuse(red), false, false, false};
  one_sided.material.two_sided = false;
  list.push_back(one_sided);
  BsdfExample smooth_gold{"conductor_smooth", gold(ggx, 0, 0)};
  smooth_gold.material.specular_reflectance = color(0.9f, 0.8f, 0.7f);
  list.push_back(smooth_gold);
  list.push_back({"conductor_ggx", gold(ggx, 0.25f, 0.25f)});
  list.push_back({"conductor_beckmann", gold(beckmann, 0.1f, 0.1f)});
  list.push_back({"conductor_anisotropic", gold(ggx, 0.1f, 0.4f)});
  list.push_back({"conductor_anisotropic_beckmann", gold(beckmann, 0.4f, 0.15f)});
  BsdfExample mirror{"mirror_rough", gold(ggx, 0.5f, 0.5f)};
  mirror.material.eta = Rgb{0}, mirror.material.k = Rgb{1};
  list.push_back(mirror);
  list.push_back({"dielectric_smooth", dielectric(ggx, 0), true, true});
  BsdfExample water{"dielectric_tinted", tinted(dielectric(ggx, 0)), true};
  water.material.int_ior = 1.33f, water.material.ext_ior = 1.0f;
  list.push_back(water);
  list.push_back({"dielectric_ggx", dielectric(ggx, 0.3f), true});
  BsdfExample frosted{"dielectric_beckmann", tinted(dielectric(beckmann, 0.2f)), true};
  frosted.material.int_ior = 1.33f;
  list.push_back(frosted);
  BsdfExample pane{"thin_dielectric", of(MaterialKind::thin_dielectric), true};
  pane.material.specular_transmittance = color(0.7f, 0.8f, 0.9f);
  list.push_back(pane);
  list.push_back({"plastic_smooth", plastic(green, beckmann, 0)});
  BsdfExample lacquer{"plastic_nonlinear", plastic(red, beckmann, 0)};
  lacquer.material.nonlinear = true, lacquer.material.int_ior = 1.9f;
  list.push_back(lacquer);
  list.push_back({"plastic_beckmann", plastic(green, beckmann, 0.15f)});
  BsdfExample shell{"plastic_ggx", plastic(red, ggx, 0.3f)};
  shell.material.nonlinear = true, shell.material.int_ior = 1.7f;
  shell.material.specular_reflectance = color(0.9f, 0.8f, 0.7f);
  list.push_back(shell);
  list.push_back({"null", of(MaterialKind::null), true, true});
  return list;
}

inline void append_standard_examples(std::vector<BsdfExample>& list) {
  const Rgb wood{0.6f, 0.4f, 0.2f};
  list.push_back({"standard", standard(wood, 0.5f)});
  list.push_back({"standard_white", standard(Rgb{1}, 0.4f)});
  list.push_back({"standard_polished", standard(wood, 0)});
  list.push_back({"standard_metal", standard({1.0f, 0.8f, 0.3f}, 0.3f, 1)});
  list.push_back({"standard_half_metal", standard(wood, 0.6f, 0.5f)});
  BsdfExample varnish{"standard_coat", standard(wood, 0.7f)};
  varnish.material.coat = number(1);
  list.push_back(varnish);
  BsdfExample rough_varnish{"standard_rough_coat", standard(Rgb{1}, 0.7f)};
  rough_varnish.material.coat = number(0.8f), rough_varnish.material.coat_roughness = number(0.3f);
  list.push_back(rough_varnish);
  BsdfExample velvet{"standard_sheen", standard({0.3f, 0.05f, 0.1f}, 0.9f)};
  velvet.material.sheen_color = color(0.9f, 0.6f, 0.6f), velvet.material.sheen_roughness = number(0.4f);
  list.push_back(velvet);
  BsdfExample fur{"standard_white_sheen", standard(Rgb{1}, 1)};
  fur.material.sheen_color = color(1, 1, 1), fur.material.sheen_roughness = number(0.2f);
  list.push_back(fur);
  BsdfExample tinted_specular{"standard_specular_color", standard({0.2f, 0.2f, 0.3f}, 0.35f)};
  tinted_specular.material.specular = number(0.7f), tinted_specular.material.ior = 2.2f;
  tinted_specular.material.specular_color = color(1.0f, 0.5f, 0.2f);
  list.push_back(tinted_specular);
  BsdfExample window{"standard_thin_glass", standard(Rgb{1}, 0), true};
  window.material.transmission = number(1);
  window.material.transmission_color = color(0.9f, 0.95f, 0.9f);
  list.push_back(window);
  BsdfExample shade{"standard_rough_thin", standard(Rgb{1}, 0.5f), true};
  shade.material.transmission = number(0.6f);
  list.push_back(shade);
  BsdfExample vase{"standard_solid_glass", standard(Rgb{1}, 0.4f), true};
  vase.material.transmission = number(1), vase.material.thin_walled = false;
  list.push_back(vase);
  BsdfExample crystal{"standard_smooth_solid_glass", standard(Rgb{1}, 0), true};
  crystal.material.transmission = number(1), crystal.material.thin_walled = false;
  list.push_back(crystal);
  BsdfExample everything{"standard_everything", standard({0.8f, 0.5f, 0.3f}, 0.45f, 0.3f), true};
  everything.material.transmission = number(0.4f), everything.material.thin_walled = false;
  everything.material.coat = number(0.5f), everything.material.coat_roughness = number(0.25f);
  everything.material.sheen_color = color(0.3f, 0.4f, 0.5f);
  list.push_back(everything);
}

}  // namespace detail

/// Every model and every branch of one.
inline std::vector<BsdfExample> bsdf_examples() {
  std::vector<BsdfExample> list = detail::textbook_examples();
  detail::append_standard_examples(list);
  for (BsdfExample& e : list) {
    const MaterialDescription& m = e.material;
    e.material.name = e.name;
    if (m.kind == MaterialKind::dielectric) e.inside_ior = m.int_ior / m.ext_ior;
    if (m.kind == MaterialKind::standard && !m.thin_walled) e.inside_ior = m.ior;
  }
  return list;
}

/// The examples as a scene's materials, in the same order; then blends of them.
class ExampleMaterials {
 public:
  ExampleMaterials() : examples_(bsdf_examples()), textures_({}, 0, diagnostics_), set_(descriptions(), textures_) {}

  const std::vector<BsdfExample>& examples() const { return examples_; }
  /// Of the named example; throws Error for an unknown name.
  Bsdf bsdf(const std::string& name) const { return set_.bsdf(index_of(name), SurfacePoint{}); }

 private:
  int index_of(const std::string& name) const {
    for (std::size_t i = 0; i < examples_.size(); ++i)
      if (examples_[i].name == name) return static_cast<int>(i);
    fail("there is no example '{}'", name);
  }
  void add_blend(const std::string& name, const std::string& a, const std::string& b, float weight, bool passes) {
    BsdfExample e{name, detail::of(MaterialKind::blend), passes};
    e.material.name = name;
    e.material.blend_a = index_of(a);
    e.material.blend_b = index_of(b);
    e.material.blend_weight = detail::number(weight);
    e.inside_ior = std::max(examples_[static_cast<std::size_t>(e.material.blend_a)].inside_ior,
                            examples_[static_cast<std::size_t>(e.material.blend_b)].inside_ior);
    examples_.push_back(e);
  }
  std::vector<MaterialDescription> descriptions() {
    add_blend("blend", "plastic_ggx", "conductor_anisotropic", 0.3f, false);
    add_blend("blend_with_delta", "diffuse", "conductor_smooth", 0.6f, false);
    add_blend("blend_of_blends", "blend", "dielectric_ggx", 0.5f, true);
    add_blend("blend_with_hole", "standard", "null", 0.25f, true);
    std::vector<MaterialDescription> result;
    for (const BsdfExample& e : examples_) result.push_back(e.material);
    return result;
  }

  Diagnostics diagnostics_;
  std::vector<BsdfExample> examples_;
  TextureSet textures_;
  MaterialSet set_;
};

/// One set for all tests of a program: its tables take a moment.
inline const ExampleMaterials& example_materials() {
  static const ExampleMaterials materials;
  return materials;
}

}  // namespace simulacra::test
