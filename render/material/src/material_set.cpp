// SPDX-License-Identifier: Apache-2.0
#include "render/base/error.h"
#include "render/material/material.h"
#include "render/material/src/inputs.h"
#include "render/material/src/model.h"
#include "render/material/src/normals.h"

namespace simulacra {
namespace {

using Materials = std::span<const MaterialDescription>;

const MaterialDescription& part(Materials materials, int index) { return materials[static_cast<std::size_t>(index)]; }

void check_reference(Materials materials, const MaterialDescription& m, int index, const char* what) {
  if (index < 0 || index >= static_cast<int>(materials.size()))
    fail("material '{}': {} is material {}, there are {}", m.name, what, index, materials.size());
}

// The most leaves that a hit can need: models, and one for light that passes through masked parts.
struct LeafCount {
  int models = 0;
  bool passes = false;
  int total() const { return models + (passes ? 1 : 0); }
};

LeafCount most_leaves(Materials materials, int index, int depth);

// Of the material as it is seen from its front, or as the back of another one.
LeafCount leaves_of_one_side(Materials materials, int index, int depth) {
  const MaterialDescription& m = part(materials, index);
  if (m.kind == MaterialKind::null) return {0, true};
  if (m.kind != MaterialKind::blend) return {1, false};
  check_reference(materials, m, m.blend_a, "its first part");
  check_reference(materials, m, m.blend_b, "its second part");
  LeafCount count;
  for (const int index_of_part : {m.blend_a, m.blend_b}) {
    const MaterialDescription& p = part(materials, index_of_part);
    const LeafCount c = most_leaves(materials, index_of_part, depth + 1);
    const bool masked = p.opacity.texture >= 0 || p.opacity.factor + p.opacity.offset < 1 || p.use_vertex_color;
    count.models += c.models;
    count.passes |= c.passes || masked;
  }
  return count;
}

LeafCount most_leaves(Materials materials, int index, int depth) {
  const MaterialDescription& m = part(materials, index);
  if (depth > 8) fail("material '{}': blends are nested more than 8 deep, or a blend contains itself", m.name);
  const LeafCount front = leaves_of_one_side(materials, index, depth);
  if (m.back_material < 0) return front;
  check_reference(materials, m, m.back_material, "its back");
  const LeafCount back = leaves_of_one_side(materials, m.back_material, depth);
  return {std::max(front.models, back.models), front.passes || back.passes};
}

void check(Materials materials, int index) {
  const int leaves = most_leaves(materials, index, 0).total();
  if (leaves > Bsdf::kMaxLeaves)
    fail("material '{}': it blends {} materials, expected at most {}", part(materials, index).name, leaves,
         Bsdf::kMaxLeaves);
}

float clamped(float v) { return std::min(std::max(v, 0.0f), 1.0f); }

bool opaque_everywhere(const MaterialDescription& m, const TextureSet& textures) {
  if (m.kind == MaterialKind::null) return false;
  if (m.use_vertex_color) return false;
  const FloatInput& o = m.opacity;
  const bool constant = o.texture < 0 || textures.missing(o.texture) ||
                        (o.channel == 3 && !textures.has_alpha(o.texture));
  if (!constant) return false;
  const float opacity = o.factor + o.offset;
  return m.alpha_cutoff ? opacity >= *m.alpha_cutoff : opacity >= 1;
}

// Light that passes straight through a part of a blend: one leaf for all of it.
void add_null(float weight, Bsdf& bsdf) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(bsdf.count); ++i)
    if (std::holds_alternative<NullModel>(bsdf.leaves[i].model)) {
      bsdf.leaves[i].weight += weight;
      return;
    }
  bsdf.leaves[static_cast<std::size_t>(bsdf.count++)] = {NullModel{}, weight, true};
}

}  // namespace

ShadingFrame shading_frame(Vec3 normal, const SurfacePoint& at) {
  const Vec3 x = at.dpdu - normal * dot(normal, at.dpdu);
  const float l2 = length_squared(x);
  if (!(l2 > 1e-12f * length_squared(at.dpdu)) || !std::isfinite(l2)) return ShadingFrame::from_normal(normal);
  ShadingFrame frame;
  frame.z = normal;
  frame.x = x / std::sqrt(l2);
  frame.y = cross(frame.z, frame.x);
  return frame;
}

MaterialSet::MaterialSet(std::span<const MaterialDescription> materials, const TextureSet& textures)
    : materials_(materials.begin(), materials.end()), textures_(&textures), tables_(std::make_shared<ModelTables>()) {
  for (int i = 0; i < static_cast<int>(materials_.size()); ++i) check(materials_, i);
  for (const MaterialDescription& m : materials_) traits_.push_back(own_traits(m));
  // Parts add to the whole; into a copy, so that the order of materials does not matter.
  std::vector<Traits> combined = traits_;
  for (int i = 0; i < static_cast<int>(materials_.size()); ++i) add_parts(i, combined[static_cast<std::size_t>(i)]);
  traits_ = std::move(combined);
}

MaterialSet::Traits MaterialSet::own_traits(const MaterialDescription& m) const {
  Traits t;
  t.prototype = make_model(m, *textures_, *tables_);
  t.varies = model_varies(m);
  t.always_opaque = opaque_everywhere(m, *textures_);
  t.has_bump = m.normal_texture >= 0 || m.bump_texture >= 0;
  const bool glass = m.kind == MaterialKind::standard && !m.unlit && may_be_positive(m.transmission);
  t.transmits = glass || m.kind == MaterialKind::dielectric || m.kind == MaterialKind::thin_dielectric;
  const auto* standard = std::get_if<StandardModel>(&t.prototype);
  const bool may_be_smooth = standard && (m.roughness.texture >= 0 || standard->alpha < StandardModel::kSmoothAlpha);
  t.may_pass_straight = !t.always_opaque || m.kind == MaterialKind::thin_dielectric ||
                        (glass && standard->thin_walled && may_be_smooth);

  const RgbInput& light = m.unlit ? m.base_color : m.emission;
  t.emits = !is_black(light.factor);
  t.emission_textured = t.emits && (light.texture >= 0 || (m.unlit && m.use_vertex_color));
  t.mean_emission = light.factor;
  if (light.texture >= 0) {
    const Vec4 mean = textures_->mean(light.texture);
    t.mean_emission *= Rgb{mean.x, mean.y, mean.z};
  }
  return t;
}

void MaterialSet::add_parts(int material, Traits& t) const {
  const MaterialDescription& m = description(material);
  const auto add = [&](int index) {
    t.may_pass_straight |= traits(index).may_pass_straight;
    t.transmits |= traits(index).transmits;
  };
  const auto add_blended = [&](const MaterialDescription& blend) {
    if (blend.kind != MaterialKind::blend) return;
    for (const int index : {blend.blend_a, blend.blend_b}) {
      add(index);
      add_parts(index, t);
    }
  };
  add_blended(m);
  if (m.back_material < 0) return;
  add(m.back_material);
  add_blended(description(m.back_material));
  t.has_bump |= traits(m.back_material).has_bump;
}

void MaterialSet::add_leaves(int material, const SurfacePoint& at, float weight, bool two_sided, Bsdf& bsdf) const {
  if (at.back_side && description(material).back_material >= 0) {
    material = description(material).back_material;
    two_sided = true;
  }
  const MaterialDescription& m = description(material);
  two_sided |= m.two_sided;
  if (m.kind == MaterialKind::blend) {
    const float b = clamped(Inputs{*textures_, at}(m.blend_weight));
    for (const auto& [index, share] : {std::pair{m.blend_a, (1 - b) * weight}, std::pair{m.blend_b, b * weight}}) {
      if (share <= 0) continue;
      const float solid = traits(index).always_opaque ? 1 : opacity(index, at);
      if (solid < 1) add_null(share * (1 - solid), bsdf);
      if (solid > 0) add_leaves(index, at, share * solid, two_sided, bsdf);
    }
    return;
  }
  Bsdf::Leaf& leaf = bsdf.leaves[static_cast<std::size_t>(bsdf.count++)];
  leaf.model = traits(material).prototype;
  if (traits(material).varies) update_model(leaf.model, m, Inputs{*textures_, at});
  leaf.weight = weight;
  leaf.two_sided = two_sided;
}

Bsdf MaterialSet::bsdf(int material, const SurfacePoint& at) const {
  Bsdf result;
  add_leaves(material, at, 1, false, result);
  return result;
}

float MaterialSet::opacity(int material, const SurfacePoint& at) const {
  const MaterialDescription& m = description(material);
  if (m.kind == MaterialKind::null) return 0;
  float opacity = Inputs{*textures_, at}(m.opacity);
  if (m.use_vertex_color) opacity *= at.vertex_color.w;
  if (m.alpha_cutoff) return opacity >= *m.alpha_cutoff ? 1 : 0;
  return clamped(opacity);
}

Rgb MaterialSet::emission(int material, const SurfacePoint& at) const {
  if (!emits(material)) return Rgb{};
  const MaterialDescription& m = description(material);
  if (at.back_side && !m.emission_two_sided) return Rgb{};
  const Inputs inputs{*textures_, at};
  return m.unlit ? inputs.base_color(m) : inputs(m.emission);
}

Vec3 MaterialSet::bumped_normal(int material, const SurfacePoint& at) const {
  const MaterialDescription& m = description(material);
  const int seen = at.back_side && m.back_material >= 0 ? m.back_material : material;
  return perturbed_normal(description(seen), Inputs{*textures_, at});
}

}  // namespace simulacra
