// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "render/base/error.h"
#include "render/base/wildcard.h"
#include "render/import/src/scene_yaml_parts.h"

namespace simulacra::scene_yaml {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

const config::Node& checked_map(const config::Node& node, std::string_view key, std::string_view expected) {
  if (node.kind != config::Node::Kind::map) fail_usage("{}: '{}' is no map; expected {}", node.where(), key, expected);
  return node;
}

void set_number(FloatInput& input, double value) {
  if (value >= 0) input = {static_cast<float>(value), -1, input.channel, 0.0f};
}

void set_bool(bool& option, const config::Node& node, std::string_view key) {
  if (node.kind != config::Node::Kind::null) option = config::as_bool(node, key);
}

MaterialKind kind_from_name(const std::string& name) {
  if (name == "diffuse") return MaterialKind::diffuse;
  if (name == "dielectric") return MaterialKind::dielectric;
  return name == "thin_dielectric" ? MaterialKind::thin_dielectric : MaterialKind::standard;
}

bool is_glass(const MaterialDescription& m) {
  return m.kind == MaterialKind::dielectric || m.kind == MaterialKind::thin_dielectric;
}

void set_kind(MaterialDescription& m, const std::string& name) {
  if (name.empty()) return;
  m.kind = kind_from_name(name);
  if (!is_glass(m)) return;
  // Perfectly smooth, and it lets everything through that it does not reflect.
  m.alpha_u = m.alpha_v = FloatInput{0.0f, -1, 0, 0.0f};
  m.specular_reflectance = m.specular_transmittance = RgbInput{};
}

/// Refuses what the material's model does not have; the others are textbook models with their own properties.
void check_kind(const MaterialDescription& m, const MaterialOptions& o, const config::Node& node) {
  const bool standard_only = o.roughness >= 0 || o.metallic >= 0 || o.specular >= 0 || o.transmission >= 0;
  if ((standard_only || (o.ior >= 0 && !is_glass(m))) && m.kind != MaterialKind::standard)
    fail_usage("{}: material '{}' is a textbook model, whose roughness, metallic, specular, transmission and ior come "
               "from its file; 'kind: standard' makes it a standard material", node.where(), m.name);
}

void override_one(MaterialDescription& m, const MaterialOptions& o, const config::Node& node) {
  if (o.ior >= 0 && o.ior < 1) fail_usage("{}: 'ior' is {}; expected 1 to 4", node.where(), o.ior);
  set_kind(m, o.kind);
  if (o.base_color.kind != config::Node::Kind::null) {
    const bool has_base_color = m.kind == MaterialKind::standard || m.kind == MaterialKind::diffuse ||
                                m.kind == MaterialKind::plastic;
    if (!has_base_color) m.kind = MaterialKind::standard;
    m.base_color = {as_color(o.base_color, "base_color"), -1};
  }
  check_kind(m, o, node);
  if (o.emission.kind != config::Node::Kind::null) m.emission = {as_color(o.emission, "emission"), -1};
  set_number(m.roughness, o.roughness);
  set_number(m.metallic, o.metallic);
  set_number(m.specular, o.specular);
  set_number(m.transmission, o.transmission);
  if (o.opacity >= 0) {
    set_number(m.opacity, o.opacity);
    m.alpha_cutoff.reset();
  }
  if (o.ior >= 0 && is_glass(m)) m.int_ior = static_cast<float>(o.ior) * m.ext_ior;
  if (o.ior >= 0) m.ior = static_cast<float>(o.ior);
  set_bool(m.two_sided, o.two_sided, "two_sided");
  set_bool(m.emission_two_sided, o.emission_two_sided, "emission_two_sided");
  set_bool(m.thin_walled, o.thin_walled, "thin_walled");
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) { return wildcard_match(pattern, text, same_letter); }

bool matches_object(std::string_view pattern, const ObjectDescription& object, const SceneDescription& scene) {
  if (matches(pattern, object.name) || matches(pattern, object.path) || matches(pattern, object.source)) return true;
  return object.material >= 0 && matches(pattern, scene.materials[static_cast<std::size_t>(object.material)].name);
}

void override_materials(SceneDescription& scene, const config::Node& materials, Diagnostics& diagnostics) {
  if (materials.kind == config::Node::Kind::null) return;
  checked_map(materials, "scene.materials", "material name: overrides");
  for (const auto& [pattern, node] : materials.entries) {
    checked_map(node, "scene.materials." + pattern, "a group of overrides");
    MaterialOptions options;
    config::read(node, options);
    bool used = false;
    for (MaterialDescription& material : scene.materials) {
      if (!matches(pattern, material.name)) continue;
      override_one(material, options, node);
      used = true;
    }
    if (!used) diagnostics.warn(node.where(), pattern, "no material is called that; the override has no effect");
  }
}

void apply_labels(SceneDescription& scene, const config::Node& labels, Diagnostics& diagnostics) {
  if (labels.kind == config::Node::Kind::null) return;
  checked_map(labels, "scene.labels", "name pattern: class");
  std::vector<bool> used(labels.entries.size(), false);
  for (ObjectDescription& object : scene.objects) {
    for (std::size_t i = 0; i < labels.entries.size(); ++i) {
      const auto& [pattern, node] = labels.entries[i];
      if (!matches_object(pattern, object, scene)) continue;
      used[i] = true;
      if (object.class_hint.empty()) object.class_hint = config::as_string(node, pattern);
      break;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      diagnostics.warn(labels.entries[i].second.where(), labels.entries[i].first,
                       "the label rule decides for no object");
}

void remove_objects(SceneDescription& scene, const std::vector<std::string>& patterns, const std::string& file,
                    Diagnostics& diagnostics) {
  for (const std::string& pattern : patterns) {
    const std::size_t removed = std::erase_if(
        scene.objects, [&](const ObjectDescription& object) { return matches_object(pattern, object, scene); });
    if (removed == 0) diagnostics.warn(file, pattern, "no object is called that; nothing is removed");
  }
}

}  // namespace simulacra::scene_yaml
