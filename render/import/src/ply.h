// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "render/description/description.h"

namespace simulacra {

/// Called with a name and what happens to it: elements and properties that are not used.
using PlyWarning = std::function<void(const std::string& culprit, const std::string& what)>;

/// Reads a PLY mesh: ascii, binary little and big endian, polygons (as fans), normals nx ny nz, uv as u v,
/// s t or texture_u texture_v, colors red green blue (alpha), 8- and 16-bit ones scaled to [0, 1] as they
/// stand. Throws UsageError naming file and culprit.
MeshDescription read_ply(const std::filesystem::path& file, const PlyWarning& warn);

}  // namespace simulacra
