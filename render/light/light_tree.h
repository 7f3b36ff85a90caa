// SPDX-License-Identifier: Apache-2.0
// Chooses one of many emitters in proportion to an estimate of what it gives at a point
// (Conty Estevez & Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting").
#pragma once

#include <array>
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
  using Lanes = float __attribute__((vector_size(16)));
  using Mask = std::int32_t __attribute__((vector_size(16)));

  /// Up to four children side by side: one pass of vector arithmetic judges them all. Empty lanes have no power.
  struct Node {
    Lanes center_x{}, center_y{}, center_z{}, radius_squared{};  ///< of the box's circumscribed sphere
    Lanes axis_x{}, axis_y{}, axis_z{};
    Lanes cos_theta_o{}, sin_theta_o{}, cos_theta_e{}, power{};
    Mask two_sided{};
    std::array<std::uint32_t, 4> child{};  ///< a node, or a light where `leaf` has the lane's bit
    std::uint8_t leaf = 0;
  };
  struct Branch;  // of the binary tree that the nodes are made from
  static Lanes importance(const Node& node, Vec3 point, Vec3 normal);
  static std::uint32_t build(std::vector<Branch>& branches, std::span<const LightBounds> lights,
                             std::span<std::uint32_t> order, int depth);
  std::uint32_t widen(const std::vector<Branch>& branches, std::uint32_t branch, std::uint64_t trail, int depth);

  std::vector<Node> nodes_;
  std::vector<std::uint64_t> trail_of_light_;  ///< two bits a level: the lane taken there
};

}  // namespace simulacra
