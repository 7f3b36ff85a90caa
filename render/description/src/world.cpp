// SPDX-License-Identifier: Apache-2.0
// The source's frame to z-up metres.
#include <algorithm>
#include <cmath>
#include <string>

#include "render/base/error.h"
#include "render/description/description.h"
#include "render/description/src/moved.h"

namespace simulacra {
namespace {

// float16 positions have steps of 1/32 m or more beyond this coordinate.
constexpr double kFarCoordinate_m = 32.0;

Affine3d z_up_from(const SceneDescription& scene) {
  if (scene.up == "z") return {};
  if (scene.up == "y")  // x stays, y becomes z, z becomes -y
    return {Mat3d::from_columns({1, 0, 0}, {0, 0, 1}, {0, -1, 0}), {}};
  fail_usage("{}: up is '{}'; expected y or z", scene.source.string(), scene.up);
}

/// To the box's center at floor level, when it lies far out; nothing when it is there already.
Affine3d recentring(const Box3d& box) {
  if (box.empty()) return {};
  const auto far = [](Vec3d p) {
    return std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > kFarCoordinate_m;
  };
  if (!far(box.lo) && !far(box.hi)) return {};
  const Vec3d center = box.center(), size = box.size();
  const Vec3d shift{-center.x, -center.y, -box.lo.z};
  // What rounding leaves of an earlier recentring.
  const double slack = 1e-9 * std::max({size.x, size.y, size.z, 1.0});
  if (length(shift) <= slack) return {};
  return translation(shift);
}

}  // namespace

void to_world(SceneDescription& scene) {
  if (!(scene.meters_per_unit > 0) || !std::isfinite(scene.meters_per_unit))
    fail_usage("{}: meters_per_unit is {}; expected a number above 0", scene.source.string(), scene.meters_per_unit);
  const double s = scene.meters_per_unit;
  const Affine3d metric = scaling({s, s, s}) * z_up_from(scene);
  if (!(metric == Affine3d{})) move_scene(scene, metric);
  scene.world_from_scene = metric * scene.world_from_scene;
  scene.up = std::string("z");
  scene.meters_per_unit = 1.0;
  const Affine3d shift = recentring(world_box(scene));
  if (!(shift == Affine3d{})) move_scene(scene, shift);
  scene.world_from_scene = shift * scene.world_from_scene;
}

Box3d world_box(const SceneDescription& scene) {
  Box3d box;
  for (const ObjectDescription& object : scene.objects) {
    const Affine3d& world_from_object = object.world_from_object;
    if (object.sphere) {
      const Vec3d center = world_from_object.point(Vec3d(object.sphere->center));
      const double radius = std::abs(static_cast<double>(object.sphere->radius));
      Vec3d reach;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto& row = world_from_object.linear.m[i];
        reach[i] = radius * length(Vec3d(row[0], row[1], row[2]));
      }
      box.add(center - reach);
      box.add(center + reach);
    } else if (object.mesh >= 0) {
      for (const Vec3& p : scene.meshes[static_cast<std::size_t>(object.mesh)].positions)
        box.add(world_from_object.point(Vec3d(p)));
    }
  }
  return box;
}

}  // namespace simulacra
