// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_material.h"

#include <algorithm>
#include <utility>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

/// One material while it is read.
struct Reading {
  Document& document;
  TextureReader& textures;
  MaterialDescription& material;

  void warn(const JsonRef& at, std::string text) const {
    document.warn(fmt::format("{} of material '{}'", at.pointer(), printable(material.name)), std::move(text));
  }
  /// A number, limited to [lo, hi] with a warning.
  float number(const JsonRef& owner, std::string_view key, double otherwise, double lo, double hi) const {
    const auto given = owner.find(key);
    if (!given) return static_cast<float>(otherwise);
    return limited(*given, given->number(), lo, hi);
  }
  float limited(const JsonRef& at, double value, double lo, double hi) const {
    if (value < lo || value > hi) {
      const double instead = std::clamp(value, lo, hi);
      warn(at, fmt::format("{} is outside the allowed range, {} instead", value, instead));
      return static_cast<float>(instead);
    }
    return static_cast<float>(value);
  }
  Rgb color(const JsonRef& owner, std::string_view key, Rgb otherwise, double hi) const {
    const auto given = owner.find(key);
    if (!given) return otherwise;
    const auto v = given->numbers<3>();
    return {limited(*given, v[0], 0, hi), limited(*given, v[1], 0, hi), limited(*given, v[2], 0, hi)};
  }
  int texture(const JsonRef& owner, std::string_view key, ColorSpace space) const {
    const auto found = owner.find(key);
    return found ? textures.read(*found, space) : -1;
  }
};

constexpr double kLargest = 1e30;

/// Base color and alpha: a factor of four numbers and an sRGB texture.
struct ColorAndAlpha {
  RgbInput color;
  FloatInput alpha;
};

ColorAndAlpha color_and_alpha(const Reading& r, const JsonRef& owner, std::string_view factor, std::string_view texture) {
  ColorAndAlpha result;
  if (const auto given = owner.find(factor)) {
    const auto v = given->numbers<4>();
    result.color.factor = {r.limited(*given, v[0], 0, 1), r.limited(*given, v[1], 0, 1), r.limited(*given, v[2], 0, 1)};
    result.alpha.factor = r.limited(*given, v[3], 0, 1);
  }
  result.color.texture = r.texture(owner, texture, ColorSpace::srgb);
  result.alpha.texture = result.color.texture;
  result.alpha.channel = 3;
  return result;
}

ColorAndAlpha read_metallic_roughness(const Reading& r, const JsonRef& entry) {
  MaterialDescription& m = r.material;
  m.metallic = {1.0f, -1, 2, 0.0f};
  m.roughness = {1.0f, -1, 1, 0.0f};
  const auto pbr = entry.find("pbrMetallicRoughness");
  if (!pbr) return {};
  m.metallic.factor = r.number(*pbr, "metallicFactor", 1, 0, 1);
  m.roughness.factor = r.number(*pbr, "roughnessFactor", 1, 0, 1);
  m.metallic.texture = m.roughness.texture = r.texture(*pbr, "metallicRoughnessTexture", ColorSpace::linear);
  return color_and_alpha(r, *pbr, "baseColorFactor", "baseColorTexture");
}

// An index of refraction of 0 stands for F0 = 1, so that the tint is F0; glossiness is one minus roughness.
ColorAndAlpha read_specular_glossiness(const Reading& r, const JsonRef& pbr) {
  MaterialDescription& m = r.material;
  r.warn(pbr, "read approximately, as a dielectric with that specular color");
  const float glossiness = r.number(pbr, "glossinessFactor", 1, 0, 1);
  m.metallic = {0.0f, -1, 2, 0.0f};
  m.roughness = {-glossiness, -1, 3, 1.0f};
  m.ior = 0;
  m.specular_color.factor = r.color(pbr, "specularFactor", Rgb(1.0f), 1);
  m.specular_color.texture = r.texture(pbr, "specularGlossinessTexture", ColorSpace::srgb);
  m.roughness.texture = m.specular_color.texture;
  return color_and_alpha(r, pbr, "diffuseFactor", "diffuseTexture");
}

void read_alpha(const Reading& r, const JsonRef& entry, const FloatInput& alpha) {
  const auto mode = entry.find("alphaMode");
  const std::string name = mode ? mode->text() : "OPAQUE";
  if (name != "OPAQUE" && name != "MASK" && name != "BLEND") mode->refuse("OPAQUE, MASK or BLEND");
  if (name == "OPAQUE") return;
  r.material.opacity = alpha;
  if (name == "MASK") r.material.alpha_cutoff = r.number(entry, "alphaCutoff", 0.5, 0, kLargest);
}

void read_emission(const Reading& r, const JsonRef& entry) {
  MaterialDescription& m = r.material;
  m.emission.factor = r.color(entry, "emissiveFactor", Rgb(0.0f), kLargest);
  if (const auto strength = entry.extension("KHR_materials_emissive_strength"))
    m.emission.factor *= r.number(*strength, "emissiveStrength", 1, 0, kLargest);
  // A black factor leaves nothing of the texture.
  if (!is_black(m.emission.factor)) m.emission.texture = r.texture(entry, "emissiveTexture", ColorSpace::srgb);
}

void read_normal_map(const Reading& r, const JsonRef& entry) {
  const auto map = entry.find("normalTexture");
  if (!map) return;
  r.material.normal_texture = r.textures.read(*map, ColorSpace::linear);
  r.material.normal_scale = static_cast<float>(map->number_or("scale", 1));
}

// KHR_materials_transmission, _volume: glass. Light that passes is tinted by the base color.
void read_transmission(const Reading& r, const JsonRef& entry) {
  MaterialDescription& m = r.material;
  if (const auto t = entry.extension("KHR_materials_transmission")) {
    m.transmission.factor = r.number(*t, "transmissionFactor", 0, 0, 1);
    m.transmission.texture = r.texture(*t, "transmissionTexture", ColorSpace::linear);
    m.transmission_color = m.base_color;
  }
  const auto volume = entry.extension("KHR_materials_volume");
  if (!volume) return;
  m.thin_walled = !(r.number(*volume, "thicknessFactor", 0, 0, kLargest) > 0);
  const bool absorbs = volume->find("attenuationDistance") && r.color(*volume, "attenuationColor", Rgb(1.0f), 1) != Rgb(1.0f);
  if (!m.thin_walled && absorbs) r.warn(*volume, "absorption inside (attenuationColor) is left out");
}

void read_index_and_specular(const Reading& r, const JsonRef& entry) {
  MaterialDescription& m = r.material;
  if (const auto ior = entry.extension("KHR_materials_ior")) {
    const double given = ior->number_or("ior", 1.5);
    // 0 asks for F0 = 1 (the extension's compatibility mode).
    m.ior = given == 0 ? 0.0f : r.number(*ior, "ior", 1.5, 1, 1000);
  }
  if (const auto specular = entry.extension("KHR_materials_specular")) {
    m.specular.factor = r.number(*specular, "specularFactor", 1, 0, 1);
    m.specular.texture = r.texture(*specular, "specularTexture", ColorSpace::linear);
    m.specular_color.factor = r.color(*specular, "specularColorFactor", Rgb(1.0f), kLargest);
    m.specular_color.texture = r.texture(*specular, "specularColorTexture", ColorSpace::srgb);
  }
}

void read_coat_and_sheen(const Reading& r, const JsonRef& entry) {
  MaterialDescription& m = r.material;
  if (const auto coat = entry.extension("KHR_materials_clearcoat")) {
    m.coat.factor = r.number(*coat, "clearcoatFactor", 0, 0, 1);
    m.coat.texture = r.texture(*coat, "clearcoatTexture", ColorSpace::linear);
    m.coat_roughness.factor = r.number(*coat, "clearcoatRoughnessFactor", 0, 0, 1);
    m.coat_roughness.texture = r.texture(*coat, "clearcoatRoughnessTexture", ColorSpace::linear);
    if (const auto normal = coat->find("clearcoatNormalTexture"); normal && m.coat.factor > 0)
      r.warn(*normal, "left out: the coat has the normal of what lies below");
  }
  if (const auto sheen = entry.extension("KHR_materials_sheen")) {
    m.sheen_color.factor = r.color(*sheen, "sheenColorFactor", Rgb(0.0f), 1);
    m.sheen_color.texture = r.texture(*sheen, "sheenColorTexture", ColorSpace::srgb);
    m.sheen_roughness.factor = r.number(*sheen, "sheenRoughnessFactor", 0, 0, 1);
    m.sheen_roughness.texture = r.texture(*sheen, "sheenRoughnessTexture", ColorSpace::linear);
  }
}

}  // namespace

MaterialReader::MaterialReader(Document& document, SceneDescription& scene)
    : document_(&document), scene_(&scene), textures_(document, scene), default_json_(Json::object()) {
  for (std::size_t i = 0; i < document.count("materials"); ++i) add(document.item("materials", i));
}

int MaterialReader::add(const JsonRef& entry) {
  MaterialDescription material;
  material.name = entry.name();
  const int index = static_cast<int>(scene_->materials.size());
  if (material.name.empty()) material.name = fmt::format("material {}", index);
  const Reading r{*document_, textures_, material};

  const auto glossy = entry.extension("KHR_materials_pbrSpecularGlossiness");
  const ColorAndAlpha base = glossy ? read_specular_glossiness(r, *glossy) : read_metallic_roughness(r, entry);
  material.base_color = base.color;
  read_alpha(r, entry, base.alpha);
  read_emission(r, entry);
  read_normal_map(r, entry);
  read_transmission(r, entry);
  read_index_and_specular(r, entry);
  read_coat_and_sheen(r, entry);
  material.unlit = entry.extension("KHR_materials_unlit").has_value();
  static_cast<void>(entry.boolean_or("doubleSided", false));  // all surfaces shade on both sides

  const auto mode = entry.find("alphaMode");
  opaque_.push_back(!mode || mode->text() == "OPAQUE");
  scene_->materials.push_back(std::move(material));
  return index;
}

int MaterialReader::material_of(const JsonRef& primitive) {
  if (const auto reference = primitive.find("material"))
    return static_cast<int>(document_->index(*reference, "materials"));
  if (!default_) {
    default_ = add(JsonRef(default_json_, "", document_->file_name()));
    scene_->materials.back().name = "glTF default";
  }
  return *default_;
}

std::array<bool, 2> MaterialReader::uv_sets(int material) const {
  const MaterialDescription& m = scene_->materials[static_cast<std::size_t>(material)];
  std::array<bool, 2> used{};
  for (const int texture :
       {m.opacity.texture, m.emission.texture, m.normal_texture, m.base_color.texture, m.metallic.texture,
        m.roughness.texture, m.specular.texture, m.specular_color.texture, m.transmission.texture, m.coat.texture,
        m.coat_roughness.texture, m.sheen_color.texture, m.sheen_roughness.texture})
    if (texture >= 0) used[static_cast<std::size_t>(scene_->textures[static_cast<std::size_t>(texture)].uv_set)] = true;
  return used;
}

}  // namespace simulacra::gltf
