// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

/// Length ratio of a similarity: the cube root of its volume ratio.
double scale_of(const Affine3d& target_from_source);

/// Moves all that stands in the scene's frame by `target_from_source`: objects, lights, cameras, the
/// environment; lengths scale along (bump heights, lenses), and intensities of point and spot lights
/// scale so that the irradiance they cause stays. For similarities; other maps distort objects only.
void move_scene(SceneDescription& scene, const Affine3d& target_from_source);

}  // namespace simulacra
