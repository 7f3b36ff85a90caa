// SPDX-License-Identifier: Apache-2.0
#include "render/material/src/albedo_tables.h"

#include "render/material/fresnel.h"
#include "render/material/microfacet.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {
namespace {

// Rows lie at equal steps of sqrt(alpha) = roughness, columns at equal steps of the cosine's square root:
// denser where the functions bend.
float roughness_of_row(std::size_t row, std::size_t count) {
  return static_cast<float>(row) / static_cast<float>(count - 1);
}
float alpha_of(float roughness) { return std::max(roughness * roughness, Microfacet::kMinAlpha); }
float cosine_of_column(std::size_t column, std::size_t count) {
  const float t = static_cast<float>(column) / static_cast<float>(count - 1);
  return std::max(t * t, 1e-4f);
}

Vec3 direction_of(float cosine) { return {std::sqrt(1 - cosine * cosine), 0, cosine}; }

// Points of a rank-1 lattice (golden section): even enough in two dimensions for these smooth integrands.
constexpr int kPoints = 610;
Vec2 lattice_point(int i) {
  const double x = (i + 0.5) / kPoints, y = 377.0 * i / kPoints;
  return {static_cast<float>(x), static_cast<float>(y - std::floor(y))};
}

SchlickAlbedo integrate_ggx(float cosine, float alpha) {
  const Microfacet facets{MicrofacetKind::ggx, alpha, alpha};
  const Vec3 wo = direction_of(cosine);
  double from_f0 = 0, from_f90 = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Vec3 m = facets.sample_visible(wo, lattice_point(i));
    const Vec3 wi = reflect(wo, m);
    if (wi.z <= 0) continue;
    const float seen = facets.masking(wi, m), grazing = schlick_weight(dot(wo, m));
    from_f0 += double{seen * (1 - grazing)};
    from_f90 += double{seen * grazing};
  }
  return {static_cast<float>(from_f0 / kPoints), static_cast<float>(from_f90 / kPoints)};
}

float integrate_sheen(float cosine, float alpha) {
  const Vec3 wo = direction_of(cosine);
  double sum = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Vec3 wi = sample_uniform_hemisphere(lattice_point(i));
    if (wi.z > 0) sum += double{sheen_lobe(wo, wi, alpha)} * 2 * kPiD;
  }
  return static_cast<float>(sum / kPoints);
}

struct Position {
  std::size_t index;
  float fraction;
};

Position position(float t, std::size_t count) {
  const float x = std::min(std::max(t, 0.0f), 1.0f) * static_cast<float>(count - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(x), count - 2);
  return {i, x - static_cast<float>(i)};
}

float mix(float a, float b, float t) { return a + (b - a) * t; }
SchlickAlbedo mix(SchlickAlbedo a, SchlickAlbedo b, float t) {
  return {mix(a.from_f0, b.from_f0, t), mix(a.from_f90, b.from_f90, t)};
}

template <typename Table>
auto interpolate(const Table& table, float cos_o, float roughness) {
  const Position row = position(roughness, table.size());
  const Position column = position(std::sqrt(cos_o), table[0].size());
  const auto& low = table[row.index];
  const auto& high = table[row.index + 1];
  return mix(mix(low[column.index], low[column.index + 1], column.fraction),
             mix(high[column.index], high[column.index + 1], column.fraction), row.fraction);
}

}  // namespace

float sheen_lobe(Vec3 wo, Vec3 wi, float alpha) {
  const Vec3 h = normalize(wo + wi);
  const float sin_h = std::sqrt(std::max(0.0f, 1 - h.z * h.z)), inv = 1 / alpha;
  const float d = (2 + inv) * std::pow(sin_h, inv) * (0.5f * kInvPi);
  return d * wi.z / (4 * (wo.z + wi.z - wo.z * wi.z));
}

SchlickAlbedo smooth_albedo(float cos_o) {
  const float grazing = schlick_weight(cos_o);
  return {1 - grazing, grazing};
}

AlbedoTables::AlbedoTables() {
  for (std::size_t row = 0; row < kAlphas; ++row) {
    const float alpha = alpha_of(roughness_of_row(row, kAlphas));
    for (std::size_t column = 0; column < kCosines; ++column) {
      const float cosine = cosine_of_column(column, kCosines);
      ggx_[row][column] = integrate_ggx(cosine, alpha);
      sheen_[row][column] = integrate_sheen(cosine, std::max(alpha, kMinSheenAlpha));
    }
  }
  // The mean of the interpolated table, so that what a layer lets through adds up exactly.
  constexpr int steps = 512;
  for (std::size_t row = 0; row < kAlphas; ++row) {
    double from_f0 = 0, from_f90 = 0;
    for (int i = 0; i < steps; ++i) {
      const float cosine = (static_cast<float>(i) + 0.5f) / steps;
      const SchlickAlbedo a = ggx(cosine, roughness_of_row(row, kAlphas));
      from_f0 += double{2 * cosine * a.from_f0} / steps;
      from_f90 += double{2 * cosine * a.from_f90} / steps;
    }
    ggx_mean_[row] = {static_cast<float>(from_f0), static_cast<float>(from_f90)};
  }
}

const AlbedoTables& AlbedoTables::get() {
  static const AlbedoTables tables;
  return tables;
}

SchlickAlbedo AlbedoTables::ggx(float cos_o, float roughness) const { return interpolate(ggx_, cos_o, roughness); }

SchlickAlbedo AlbedoTables::ggx_mean(float roughness) const {
  const Position row = position(roughness, kAlphas);
  return mix(ggx_mean_[row.index], ggx_mean_[row.index + 1], row.fraction);
}

float AlbedoTables::sheen(float cos_o, float alpha) const { return interpolate(sheen_, cos_o, std::sqrt(alpha)); }

}  // namespace simulacra
