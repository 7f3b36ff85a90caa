// SPDX-License-Identifier: Apache-2.0
// One way in for every scene file.
#pragma once

#include <filesystem>

#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

/// Chooses the importer by the file's extension and first bytes (.gltf, .glb, .obj, .xml, .yaml). The
/// result is in the world frame (to_world() was applied), with unique object names.
/// Throws UsageError with one line when the file cannot be imported.
SceneDescription import_scene(const std::filesystem::path& file, Diagnostics& diagnostics);

// The single formats. Results are in the file's own frame, `up` and `meters_per_unit` set.
SceneDescription import_gltf(const std::filesystem::path& file, Diagnostics& diagnostics);     // gltf.cpp …
SceneDescription import_obj(const std::filesystem::path& file, Diagnostics& diagnostics);      // obj.cpp …
SceneDescription import_mitsuba(const std::filesystem::path& file, Diagnostics& diagnostics);  // mitsuba*.cpp
/// Our own scene YAML, see configs/README.md.
SceneDescription import_scene_yaml(const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace simulacra
