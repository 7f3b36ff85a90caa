// SPDX-License-Identifier: Apache-2.0
// The scattering models behind Bsdf. Conventions as in bsdf.h, but a REFLECTOR's functions expect wo.z > 0:
// bsdf.cpp turns the frame over for a surface seen from behind. Transmitting models take wo on either side.
// A model is a small trivially copyable value without heap; tables it points to belong to the MaterialSet.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

#include "render/base/vec.h"
#include "render/material/bsdf.h"
#include "render/material/microfacet.h"

namespace simulacra {

class RoughTransmittance;
class AlbedoTables;

/// Scatters nothing.
struct BlackModel {};

/// Passes everything straight.
struct NullModel {};

/// Lambert.
struct DiffuseModel {
  Rgb albedo;
};

/// Metal with a complex index of refraction relative to the outside.
struct ConductorModel {
  Rgb eta, k, reflectance;
  bool smooth;
  Microfacet facets;
};

/// Interface between two dielectrics.
struct DielectricModel {
  Rgb reflectance, transmittance;
  float eta;  ///< inside / outside
  bool smooth;
  Microfacet facets;
};

/// Two parallel interfaces so close that refraction does not show.
struct ThinDielectricModel {
  Rgb reflectance, transmittance;
  float eta;
};

/// Diffuse base under a dielectric interface, with light that is reflected back and forth in between.
struct PlasticModel {
  Rgb diffuse, specular;
  float eta, inv_eta_squared;
  float internal_reflectance;  ///< of the interface under diffuse light from inside
  float specular_weight;       ///< steers sampling: mean specular / (mean specular + mean diffuse)
  bool nonlinear;
  bool smooth;
  Microfacet facets;
  const RoughTransmittance* rough;  ///< null when smooth
};

/// OpenPBR-like stack, from the top: sheen, clear coat, then a mix of metal and dielectric that share one
/// microfacet distribution; under the dielectric's specular lobe a mix of diffuse base and transmission.
struct StandardModel {
  Rgb base;
  Rgb f0;                  ///< of the dielectric specular lobe at normal incidence
  Rgb transmission_tint;
  Rgb sheen;
  Rgb solid_reflectance;   ///< tint of the reflection of solid glass
  float metallic, f90, transmission, ior, coat, sheen_alpha;
  float roughness, coat_roughness;
  float alpha, coat_alpha; ///< roughness²; below kSmoothAlpha the lobe is a delta
  float under_mean;        ///< what the dielectric specular lobe lets through of diffuse light
  bool thin_walled;
  const AlbedoTables* tables;

  static constexpr float kSmoothAlpha = 1e-3f;
};

using BsdfModel = std::variant<BlackModel, NullModel, DiffuseModel, ConductorModel, DielectricModel,
                               ThinDielectricModel, PlasticModel, StandardModel>;

/// A weighted sum of at most kMaxLeaves models (one, unless the material is a blend).
struct Bsdf {
  static constexpr int kMaxLeaves = 4;
  struct Leaf {
    BsdfModel model;
    float weight = 1;
    bool two_sided = true;  ///< false: a reflector is black from behind
  };

  Bsdf() = default;
  explicit Bsdf(const BsdfModel& model, bool two_sided = true) : count(1) { leaves[0] = {model, 1, two_sided}; }
  // Copies what is used: a single leaf is the rule.
  Bsdf(const Bsdf& other) : count(other.count) { copy_leaves(other); }
  Bsdf& operator=(const Bsdf& other) {
    count = other.count;
    copy_leaves(other);
    return *this;
  }

  int count = 0;
  std::array<Leaf, kMaxLeaves> leaves;

 private:
  void copy_leaves(const Bsdf& other) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) leaves[i] = other.leaves[i];
  }
};

// One model each; see bsdf.h for the meaning.
BsdfEval eval(const DiffuseModel&, Vec3 wo, Vec3 wi);
BsdfEval eval(const ConductorModel&, Vec3 wo, Vec3 wi);
BsdfEval eval(const DielectricModel&, Vec3 wo, Vec3 wi);
BsdfEval eval(const PlasticModel&, Vec3 wo, Vec3 wi);
BsdfEval eval(const StandardModel&, Vec3 wo, Vec3 wi);
std::optional<BsdfSample> sample(const DiffuseModel&, Vec3 wo, float u_lobe, Vec2 u);
std::optional<BsdfSample> sample(const ConductorModel&, Vec3 wo, float u_lobe, Vec2 u);
std::optional<BsdfSample> sample(const DielectricModel&, Vec3 wo, float u_lobe, Vec2 u);
std::optional<BsdfSample> sample(const ThinDielectricModel&, Vec3 wo, float u_lobe, Vec2 u);
std::optional<BsdfSample> sample(const PlasticModel&, Vec3 wo, float u_lobe, Vec2 u);
std::optional<BsdfSample> sample(const StandardModel&, Vec3 wo, float u_lobe, Vec2 u);
Rgb diffuse_albedo(const StandardModel&);
Rgb straight_transmittance(const ThinDielectricModel&, Vec3 wo);
Rgb straight_transmittance(const StandardModel&, Vec3 wo);
bool has_smooth_lobe(const StandardModel&);

}  // namespace simulacra
