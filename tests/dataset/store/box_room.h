// SPDX-License-Identifier: Apache-2.0
// A small furnished room whose images follow from formulas: what the store writes can be judged without a renderer.
#pragma once

#include <cstddef>
#include <optional>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/image/frame.h"

namespace simulacra::test {

/// Floor, ceiling and four walls (the one at +x has a hole to the outside), a turned cabinet and table, a ball. Classes
/// and instances are set; world frame, metres.
SceneDescription box_room();

/// A view of it through the canonical pinhole with every label; color is made of smooth formulas of position.
Frame box_room_frame(const SceneDescription& room, const Affine3d& world_from_cam, int width, int height);

/// What a ray meets first in it; `direction` need not be unit.
struct RoomHit {
  double distance;
  std::size_t object;
  Vec3d normal;       ///< unit, turned to the origin
  bool back_side;     ///< the ray came from behind
};
std::optional<RoomHit> box_room_hit(const SceneDescription& room, Vec3d origin, Vec3d direction);

/// Looks from eye to target, z up.
Affine3d looking_at(Vec3d eye, Vec3d target);

}  // namespace simulacra::test
