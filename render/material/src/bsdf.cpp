// SPDX-License-Identifier: Apache-2.0
// Bsdf as a sum of models: sides, blends, dispatch.
#include "render/material/bsdf.h"

#include <span>
#include <type_traits>

#include "render/material/bsdf_models.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {
namespace {

template <typename T>
constexpr bool is_reflector = std::is_same_v<T, DiffuseModel> || std::is_same_v<T, ConductorModel> ||
                              std::is_same_v<T, PlasticModel>;

// A standard material shades both sides by itself; it is dark from behind only as a one-sided reflector.
bool dark(const StandardModel& m, bool two_sided, Vec3 wo) { return wo.z < 0 && !two_sided && m.transmission == 0; }

BsdfEval eval_leaf(const Bsdf::Leaf& leaf, Vec3 wo, Vec3 wi) {
  return std::visit(
      [&](const auto& model) -> BsdfEval {
        using Model = std::decay_t<decltype(model)>;
        if constexpr (is_reflector<Model>) {
          if (wo.z > 0) return eval(model, wo, wi);
          if (!leaf.two_sided || wo.z == 0) return {};
          return eval(model, turn_over(wo), turn_over(wi));
        } else if constexpr (std::is_same_v<Model, DielectricModel>) {
          return eval(model, wo, wi);
        } else if constexpr (std::is_same_v<Model, StandardModel>) {
          if (dark(model, leaf.two_sided, wo)) return {};
          return eval(model, wo, wi);
        } else {
          return {};
        }
      },
      leaf.model);
}

std::optional<BsdfSample> sample_leaf(const Bsdf::Leaf& leaf, Vec3 wo, float u_lobe, Vec2 u) {
  return std::visit(
      [&](const auto& model) -> std::optional<BsdfSample> {
        using Model = std::decay_t<decltype(model)>;
        if constexpr (is_reflector<Model>) {
          if (wo.z > 0) return sample(model, wo, u_lobe, u);
          if (!leaf.two_sided || wo.z == 0) return std::nullopt;
          std::optional<BsdfSample> s = sample(model, turn_over(wo), u_lobe, u);
          if (s) s->wi = turn_over(s->wi);
          return s;
        } else if constexpr (std::is_same_v<Model, NullModel>) {
          BsdfSample s;
          s.wi = -wo;
          s.weight = Rgb{1};
          s.pdf = 1;
          s.delta = s.straight = true;
          return s;
        } else if constexpr (std::is_same_v<Model, StandardModel>) {
          if (dark(model, leaf.two_sided, wo)) return std::nullopt;
          return sample(model, wo, u_lobe, u);
        } else if constexpr (std::is_same_v<Model, BlackModel>) {
          return std::nullopt;
        } else {
          return sample(model, wo, u_lobe, u);
        }
      },
      leaf.model);
}

Rgb leaf_albedo(const Bsdf::Leaf& leaf, Vec3 wo) {
  const bool seen = wo.z >= 0 || leaf.two_sided;
  if (const auto* diffuse = std::get_if<DiffuseModel>(&leaf.model)) return seen ? diffuse->albedo : Rgb{};
  if (const auto* plastic = std::get_if<PlasticModel>(&leaf.model)) return seen ? plastic->diffuse : Rgb{};
  if (const auto* standard = std::get_if<StandardModel>(&leaf.model))
    return dark(*standard, leaf.two_sided, wo) ? Rgb{} : diffuse_albedo(*standard);
  return Rgb{};
}

Rgb leaf_transmittance(const Bsdf::Leaf& leaf, Vec3 wo) {
  if (std::holds_alternative<NullModel>(leaf.model)) return Rgb{1};
  if (const auto* thin = std::get_if<ThinDielectricModel>(&leaf.model)) return straight_transmittance(*thin, wo);
  if (const auto* standard = std::get_if<StandardModel>(&leaf.model)) return straight_transmittance(*standard, wo);
  return Rgb{};
}

bool leaf_has_smooth_lobe(const BsdfModel& model) {
  return std::visit(
      [](const auto& m) -> bool {
        using Model = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<Model, ConductorModel> || std::is_same_v<Model, DielectricModel>) {
          return !m.smooth;
        } else if constexpr (std::is_same_v<Model, StandardModel>) {
          return has_smooth_lobe(m);
        } else if constexpr (std::is_same_v<Model, PlasticModel>) {
          return !m.smooth || !is_black(m.diffuse);
        } else {
          return std::is_same_v<Model, DiffuseModel>;
        }
      },
      model);
}

bool leaf_transmits(const BsdfModel& model) {
  if (const auto* standard = std::get_if<StandardModel>(&model)) return standard->transmission > 0;
  return std::holds_alternative<NullModel>(model) || std::holds_alternative<DielectricModel>(model) ||
         std::holds_alternative<ThinDielectricModel>(model);
}

std::span<const Bsdf::Leaf> leaves_of(const Bsdf& bsdf) {
  return {bsdf.leaves.data(), static_cast<std::size_t>(bsdf.count)};
}

// Picks a leaf by its weight, then weighs a smooth direction by all leaves.
std::optional<BsdfSample> sample_blend(const Bsdf& bsdf, Vec3 wo, float u_lobe, Vec2 u) {
  const std::span<const Bsdf::Leaf> leaves = leaves_of(bsdf);
  const Bsdf::Leaf* chosen = nullptr;
  for (const Bsdf::Leaf& leaf : leaves) {
    if (leaf.weight <= 0) continue;
    chosen = &leaf;
    if (u_lobe < leaf.weight) break;
    u_lobe -= leaf.weight;
  }
  if (!chosen) return std::nullopt;
  u_lobe = std::min(u_lobe / chosen->weight, 0x1.fffffep-1f);
  std::optional<BsdfSample> s = sample_leaf(*chosen, wo, u_lobe, u);
  if (!s) return s;
  if (s->delta) {
    s->pdf *= chosen->weight;  // the chance and the share of the leaf cancel in the weight
    return s;
  }
  const BsdfEval e = eval(bsdf, wo, s->wi);
  if (!(e.pdf > 0)) return std::nullopt;
  s->pdf = e.pdf;
  s->weight = e.total / e.pdf;
  s->diffuse_weight = e.diffuse / e.pdf;
  return s;
}

}  // namespace

BsdfEval eval(const Bsdf& bsdf, Vec3 wo, Vec3 wi) {
  if (bsdf.count == 1) return eval_leaf(bsdf.leaves[0], wo, wi);
  BsdfEval sum;
  for (const Bsdf::Leaf& leaf : leaves_of(bsdf)) {
    const BsdfEval e = eval_leaf(leaf, wo, wi);
    sum.total += e.total * leaf.weight;
    sum.diffuse += e.diffuse * leaf.weight;
    sum.pdf += e.pdf * leaf.weight;
  }
  return sum;
}

std::optional<BsdfSample> sample(const Bsdf& bsdf, Vec3 wo, float u_lobe, Vec2 u) {
  if (bsdf.count == 1) return sample_leaf(bsdf.leaves[0], wo, u_lobe, u);
  return sample_blend(bsdf, wo, u_lobe, u);
}

Rgb diffuse_albedo(const Bsdf& bsdf, Vec3 wo) {
  Rgb sum;
  for (const Bsdf::Leaf& leaf : leaves_of(bsdf)) sum += leaf_albedo(leaf, wo) * leaf.weight;
  return sum;
}

Rgb straight_transmittance(const Bsdf& bsdf, Vec3 wo) {
  Rgb sum;
  for (const Bsdf::Leaf& leaf : leaves_of(bsdf)) sum += leaf_transmittance(leaf, wo) * leaf.weight;
  return sum;
}

bool has_smooth_lobe(const Bsdf& bsdf) {
  for (const Bsdf::Leaf& leaf : leaves_of(bsdf))
    if (leaf_has_smooth_lobe(leaf.model)) return true;
  return false;
}

bool transmits(const Bsdf& bsdf) {
  for (const Bsdf::Leaf& leaf : leaves_of(bsdf))
    if (leaf_transmits(leaf.model)) return true;
  return false;
}

}  // namespace simulacra
