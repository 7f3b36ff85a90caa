// SPDX-License-Identifier: Apache-2.0
// An OBJ file as it stands: indices resolved and checked, nothing cut or joined yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/description/diagnostics.h"

namespace simulacra::obj {

/// Dense indices; -1 = none.
struct Corner {
  std::int32_t position = -1, uv = -1, normal = -1;
};

struct Face {
  std::uint32_t first_corner = 0, num_corners = 0;
  std::uint32_t part = 0;
  std::uint32_t smoothing = 0;   ///< group number; 0 = off
};

/// Faces with one object name, one group name and one material.
struct Part {
  std::string object, group;     ///< empty when the file names none
  int material = -1;             ///< index into material_names; -1 = no `usemtl` yet
};

struct File {
  std::vector<Vec3d> positions;
  std::vector<Vec4> colors;      ///< RGBA as written; one a position, or empty when no position has one
  std::vector<Vec2> uvs;
  std::vector<Vec3> normals;     ///< as written, any length
  std::vector<Corner> corners;
  std::vector<Face> faces;
  std::vector<Part> parts;       ///< in order of first use
  std::vector<std::string> material_names;
  std::vector<std::string> material_files;  ///< the rest of each `mtllib` line
};

/// Throws UsageError "file:line: …" on a number or index that makes no sense, and when there are no faces.
/// What is left out (points, lines, curves, unknown statements) is warned of, once each.
File parse_obj(std::string_view text, const std::filesystem::path& file, Diagnostics& diagnostics);

}  // namespace simulacra::obj
