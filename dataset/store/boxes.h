// SPDX-License-Identifier: Apache-2.0
// Bounding boxes of instances. World frame, metres.
#pragma once

#include <span>
#include <vector>

#include "dataset/schema/layout.h"
#include "render/base/vec.h"

namespace simulacra {

struct OrientedBox {
  Vec3d center;
  Mat3d world_from_box;   ///< a rotation
  Vec3d extents;          ///< full side lengths
};

/// Convex hull of points in the plane, counter-clockwise, without points on its edges. Fewer than three points
/// when they all lie on a line.
std::vector<Vec2d> convex_hull(std::vector<Vec2d> points);

/// The rectangle of least area around a hull, by rotating calipers: one of its sides lies on an edge of the hull.
struct Rectangle {
  Vec2d axis;             ///< unit; the other axis is it turned by +90°
  double lo_x = 0, hi_x = 0, lo_y = 0, hi_y = 0;  ///< along axis and across it
  double area() const { return (hi_x - lo_x) * (hi_y - lo_y); }
};
Rectangle smallest_rectangle(std::span<const Vec2d> hull);

/// A box about z of least footprint around `points`: x is its longer horizontal side, on the side of `centroid`.
/// `points` is not empty.
OrientedBox object_aligned_box(std::span<const Vec3d> points, Vec3d centroid);
OrientedBox axis_aligned_box(std::span<const Vec3d> points);

}  // namespace simulacra
