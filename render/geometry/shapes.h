// SPDX-License-Identifier: Apache-2.0
// Triangle meshes of simple shapes. Sizes, normals and uv are those of Mitsuba 3's plugins of the same
// names, so that its scenes come out alike; outer sides point outwards, flat shapes look along +z.
#pragma once

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

/// The square [-1,1]² at z = 0; uv = (position + 1) / 2.
MeshDescription tessellate_rectangle();

/// The cube [-1,1]³, four vertices a face, each face with the whole uv square.
MeshDescription tessellate_cube();

/// An axis-aligned box with the cube's uv. `lo` must be below `hi` in every coordinate.
MeshDescription tessellate_box(Vec3 lo, Vec3 hi);

/// The unit disk at z = 0; u = radius, v = angle from +x / 2π.
MeshDescription tessellate_disk(int segments = 256);

/// The open unit cylinder along z in [0,1]; u = angle from +x / 2π, v = z. Normals are exact.
MeshDescription tessellate_cylinder(int segments = 256);

/// The transform of tessellate_cylinder() to a cylinder of `radius` from p0 to p1 (different points).
Affine3d cylinder_transform(Vec3d p0, Vec3d p1, double radius);

/// The unit sphere; u = angle from +x / 2π, v = angle from +z / π. Normals are exact.
MeshDescription tessellate_sphere(int segments = 128, int rings = 64);

}  // namespace simulacra
