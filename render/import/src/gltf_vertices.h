// SPDX-License-Identifier: Apache-2.0
// The vertices of one primitive while they are put together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/import/src/gltf_accessor.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

struct Influences {
  std::vector<std::array<std::uint32_t, 4>> joints;
  std::vector<Vec4> weights;
};

struct Vertices {
  MeshDescription mesh;
  std::vector<Influences> influences;  ///< JOINTS_0/WEIGHTS_0, JOINTS_1/WEIGHTS_1, …
};

/// Reads the attributes of a primitive. v is turned over: v = 1 - v of the file. Colors get alpha 1
/// when `keep_alpha` is false. Influences are read when `skinned`.
Vertices read_vertices(Document& document, const JsonRef& primitive, bool keep_alpha, bool skinned);

/// Adds the morph targets, each times its weight, to positions, normals and tangents.
void apply_morph(Document& document, const JsonRef& primitive, std::span<const double> weights, MeshDescription& mesh);

/// Turns indices, or consecutive vertices where `indices` is null, into triangles. `mode` is 4, 5 or 6.
std::vector<Triangle> triangles_of(Document& document, const JsonRef& primitive, std::uint64_t mode,
                                   std::size_t num_vertices);

/// Drops the vertices that no triangle uses.
void drop_unused(Vertices& vertices);

/// Refuses positions that are not finite; mends other attributes that are not, with a warning.
void check_and_mend(const Document& document, const JsonRef& primitive, MeshDescription& mesh);

/// Moves the vertices by their weighted joints. `joints` are world_from_mesh.
void apply_skin(const JsonRef& primitive, std::span<const Affine3d> joints, Vertices& vertices);

}  // namespace simulacra::gltf
