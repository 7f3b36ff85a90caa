// SPDX-License-Identifier: Apache-2.0
#include "render/material/src/rough_transmittance.h"

#include <vector>

#include "render/material/fresnel.h"
#include "render/material/src/hemisphere.h"

namespace simulacra {
namespace {

struct Quadrature {
  std::vector<float> nodes, weights;  ///< on [0, 1]; weights sum to 1
};

// Gauss-Legendre: the roots of the Legendre polynomial by Newton steps.
Quadrature gauss_legendre(int n) {
  Quadrature q;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(kPiD * (i + 0.75) / (n + 0.5)), derivative = 1;
    for (int step = 0; step < 20; ++step) {
      double p0 = 1, p1 = x;
      for (int k = 2; k <= n; ++k) {
        const double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
      }
      derivative = n * (x * p1 - p0) / (x * x - 1);
      const double move = p1 / derivative;
      x -= move;
      if (std::abs(move) < 1e-15) break;
    }
    q.nodes.push_back(static_cast<float>(0.5 + 0.5 * x));
    q.weights.push_back(static_cast<float>(1 / ((1 - x * x) * derivative * derivative)));
  }
  return q;
}

float reflected(const Microfacet& facets, Vec3 wo, Vec3 m, float eta) {
  const Vec3 wi = reflect(wo, m);
  if (wi.z <= 0) return 0;
  return facets.masking(wi, m) * fresnel_dielectric(dot(wo, m), eta).reflectance;
}

float transmitted(const Microfacet& facets, Vec3 wo, Vec3 m, float eta) {
  const FresnelDielectric f = fresnel_dielectric(dot(wo, m), eta);
  const Vec3 wi = m * (dot(wo, m) * f.eta_ti + f.cos_t) - wo * f.eta_ti;
  if (wi.z >= 0) return 0;
  return facets.masking(wi, m) * (1 - f.reflectance);
}

// Facets that wo (in the xz plane) sees, for u = (node, node). A Beckmann slope depends on one of both only.
std::vector<Vec3> visible_facets(const Microfacet& facets, Vec3 wo, const std::vector<float>& nodes) {
  std::vector<Vec3> result;
  result.reserve(nodes.size() * nodes.size());
  if (facets.kind == MicrofacetKind::ggx) {
    for (const float u : nodes)
      for (const float v : nodes) result.push_back(facets.sample_visible(wo, {u, v}));
    return result;
  }
  const float alpha = facets.alpha_u, stretched = wo.z / std::hypot(alpha * wo.x, wo.z);
  std::vector<float> across;
  for (const float v : nodes) across.push_back(beckmann_visible_slope(stretched, {0.5f, v}).y);
  for (const float u : nodes) {
    const float along = beckmann_visible_slope(stretched, {u, 0.5f}).x;
    for (const float y : across) result.push_back(normalize(Vec3{-alpha * along, -alpha * y, 1}));
  }
  return result;
}

// Mean over visible facets of `part`.
template <typename Part>
float integrate(const Microfacet& facets, Vec3 wo, float eta, const Quadrature& q, Part part) {
  const std::vector<Vec3> normals = visible_facets(facets, wo, q.nodes);
  const std::size_t n = q.nodes.size();
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      sum += double{q.weights[i]} * double{q.weights[j]} * double{part(facets, wo, normals[i * n + j], eta)};
  return static_cast<float>(sum);
}

}  // namespace

RoughTransmittance::RoughTransmittance(MicrofacetKind kind, float alpha, float eta) {
  const Microfacet facets{kind, alpha, alpha};
  const Quadrature outside = gauss_legendre(eta > 1 ? 32 : 128), inside = gauss_legendre(eta > 1 ? 128 : 32);
  double sum = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    const float mu = std::max(1e-6f, static_cast<float>(i) / (kNodes - 1));
    const Vec3 wo{std::sqrt(1 - mu * mu), 0, mu};
    external_[i] = integrate(facets, wo, eta, outside, transmitted);
    sum += double{integrate(facets, wo, 1 / eta, inside, reflected)} * double{mu};
  }
  internal_reflectance_ = static_cast<float>(2 * sum / kNodes);
}

}  // namespace simulacra
