// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "render/base/vec.h"

namespace simulacra {

/// Share of light that a lobe reflects with Schlick's Fresnel term: f0 * from_f0 + f90 * from_f90.
struct SchlickAlbedo {
  float from_f0, from_f90;
  float operator()(float f0, float f90) const { return f0 * from_f0 + f90 * from_f90; }
};

/// Directional albedos of the lobes of StandardModel, so that a layer knows what the one above takes.
/// The same for all materials.
class AlbedoTables {
 public:
  /// Computed at the first call (about 50 ms).
  static const AlbedoTables& get();

  /// GGX reflection under Schlick's Fresnel term; cos_o >= 0. roughness = sqrt(alpha).
  SchlickAlbedo ggx(float cos_o, float roughness) const;
  /// Its mean over a diffuse hemisphere.
  SchlickAlbedo ggx_mean(float roughness) const;
  /// The sheen lobe of color 1 before normalisation; may exceed 1 near grazing.
  float sheen(float cos_o, float alpha) const;

 private:
  AlbedoTables();
  static constexpr std::size_t kCosines = 48, kAlphas = 24;
  template <typename T>
  using Table = std::array<std::array<T, kCosines>, kAlphas>;
  Table<SchlickAlbedo> ggx_;
  std::array<SchlickAlbedo, kAlphas> ggx_mean_;
  Table<float> sheen_;
};

/// Schlick reflectance of a perfectly smooth interface as the same pair, and its diffuse mean.
SchlickAlbedo smooth_albedo(float cos_o);
inline constexpr SchlickAlbedo kSmoothMeanAlbedo{20.0f / 21.0f, 1.0f / 21.0f};

/// f * cos_i of the sheen lobe of color 1 (Estevez & Kulla 2017 with the visibility of Neubelt & Pettineo
/// 2013) before normalisation; both directions above the surface.
float sheen_lobe(Vec3 wo, Vec3 wi, float alpha);
/// Sheen alphas below this are clamped: the lobe would be a rim of one pixel.
inline constexpr float kMinSheenAlpha = 0.01f;

}  // namespace simulacra
