// SPDX-License-Identifier: Apache-2.0
// Chooses one of many emitters in proportion to an estimate of what it gives at a point
// (Conty Estevez & Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "render/base/vec.h"

namespace simulacra {

/// Where an emitter is, where it shines, how much. Directions lie within theta_o of `axis`; emission falls to
/// nothing theta_e beyond that.
struct LightBounds {
  Box3f box;
  Vec3 axis{0, 0, 1};
  float cos_theta_o = 1;
  float cos_theta_e = 0;
  float power = 0;
  bool two_sided = false;  ///< shines along -axis as well
};

class LightTree {
 public:
  explicit LightTree(std::span<const LightBounds> lights);

  struct Pick {
    std::uint32_t light;
    float probability;
  };
  /// `normal` is the shading normal on the side that can receive light; zero when both sides can.
  /// Nothing when no emitter can contribute. u in [0, 1).
  std::optional<Pick> pick(Vec3 point, Vec3 normal, float u) const;
  /// The probability with which pick() chooses `light` there.
  float probability(Vec3 point, Vec3 normal, std::uint32_t light) const;
  bool empty() const { return nodes_.empty(); }

 private:
  struct Node {
    Vec3 center;
    float radius_squared = 0;    ///< of the box's circumscribed sphere
    Vec3 axis;
    float cos_theta_o = 1, cos_theta_e = 0, power = 0;
    std::uint32_t child = 0;     ///< index of the second child (the first follows its parent); leaf: the light
    bool leaf = false, two_sided = false;
  };
  float importance(const Node& node, Vec3 point, Vec3 normal) const;
  std::uint32_t build(std::span<const LightBounds> lights, std::span<std::uint32_t> order, std::uint64_t trail, int depth);

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> trail_of_light_;  ///< bit d: which child at depth d
};

}  // namespace simulacra
