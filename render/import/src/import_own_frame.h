// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

/// As import_scene(), but in the file's own frame: neither to_world() nor make_names_unique() is applied.
/// With `allow_yaml` false, a scene YAML is refused, since one does not place another.
SceneDescription import_in_own_frame(const std::filesystem::path& file, bool allow_yaml, Diagnostics& diagnostics);

}  // namespace simulacra
