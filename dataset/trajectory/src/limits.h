// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "dataset/trajectory/views.h"

namespace simulacra {

/// What a view's content must keep.
struct ContentLimits {
  double max_empty_share, max_near_share, max_object_share, min_depth_range_m, min_median_m;
  int min_objects;
};

ContentLimits content_limits(const ViewOptions& options, double scene_size_m);

/// The same limits, but no stricter than what `base` keeps: a variation may be as bad as the pose it varies.
ContentLimits relaxed(ContentLimits limits, const ViewContent& base);

std::optional<Rejection> judge_content(const ViewContent& content, const ContentLimits& limits);

/// Distance to the nearest surface, over directions spread evenly; infinity when nothing is met.
double clearance(const ViewProbe& probe, Vec3d position);

/// True when most directions meet the inner side of one object that is much smaller than the scene: the position
/// lies within a piece of furniture.
bool is_inside_object(const SceneDescription& scene, const ViewProbe& probe, Vec3d position);

}  // namespace simulacra
