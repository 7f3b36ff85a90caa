// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_material.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "render/import/src/obj_text.h"

namespace simulacra::obj {
namespace {

constexpr float kDefaultKd = 0.8f;
constexpr float kBlackKd = 0.05f;           // below it, a mirror's base is taken as black
constexpr float kMeaningfulIor = 1.01f;     // exporters write 1.0 where they know nothing
constexpr float kMaxIor = 3.0f;
constexpr double kReliefShare = 0.002;      // of the diagonal, white above black

float share(float value) { return std::clamp(value, 0.0f, 1.0f); }

/// Perceptual roughness of a Phong exponent.
float roughness_from_exponent(float ns) {
  const float alpha = std::sqrt(2.0f / (std::max(ns, 0.0f) + 2.0f));
  return std::sqrt(alpha);
}

bool is_called_normal_map(const std::string& written) {
  std::string name = std::filesystem::path(written).filename().string();
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.find("normal") != std::string::npos || name.find("_nrm") != std::string::npos ||
         name.find("_nor_") != std::string::npos;
}

int channel_of(char letter, int otherwise) {
  switch (letter) {
    case 'r': return 0;
    case 'g': return 1;
    case 'b': return 2;
    case 'm': return 3;
    case 'l': return 4;
    default: return otherwise;
  }
}

const MapStatement* find(const MtlMaterial& source, Slot slot) {
  const auto it = source.maps.find(slot);
  return it == source.maps.end() ? nullptr : &it->second;
}

}  // namespace

int MaterialConverter::texture(const MtlMaterial& source, const MapStatement& map, ColorSpace color_space) {
  if (map.color_space == "srgb") color_space = ColorSpace::srgb;
  if (map.color_space == "linear" || map.color_space == "raw" || map.color_space == "non-color")
    color_space = ColorSpace::linear;
  TextureDescription t;
  t.name = map.written;
  t.color_space = color_space;
  t.wrap_u = t.wrap_v = map.clamp ? WrapMode::clamp : WrapMode::repeat;
  t.uv_linear = {map.uv_scale.x, 0, 0, map.uv_scale.y};
  t.uv_offset = map.uv_offset;
  const std::array folders = {source.file.parent_path(), folder_};
  if (const auto found = files_.find(map.written, folders)) {
    t.file = *found;
  } else {
    t.missing = true;
    diagnostics_.warn(source.file.string(), shown(map.written),
                      fmt::format("the image is not found; material '{}' goes without it", shown(source.name)));
  }
  for (std::size_t i = 0; i < scene_.textures.size(); ++i) {
    const TextureDescription& o = scene_.textures[i];
    if (o.name == t.name && o.file == t.file && o.color_space == t.color_space && o.wrap_u == t.wrap_u &&
        o.uv_linear == t.uv_linear && o.uv_offset == t.uv_offset)
      return static_cast<int>(i);
  }
  scene_.textures.push_back(std::move(t));
  return static_cast<int>(scene_.textures.size()) - 1;
}

void MaterialConverter::color_input(const MtlMaterial& source, Slot slot, RgbInput& input) {
  const MapStatement* map = find(source, slot);
  if (map == nullptr) return;
  input.texture = texture(source, *map, ColorSpace::srgb);
  if (map->base != 0 || map->gain < 0)
    diagnostics_.warn(source.file.string(), fmt::format("-mm of {} in {}", shown(map->written), shown(source.name)),
                      "shifts a color image, which has no counterpart; only its gain is used");
  input.factor *= std::max(map->gain, 0.0f);
}

void MaterialConverter::float_input(const MtlMaterial& source, Slot slot, FloatInput& input) {
  const MapStatement* map = find(source, slot);
  if (map == nullptr) return;
  input.texture = texture(source, *map, ColorSpace::linear);
  input.channel = channel_of(map->channel, 4);
  input.offset += input.factor * map->base;
  input.factor *= map->gain;
}

Rgb MaterialConverter::limited(const MtlMaterial& source, const char* key, Rgb value) {
  const Rgb result{share(value.r), share(value.g), share(value.b)};
  if (!(result == value))
    diagnostics_.warn(source.file.string(), fmt::format("{} of {}", key, shown(source.name)),
                      fmt::format("({} {} {}) is no reflectance; limited to 0 to 1", value.r, value.g, value.b));
  return result;
}

void MaterialConverter::reflection(const MtlMaterial& source, MaterialDescription& m) {
  const int illum = source.illum.value_or(2);
  const Rgb ks = limited(source, "Ks", source.ks.value_or(Rgb(find(source, Slot::ks) != nullptr ? 1.0f : 0.0f)));
  const bool pbr = source.pr || source.pm || find(source, Slot::roughness) || find(source, Slot::metallic);
  if (source.ni && *source.ni > kMeaningfulIor) m.ior = std::min(*source.ni, kMaxIor);

  if (source.pr) {
    m.roughness.factor = share(*source.pr);
  } else if (find(source, Slot::roughness) != nullptr) {
    m.roughness.factor = 1;
  } else if (source.ns) {
    m.roughness.factor = share(roughness_from_exponent(*source.ns));
  }
  if (find(source, Slot::roughness) != nullptr) {
    float_input(source, Slot::roughness, m.roughness);
  } else if (find(source, Slot::ns) != nullptr) {
    m.roughness.factor = -1;
    m.roughness.offset = 1;
    float_input(source, Slot::ns, m.roughness);
  }

  const bool mirror = !pbr && (illum == 3 || illum == 5) && max_component(m.base_color.factor) < kBlackKd &&
                      max_component(ks) > kBlackKd && m.base_color.texture < 0;
  if (mirror) {
    m.metallic.factor = 1;
    m.base_color.factor = ks;
    color_input(source, Slot::ks, m.base_color);
  } else if (pbr) {
    m.specular.factor = 1;
    if (source.pm || find(source, Slot::metallic)) m.metallic.factor = share(source.pm.value_or(1.0f));
    float_input(source, Slot::metallic, m.metallic);
  } else if (illum < 2 || max_component(ks) == 0) {
    m.specular.factor = 0;
  } else {
    m.specular.factor = max_component(ks);
    m.specular_color.factor = ks / max_component(ks);
    color_input(source, Slot::ks, m.specular_color);
  }
}

void MaterialConverter::transparency(const MtlMaterial& source, MaterialDescription& m) {
  const int illum = source.illum.value_or(2);
  const float d = share(source.d ? *source.d : source.tr ? 1.0f - *source.tr : 1.0f);
  const MapStatement* map_d = find(source, Slot::d);
  const bool refracts = illum == 6 || illum == 7;
  const bool glass = (illum == 4 || illum == 9 || refracts) && d < 1 && map_d == nullptr;
  if (glass || (refracts && map_d == nullptr)) {
    m.transmission.factor = glass ? 1.0f - d : 1.0f;
    if (source.tf && !is_black(*source.tf)) m.transmission_color.factor = limited(source, "Tf", *source.tf);
    m.thin_walled = !(refracts && source.ni && *source.ni > kMeaningfulIor);
    return;
  }
  m.opacity.factor = d;
  if (map_d != nullptr) {
    // Exporters write the color image's alpha as `d` 0 or 1 with the same image as map_d.
    const MapStatement* map_kd = find(source, Slot::kd);
    float_input(source, Slot::d, m.opacity);
    const bool same_image = map_kd != nullptr && map_kd->written == map_d->written;
    m.opacity.channel = channel_of(map_d->channel, same_image ? 3 : 4);
  }
  if (m.opacity.factor == 0 && m.opacity.offset == 0)
    diagnostics_.warn(source.file.string(), shown(source.name),
                      source.d ? "d is 0: the material is invisible" : "Tr is 1: the material is invisible");
}

void MaterialConverter::relief(const MtlMaterial& source, MaterialDescription& m) {
  const MapStatement* bump = find(source, Slot::bump);
  const MapStatement* normal = find(source, Slot::normal);
  if (normal == nullptr && bump != nullptr && is_called_normal_map(bump->written)) {
    diagnostics_.warn(source.file.string(), shown(bump->written),
                      fmt::format("is taken as a normal map by its name, though '{}' gives it as a bump map",
                                  shown(source.name)));
    std::swap(normal, bump);
  }
  if (normal != nullptr) {
    m.normal_texture = texture(source, *normal, ColorSpace::linear);
    m.normal_scale = normal->bump_multiplier.value_or(1.0f);
  }
  if (bump != nullptr) {
    m.bump_texture = texture(source, *bump, ColorSpace::linear);
    m.bump_scale = bump->bump_multiplier.value_or(1.0f) * bump->gain * static_cast<float>(kReliefShare * diagonal_);
  }
}

int MaterialConverter::add(const MtlMaterial& source) {
  MaterialDescription m;
  m.name = source.name;
  const bool has_map_kd = find(source, Slot::kd) != nullptr;
  m.base_color.factor = limited(source, "Kd", source.kd.value_or(Rgb(has_map_kd ? 1.0f : kDefaultKd)));
  if (has_map_kd && is_black(m.base_color.factor)) {
    diagnostics_.warn(source.file.string(), fmt::format("Kd of {}", shown(source.name)),
                      "is black and would hide map_Kd; taken as white");
    m.base_color.factor = Rgb(1);
  }
  color_input(source, Slot::kd, m.base_color);
  reflection(source, m);
  transparency(source, m);
  relief(source, m);

  const Rgb ke = source.ke.value_or(Rgb(0));
  m.emission.factor = {std::max(ke.r, 0.0f), std::max(ke.g, 0.0f), std::max(ke.b, 0.0f)};
  if (find(source, Slot::ke) != nullptr && is_black(m.emission.factor)) m.emission.factor = Rgb(1);
  color_input(source, Slot::ke, m.emission);

  m.coat.factor = share(source.pc.value_or(find(source, Slot::coat) ? 1.0f : 0.0f));
  float_input(source, Slot::coat, m.coat);
  m.coat_roughness.factor = share(source.pcr.value_or(find(source, Slot::coat_roughness) ? 1.0f : 0.0f));
  float_input(source, Slot::coat_roughness, m.coat_roughness);
  m.sheen_color.factor = Rgb(share(source.ps.value_or(find(source, Slot::sheen) ? 1.0f : 0.0f)));
  color_input(source, Slot::sheen, m.sheen_color);

  scene_.materials.push_back(std::move(m));
  return static_cast<int>(scene_.materials.size()) - 1;
}

int MaterialConverter::add_default(const std::string& name) {
  MaterialDescription m;
  m.name = name;
  m.base_color.factor = Rgb(kDefaultKd);
  m.specular.factor = 0;
  scene_.materials.push_back(std::move(m));
  return static_cast<int>(scene_.materials.size()) - 1;
}

}  // namespace simulacra::obj
