// SPDX-License-Identifier: Apache-2.0
// The `scene:` group of our YAML files: places scene files and adds lights, cameras, labels and material
// overrides. configs/README.md describes it for users; scene_options_table() is its table of keys.
#pragma once

#include <filesystem>
#include <string>

#include "render/config/config.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

/// Builds the scene that the group `scene` describes. Relative paths are looked for beside the YAML file
/// in which they stand, in `folder`, and in the folders of `search`. The result is z-up and in metres;
/// callers still apply to_world() and make_names_unique(). Throws UsageError naming file, line and key.
SceneDescription import_scene_node(const config::Node& scene, const std::filesystem::path& folder,
                                   Diagnostics& diagnostics);

/// Markdown table of the keys of `scene:`.
std::string scene_options_table();

}  // namespace simulacra
