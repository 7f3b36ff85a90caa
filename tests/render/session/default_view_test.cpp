// SPDX-License-Identifier: Apache-2.0
#include "render/session/default_view.h"

#include <gmock/gmock.h>

#include "tests/support/scenes.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

/// The default view of a closed box of the given extents, in metres.
std::string view_of_box(Vec3 size, CameraDescription& camera) {
  SceneDescription description;
  const int grey = test::add_diffuse(description, Rgb{0.5f}, Rgb{1.0f});
  const Vec3 x{size.x, 0, 0}, y{0, size.y, 0}, z{0, 0, size.z};
  test::add_rectangle(description, {0, 0, 0}, x, y, grey);
  test::add_rectangle(description, z, y, x, grey);
  test::add_rectangle(description, {0, 0, 0}, z, x, grey);
  test::add_rectangle(description, y, x, z, grey);
  test::add_rectangle(description, {0, 0, 0}, y, z, grey);
  test::add_rectangle(description, x, z, y, grey);
  Diagnostics diagnostics;
  const Scene scene(std::move(description), {}, diagnostics);
  std::string why;
  camera = default_view(scene, why);
  return why;
}

TEST(DefaultView, OfARoomIsAtEyeHeightInside) {
  CameraDescription camera;
  EXPECT_THAT(view_of_box({4, 5, 2.5f}, camera), HasSubstr("inside"));
  EXPECT_NEAR(camera.world_from_cam.translation.z, 1.5, 1e-6);
}

TEST(DefaultView, OfAFlatThingIsFromOutside) {
  CameraDescription camera;
  EXPECT_THAT(view_of_box({2, 0.07f, 2}, camera), HasSubstr("outside"));
}

TEST(DefaultView, OfARoomInOtherUnitsIsNotFromTheFloor) {
  CameraDescription camera;
  EXPECT_THAT(view_of_box({556, 559, 549}, camera), HasSubstr("inside"));
  EXPECT_GT(camera.world_from_cam.translation.z, 150);
}

}  // namespace
}  // namespace simulacra
