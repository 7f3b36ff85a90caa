// SPDX-License-Identifier: Apache-2.0
// Small scenes with known answers.
#pragma once

#include "render/description/description.h"

namespace simulacra::test {

/// A diffuse material of the given reflectance and emission.
int add_diffuse(SceneDescription& scene, Rgb reflectance, Rgb emission = Rgb{0.0f});

/// A rectangle with corner p, edges a and b, normal a x b; returns the object's index.
int add_rectangle(SceneDescription& scene, Vec3 p, Vec3 a, Vec3 b, int material);

/// A closed cube of side `side` around the origin, normals inwards (the viewer inside sees its front).
void add_box_room(SceneDescription& scene, float side, int material);

int add_sphere(SceneDescription& scene, Vec3 center, float radius, int material);

/// A camera at `eye` that looks at `target`, z up, 60 degrees.
CameraDescription camera_at(Vec3d eye, Vec3d target);

}  // namespace simulacra::test
