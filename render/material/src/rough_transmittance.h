// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>

#include "render/material/microfacet.h"

namespace simulacra {

/// What a rough dielectric interface lets through, by the cosine of the direction, and what it reflects
/// of diffuse light from inside. Integrated once per (distribution, alpha, eta), with Mitsuba's nodes, so
/// that its `roughplastic` is reproduced including the quadrature's error.
class RoughTransmittance {
 public:
  RoughTransmittance(MicrofacetKind kind, float alpha, float eta);

  /// Transmittance of light from outside; linear between 64 nodes in cos_theta >= 0.
  float external(float cos_theta) const {
    const float x = cos_theta * (kNodes - 1);
    const int i = std::clamp(static_cast<int>(x), 0, kNodes - 2);
    const float t = x - static_cast<float>(i);
    const std::size_t k = static_cast<std::size_t>(i);
    return (1 - t) * external_[k] + t * external_[k + 1];
  }
  float internal_reflectance() const { return internal_reflectance_; }

 private:
  static constexpr int kNodes = 64;
  std::array<float, kNodes> external_;
  float internal_reflectance_;
};

}  // namespace simulacra
