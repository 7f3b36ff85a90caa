// SPDX-License-Identifier: Apache-2.0
// Operations on MeshDescription: areas, normals, checks, changes of frame.
//  - Triangles are counter-clockwise seen from their outer side.
//  - Functions expect indices in range; check_mesh() establishes that for what came from outside.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

/// The corners of one triangle, in the mesh's frame.
std::array<Vec3, 3> triangle_corners(const MeshDescription& mesh, std::size_t triangle);

/// Unit normal of the outer side; the zero vector for a triangle without area.
Vec3 triangle_normal(Vec3 a, Vec3 b, Vec3 c);

/// In squared units of the corners' frame.
double triangle_area(Vec3d a, Vec3d b, Vec3d c);

/// Sum of all triangles' areas in the world frame.
double surface_area(const MeshDescription& mesh, const Affine3d& world_from_object);

/// Box of the positions in the mesh's frame.
Box3f mesh_box(const MeshDescription& mesh);

/// Throws Error, naming `where`, when an index is out of range, an array has a wrong length or a
/// position is not finite. Normals that are not finite or zero are replaced by the normal of a
/// triangle that uses the vertex; the number of replaced ones is returned.
std::size_t check_mesh(MeshDescription& mesh, const std::string& where);

/// Smooth vertex normals: the mean of the normals of the triangles at a vertex, weighted by the angle
/// there (Thürmer and Wüthrich 1998). Vertices with equal positions but different indices stay apart.
void compute_vertex_normals(MeshDescription& mesh);

/// Tangents along growing u of the first UV set, across the normals, with w = +1: the bitangent is
/// normal x tangent whatever the handedness of the UVs (Mitsuba's convention). Nothing without UVs or normals.
void compute_u_tangents(MeshDescription& mesh);

/// Turns triangles whose vertex normals point to the other side (their sum against the geometric
/// normal). Returns how many were turned.
std::size_t wind_by_normals(MeshDescription& mesh);

/// Reverses the winding of all triangles.
void reverse_winding(MeshDescription& mesh);

/// The mesh in another frame: positions and tangents are moved, normals by the inverse transpose. With
/// `keep_outside` a mirroring transform reverses the winding, so that the outer side stays the outer side.
MeshDescription transformed(const MeshDescription& mesh, const Affine3d& target_from_mesh, bool keep_outside = true);

/// True when the transform is a rotation (also mirrored) with one scale, to a relative 1e-4.
bool is_similarity(const Affine3d& transform);

/// The scale of a similarity: cube root of the volume ratio.
double mean_scale(const Affine3d& transform);

}  // namespace simulacra
