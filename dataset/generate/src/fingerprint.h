// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "render/description/description.h"

namespace simulacra {

/// SHA-256 over what a scene's images depend on: names, meshes, transforms, materials, textures, lights. Tells
/// when a scene file was changed between two runs into one folder.
std::string fingerprint(const SceneDescription& scene);

}  // namespace simulacra
