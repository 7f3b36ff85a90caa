// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "render/description/description.h"
#include "render/description/diagnostics.h"
#include "render/import/src/obj_parse.h"

namespace simulacra::obj {

/// One mesh a part of the file, in the order of file.parts; a part of which nothing is left has an empty
/// mesh. Positions are relative to `origin`. Polygons are cut into triangles; faces at vertices that are not
/// finite are left out with a warning. Normals: those of the file; else smooth ones within a smoothing
/// group, over all parts; else none, or flat ones where other faces of the part have some. Vertex colors
/// are taken as sRGB, and as 8-bit numbers when one exceeds 1.
std::vector<MeshDescription> build_meshes(const File& file, Vec3d origin, const std::filesystem::path& path,
                                          Diagnostics& diagnostics);

}  // namespace simulacra::obj
