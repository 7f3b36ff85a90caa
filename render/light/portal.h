// SPDX-License-Identifier: Apache-2.0
// Windows as places to look for the environment: from inside a room nearly all of its light comes through them.
#pragma once

#include <optional>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/material/material.h"

namespace simulacra {

/// The rectangle corner + [0,1] edge_u + [0,1] edge_v, edges at right angles. World frame.
struct Portal {
  Vec3d corner, edge_u, edge_v;
};

/// Rectangles around the flat panes of the scene's thin clear materials, at most `max_portals`, the largest first.
/// Panes in one plane share a rectangle: a portal is a hint where light may come from, not a claim that it does.
std::vector<Portal> find_portals(const SceneDescription& scene, const MaterialSet& materials, std::size_t max_portals = 16);

/// Chooses a direction through one of several portals, uniformly over the solid angle of the one chosen.
class PortalSet {
 public:
  explicit PortalSet(std::vector<Portal> portals) : portals_(std::move(portals)) {}

  bool empty() const { return portals_.empty(); }
  /// Unit direction; nothing where no portal is seen under a positive solid angle.
  std::optional<Vec3> sample(Vec3 point, float u_choice, Vec2 u) const;
  /// Density of sample() per solid angle; 0 for directions that miss all portals.
  float pdf(Vec3 point, Vec3 direction) const;

 private:
  std::vector<Portal> portals_;
};

}  // namespace simulacra
