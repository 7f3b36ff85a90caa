// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "render/description/description.h"

namespace simulacra {

/// Wall, floor or ceiling (NYU40 ids) for those objects marked `open` whose shape leaves no doubt, else -1.
/// An object counts as flat when 95 % of its area faces within 10 degrees of one world axis (either way).
/// Floor: flat, within 5 % of the room's height of its bottom, and at least 30 % of the room's footprint in
/// area; ceiling the same at the top; wall: upright, within 5 % of the room's side, at least 30 % of that
/// side. The room is the box of all objects; the scene must be z-up.
std::vector<int> guess_structure(const SceneDescription& scene, const std::vector<bool>& open);

}  // namespace simulacra
