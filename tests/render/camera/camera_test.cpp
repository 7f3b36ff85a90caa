// SPDX-License-Identifier: Apache-2.0
#include "render/camera/camera.h"

#include <gtest/gtest.h>

#include "render/base/error.h"
#include "tests/support/scenes.h"

namespace simulacra {
namespace {

// Numbers of the Hypersim format's canonical camera (1024x768, fov_x 60°), from its description.
TEST(Camera, TheCanonicalPinholeHasThePublishedRays) {
  const Camera camera(Camera::canonical({}), 1024, 768);
  EXPECT_NEAR(camera.cam_from_uv()(0, 0), 0.5773502691896257, 1e-12);
  EXPECT_NEAR(camera.cam_from_uv()(1, 1), 0.4330127018922193, 1e-12);
  EXPECT_EQ(camera.cam_from_uv()(2, 2), -1);
  const Vec3 corner = camera.center_ray(0, 0).direction;
  EXPECT_NEAR(corner.x, -0.46788259, 1e-6);
  EXPECT_NEAR(corner.y, 0.35079760, 1e-6);
  EXPECT_NEAR(corner.z, -0.81118859, 1e-6);
  const Vec3 middle = camera.center_ray(512, 384).direction;
  EXPECT_NEAR(middle.x, 5.63818e-4, 1e-8);
  EXPECT_NEAR(middle.y, -5.63818e-4, 1e-8);
  const Vec3 other = camera.center_ray(100, 700).direction;
  EXPECT_NEAR(other.x, -0.40045243, 1e-6);
  EXPECT_NEAR(other.y, -0.30800291, 1e-6);
  EXPECT_NEAR(other.z, -0.86300177, 1e-6);
}

TEST(Camera, ProjectionUndoesTheRay) {
  CameraDescription d = test::camera_at({1, -2, 1.5}, {0.3, 4, 0.2});
  d.principal_offset = {0.1, -0.05};
  for (const bool mirrored : {false, true}) {
    d.mirror_x = mirrored;
    const Camera camera(d, 333, 217);
    for (const Vec2d pixel : {Vec2d{0.5, 0.5}, Vec2d{100.25, 50.75}, Vec2d{332.5, 216.5}}) {
      const Ray ray = camera.ray(pixel, {0.5f, 0.5f});
      const auto back = camera.project(Vec3d(ray.origin) + Vec3d(ray.direction) * 3.7);
      ASSERT_TRUE(back);
      EXPECT_NEAR(back->x, pixel.x, 1e-3);
      EXPECT_NEAR(back->y, pixel.y, 1e-3);
    }
  }
  EXPECT_FALSE(Camera(d, 10, 10).project({1, -3, 1.5}));  // behind
}

TEST(Camera, FieldOfViewKeepsTheAxisThatItNames) {
  CameraDescription d;
  d.fov_rad = kPiD / 2;
  d.fov_axis = CameraDescription::FovAxis::y;
  EXPECT_NEAR(Camera(d, 200, 100).cam_from_uv()(1, 1), 1, 1e-12);
  EXPECT_NEAR(Camera(d, 200, 100).cam_from_uv()(0, 0), 2, 1e-12);
  d.fov_axis = CameraDescription::FovAxis::smaller;
  EXPECT_NEAR(Camera(d, 200, 100).cam_from_uv()(1, 1), 1, 1e-12);
  EXPECT_NEAR(Camera(d, 100, 200).cam_from_uv()(0, 0), 1, 1e-12);
  d.fov_axis = CameraDescription::FovAxis::diagonal;
  const Mat3d m = Camera(d, 300, 400).cam_from_uv();
  EXPECT_NEAR(std::hypot(m(0, 0), m(1, 1)), 1, 1e-12);
}

TEST(Camera, EveryLensRayMeetsTheFocusPlaneAtThePinholePoint) {
  CameraDescription d = test::camera_at({0, 0, 1}, {0, 5, 1});
  const Ray pinhole = Camera(d, 64, 48).ray({10, 20}, {});
  d.aperture_radius_m = 0.1;
  d.focus_distance_m = 3;
  const Camera camera(d, 64, 48);
  const Vec3 focus = pinhole.origin + pinhole.direction * (3 / pinhole.direction.y);
  for (const Vec2 lens : {Vec2{0.1f, 0.2f}, Vec2{0.9f, 0.4f}}) {
    const Ray ray = camera.ray({10, 20}, lens);
    const Vec3 there = ray.origin + ray.direction * ((focus.y - ray.origin.y) / ray.direction.y);
    EXPECT_LT(length(there - focus), 1e-5f);
    EXPECT_GT(length(ray.origin - pinhole.origin), 0.01f);
  }
}

TEST(Camera, ABadDescriptionNamesTheCamera) {
  CameraDescription d;
  d.name = "kitchen";
  d.fov_rad = 4;
  try {
    const Camera camera(d, 10, 10);
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("kitchen"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("180"), std::string::npos);
  }
}

}  // namespace
}  // namespace simulacra
