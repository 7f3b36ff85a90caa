// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/base/vec.h"

namespace simulacra {

/// One view. World frame, metres. The camera looks along -z; y is up in the image.
struct Pose {
  Affine3d world_from_cam;     ///< a rotation and a position
  Vec3d look_at;               ///< a point on the viewing axis in front of the camera
  std::string origin;          ///< where the pose came from, for the manifest
};

}  // namespace simulacra
