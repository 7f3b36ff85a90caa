// SPDX-License-Identifier: Apache-2.0
// Geometry and identity labels, measured along one ray through each pixel's center.
#pragma once

#include <optional>

#include "render/camera/camera.h"
#include "render/image/frame.h"
#include "render/scene/interaction.h"
#include "render/scene/scene.h"

namespace simulacra {

/// What the label ray of a pixel found.
struct LabelHit {
  Interaction at;
  Vec3 normal, bumped_normal;   ///< unit, turned to the viewer, world frame
  Vec3d position;               ///< world frame; on the pixel's center ray, also where a sliver's interpolation is not
  double distance_m = 0;        ///< from the camera's center of projection
  bool passed_cutout = false;   ///< went through a surface with opacity below 0.5
};

/// Passes surfaces whose opacity is below 0.5 there, and stops at glass.
std::optional<LabelHit> label_hit(const Scene::State& scene, const Camera& camera, int column, int row);

/// Writes every center-ray label of the pixel into the frame's allocated planes.
void write_labels(Frame& frame, const Scene::State& scene, const Camera& camera, int column, int row,
                  const std::optional<LabelHit>& hit);

}  // namespace simulacra
