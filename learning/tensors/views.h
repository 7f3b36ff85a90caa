// SPDX-License-Identifier: Apache-2.0
// Which frames show the same place. Of each frame a coarse grid of surface points is taken (every one on the ray of its
// pixel, at the stored depth). A point of frame a is also seen by frame b when it falls into b's image and is not further
// from b's camera than what b sees there, by kOcclusionTolerance. The overlap of a and b is the smaller of the two shares.
#pragma once

#include <cstddef>
#include <vector>

#include "render/base/vec.h"

namespace simulacra {

inline constexpr std::size_t kViewGridRows = 12, kViewGridColumns = 16;
/// Of the distance: what a point may lie behind a neighbouring pixel's surface on slanted ones.
inline constexpr double kOcclusionTolerance = 0.1;

/// What a camera sees, coarsely. World frame, metres.
struct ViewGeometry {
  Affine3d world_from_cam;
  Mat3d cam_from_uv;
  std::vector<float> distance;     ///< kViewGridRows x kViewGridColumns, Euclidean; NaN where nothing is
};

/// The share of a's surface points that b sees too; 0 when a has none.
double seen_share(const ViewGeometry& a, const ViewGeometry& b);
/// The smaller of both directions: symmetric.
double view_overlap(const ViewGeometry& a, const ViewGeometry& b);

}  // namespace simulacra
