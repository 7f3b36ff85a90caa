// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/description/description.h"
#include "render/scene/scene.h"

namespace simulacra {

/// A sensible view of a scene that brings no camera: from inside when its middle is enclosed (eye height, the
/// corner that looks deepest into the space), else the whole of it from the front and above.
/// `why` says in words what was chosen.
CameraDescription default_view(const Scene& scene, std::string& why);

}  // namespace simulacra
