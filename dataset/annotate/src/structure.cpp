// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/src/structure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dataset/annotate/nyu40.h"

namespace simulacra {
namespace {

constexpr double kFlatShare = 0.95, kNear = 0.05, kLargeShare = 0.3;
const double kFlatCosine = std::cos(10 * kPiD / 180);

/// Extent and the area that faces along each world axis.
struct Shape {
  Vec3d lo, hi;
  std::array<double, 3> facing{};
  double area = 0;
};

Shape measure(const MeshDescription& mesh, const Affine3d& world_from_object) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Shape s{{inf, inf, inf}, {-inf, -inf, -inf}, {}, 0};
  for (const Triangle& t : mesh.triangles) {
    const Vec3d a = world_from_object.point(Vec3d(mesh.positions[t[0]]));
    const Vec3d b = world_from_object.point(Vec3d(mesh.positions[t[1]]));
    const Vec3d c = world_from_object.point(Vec3d(mesh.positions[t[2]]));
    s.lo = min(s.lo, min(a, min(b, c)));
    s.hi = max(s.hi, max(a, max(b, c)));
    const Vec3d twice = cross(b - a, c - a);
    const double size = length(twice);
    s.area += size / 2;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (std::abs(twice[axis]) >= kFlatCosine * size) s.facing[axis] += size / 2;
  }
  return s;
}

int classify(const Shape& s, Vec3d lo, Vec3d hi) {
  if (s.area <= 0) return -1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double depth = hi[axis] - lo[axis];
    const double face = (hi[(axis + 1) % 3] - lo[(axis + 1) % 3]) * (hi[(axis + 2) % 3] - lo[(axis + 2) % 3]);
    if (s.facing[axis] < kFlatShare * s.area || s.facing[axis] < kLargeShare * face) continue;
    const bool low = s.hi[axis] - lo[axis] <= kNear * depth, high = hi[axis] - s.lo[axis] <= kNear * depth;
    if (axis == 2 && low) return kFloor;
    if (axis == 2 && high) return kCeiling;
    if (axis != 2 && (low || high)) return kWall;
  }
  return -1;
}

}  // namespace

std::vector<int> guess_structure(const SceneDescription& scene, const std::vector<bool>& open) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  Vec3d lo{inf, inf, inf}, hi{-inf, -inf, -inf};
  std::vector<Shape> shapes(scene.objects.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ObjectDescription& object = scene.objects[i];
    if (object.mesh < 0) continue;
    shapes[i] = measure(scene.meshes[static_cast<std::size_t>(object.mesh)], object.world_from_object);
    lo = min(lo, shapes[i].lo);
    hi = max(hi, shapes[i].hi);
  }
  std::vector<int> guesses(shapes.size(), -1);
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (open[i]) guesses[i] = classify(shapes[i], lo, hi);
  return guesses;
}

}  // namespace simulacra
