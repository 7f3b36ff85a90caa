// SPDX-License-Identifier: Apache-2.0
#include "dataset/trajectory/src/limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/trajectory/src/random.h"

namespace simulacra {
namespace {

constexpr int kFan = 96;            // directions of the fan of rays
constexpr double kRoomSizeM = 4;    // spaces smaller than this scale distances down

}  // namespace

ContentLimits content_limits(const ViewOptions& o, double scene_size_m) {
  const double scale = std::min(1.0, scene_size_m / kRoomSizeM);
  ContentLimits limits;
  limits.max_empty_share = o.max_empty_share;
  limits.max_near_share = 0.02;
  limits.max_object_share = o.max_object_share;
  limits.min_depth_range_m = o.min_depth_range_m;
  limits.min_median_m = 1.0 * scale;
  limits.min_objects = o.min_objects;
  return limits;
}

ContentLimits relaxed(ContentLimits limits, const ViewContent& base) {
  limits.max_empty_share = std::max(limits.max_empty_share, base.empty_share);
  limits.max_near_share = std::max(limits.max_near_share, base.near_share);
  limits.max_object_share = std::max(limits.max_object_share, base.largest_share);
  limits.min_depth_range_m = std::min(limits.min_depth_range_m, base.depth_range_m);
  limits.min_median_m = std::min(limits.min_median_m, base.median_m);
  limits.min_objects = std::min(limits.min_objects, base.objects);
  return limits;
}

std::optional<Rejection> judge_content(const ViewContent& content, const ContentLimits& limits) {
  if (content.empty_share > limits.max_empty_share) return Rejection::emptiness;
  if (content.near_share > limits.max_near_share) return Rejection::blocked;
  if (content.objects < limits.min_objects || content.largest_share > limits.max_object_share) return Rejection::blank;
  if (content.median_m < limits.min_median_m) return Rejection::blocked;
  if (content.depth_range_m < limits.min_depth_range_m) return Rejection::flat;
  return std::nullopt;
}

double clearance(const ViewProbe& probe, Vec3d position) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kFan; ++i)
    if (const auto hit = probe(position, sphere_direction(i, kFan))) least = std::min(least, hit->distance_m);
  return least;
}

bool is_inside_object(const SceneDescription& scene, const ViewProbe& probe, Vec3d position) {
  std::map<int, int> back_sides;
  for (int i = 0; i < kFan; ++i)
    if (const auto hit = probe(position, sphere_direction(i, kFan)); hit && hit->back_side) ++back_sides[hit->object];
  const auto most = std::max_element(back_sides.begin(), back_sides.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == back_sides.end() || most->second < kFan / 2) return false;
  // Models of rooms often show the back of their walls: what encloses half of the scene is a room.
  SceneDescription alone;
  alone.objects.push_back(scene.objects[static_cast<std::size_t>(most->first)]);
  ObjectDescription& object = alone.objects[0];
  if (object.mesh >= 0) {
    alone.meshes.push_back(scene.meshes[static_cast<std::size_t>(object.mesh)]);
    object.mesh = 0;
  }
  const Vec3d own = world_box(alone).size(), all = world_box(scene).size();
  return own.x < 0.5 * all.x || own.y < 0.5 * all.y;
}

}  // namespace simulacra
