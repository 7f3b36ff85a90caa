// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/texture/texture.h"

namespace simulacra {

/// Radiance from outside, constant or an image, sampled in proportion to it. See EnvironmentDescription for
/// the parameterisation. Directions point away from the scene, in the world frame, unit.
class EnvironmentLight {
 public:
  EnvironmentLight(const EnvironmentDescription& description, const TextureSet& textures);

  Rgb radiance(Vec3 direction) const;
  struct Sample {
    Vec3 direction;
    Rgb radiance;
    float pdf;  ///< per solid angle
  };
  std::optional<Sample> sample(Vec2 u) const;
  float pdf(Vec3 direction) const;
  bool black() const { return total_ <= 0; }

 private:
  Vec2 uv_of(Vec3 direction) const;

  Mat3 world_from_environment_, environment_from_world_;
  Rgb scale_;
  Picture image_;                        ///< empty: constant
  std::vector<float> conditional_;       ///< per row: running sums, width_ + 1 entries
  std::vector<float> marginal_;          ///< running sums of rows, height + 1 entries
  float total_ = 0;
};

}  // namespace simulacra
