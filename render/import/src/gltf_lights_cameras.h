// SPDX-License-Identifier: Apache-2.0
// Cameras and KHR_lights_punctual of a glTF file.
#pragma once

#include <string>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

/// Appends the camera or light at a node. What cannot be placed (a node scaled to nothing) is left out
/// with a warning.
void add_camera(const Document& document, const JsonRef& reference, const std::string& name,
                const Affine3d& world_from_node, SceneDescription& scene);
void add_light(const Document& document, const JsonRef& reference, const std::string& name,
               const Affine3d& world_from_node, SceneDescription& scene);

}  // namespace simulacra::gltf
