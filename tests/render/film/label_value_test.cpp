// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "render/film/labels_pass.h"
#include "tests/support/scenes.h"

namespace simulacra {
namespace {

/// A wall in the plane y = 4 of upright slivers, 2 m high and 0.1 mm wide.
void add_wall_of_slivers(SceneDescription& scene, int material) {
  constexpr int kCount = 4000;
  constexpr float kWidth = 1e-4f;
  MeshDescription mesh;
  for (int i = 0; i <= kCount; ++i) {
    const float x = (static_cast<float>(i) - kCount / 2) * kWidth;
    mesh.positions.push_back({x, 4, -1});
    mesh.positions.push_back({x, 4, 1});
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    mesh.triangles.push_back({2 * i, 2 * i + 2, 2 * i + 1});
    mesh.triangles.push_back({2 * i + 1, 2 * i + 2, 2 * i + 3});
  }
  scene.meshes.push_back(std::move(mesh));
  ObjectDescription object;
  object.name = "wall";
  object.mesh = static_cast<int>(scene.meshes.size()) - 1;
  object.material = material;
  scene.objects.push_back(std::move(object));
}

// Interpolation alone stands up to 2 mm beside the ray here: a sliver's barycentric weights are ill-conditioned.
TEST(LabelPosition, LiesOnTheCenterRayAndInThePlaneOfASliver) {
  SceneDescription description;
  add_wall_of_slivers(description, test::add_diffuse(description, Rgb{0.5f}));
  Diagnostics diagnostics;
  const Scene scene(std::move(description), {}, diagnostics);
  const Camera camera(test::camera_at({0.03, 0, 0.02}, {0.01, 4, 0}), 1200, 900);
  int hits = 0;
  double interpolated_error = 0;
  for (int row = 300; row < 600; row += 7)
    for (int column = 560; column < 640; ++column) {
      const auto hit = label_hit(scene.state(), camera, column, row);
      if (!hit) continue;
      ++hits;
      const Ray ray = camera.center_ray(column, row);
      const Vec3d o(ray.origin), d(ray.direction), along = hit->position - o;
      // Directions are rounded to 24 bits, which is half a micrometre at 4 m; a thousandth of a millimetre is below
      // every step of float16 there (2 mm).
      EXPECT_LT(length(along - d * dot(along, d)), 1e-6);
      EXPECT_NEAR(hit->position.y, 4, 2e-6);
      EXPECT_NEAR(hit->distance_m, length(hit->position - camera.position()), 1e-12);
      const Vec3d interpolated = Vec3d(hit->at.at.position) - o;
      interpolated_error = std::max(interpolated_error, length(interpolated - d * dot(interpolated, d)));
    }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(interpolated_error, 1e-5) << "this wall no longer shows what the test is for";
}

}  // namespace
}  // namespace simulacra
