// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "render/base/vec.h"

namespace simulacra::obj {

/// Cuts a polygon (3 corners or more, in order, nearly flat, perhaps concave, perhaps with holes joined
/// by doubled edges) into triangles over the corners' numbers, appended to `triangles`, with the polygon's
/// winding. Corners with repeated points give triangles without area. False when the outline crosses
/// itself so that no proper cut is found; the triangles then still use all corners.
bool triangulate(std::span<const Vec3d> corners, std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace simulacra::obj
