// SPDX-License-Identifier: Apache-2.0
// Scenes with known answers, and what the frame promises.
#include "render/session/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/scenes.h"

namespace simulacra {
namespace {

Scene make_scene(SceneDescription description) {
  Diagnostics d;
  return Scene(std::move(description), {}, d);
}

double mean(const Plane& plane, std::size_t channel) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = channel; i < plane.f.size(); i += 3, ++n) sum += static_cast<double>(plane.f[i]);
  return sum / static_cast<double>(n);
}

// Inside a closed room whose walls have albedo a and emission 1, radiance is 1 + a + a² + … up to the depth:
// every direction sees the same. Depth D gives the sum of D terms.
TEST(Furnace, AClosedRoomSumsTheGeometricSeries) {
  for (const int depth : {1, 2, 3, 8}) {
    SceneDescription description;
    test::add_box_room(description, 4, test::add_diffuse(description, Rgb{0.5f, 0.25f, 0.75f}, Rgb{1.0f}));
    const Scene scene = make_scene(description);
    const Camera camera(test::camera_at({0.3, 0.2, 0.1}, {1, 2, 0.3}), 24, 16);
    const Frame frame = render(scene, camera, {.spp = 256, .threads = 2, .max_depth = depth, .roulette_depth = 1000});
    const double albedo[3] = {0.5, 0.25, 0.75};
    for (std::size_t c = 0; c < 3; ++c) {
      const double expected = (1 - std::pow(albedo[c], depth)) / (1 - albedo[c]);
      // 98,304 samples of next-event estimation: standard error below 0.1 %.
      EXPECT_NEAR(mean(frame.plane(Label::color), c) / expected, 1, 0.005) << "depth " << depth << ", channel " << c;
    }
  }
}

TEST(Furnace, RussianRouletteChangesNoMean) {
  SceneDescription description;
  test::add_box_room(description, 4, test::add_diffuse(description, Rgb{0.8f}, Rgb{1.0f}));
  const Scene scene = make_scene(description);
  const Camera camera(test::camera_at({0.3, 0.2, 0.1}, {1, 2, 0.3}), 24, 16);
  const Frame frame = render(scene, camera, {.spp = 512, .max_depth = 400, .roulette_depth = 2});
  EXPECT_NEAR(mean(frame.plane(Label::color), 0), 5, 0.05);  // 1 / (1 - 0.8); 1 % is over 4 standard errors
}

// A diffuse ball of any albedo in a uniform environment of radiance 1: color = albedo seen, E = 1.
TEST(Split, IlluminationIsOneUnderAUniformSky) {
  SceneDescription description;
  const int black = test::add_diffuse(description, Rgb{0.0f}), gray = test::add_diffuse(description, Rgb{0.6f, 0.3f, 0.0f});
  test::add_sphere(description, {-6, 0, 0}, 1, black);
  test::add_sphere(description, {6, 0, 0}, 1, gray);
  description.environment = EnvironmentDescription{Rgb{1.0f}, -1, {}};
  const Scene scene = make_scene(description);
  CameraDescription narrow = test::camera_at({0, -40, 0}, {0, 0, 0});
  narrow.fov_rad = 0.4;
  const Frame frame = render(scene, Camera(narrow, 64, 48), {.spp = 64, .max_depth = 2});
  double e = 0;
  int n = 0;
  for (int r = 0; r < 48; ++r)
    for (int c = 0; c < 64; ++c) {
      const std::size_t at = frame.plane(Label::color).at(r, c);
      const auto id = frame.plane(Label::render_entity_id).i[frame.plane(Label::render_entity_id).at(r, c)];
      if (id < 0) {
        EXPECT_EQ(frame.plane(Label::depth_meters).f[frame.plane(Label::depth_meters).at(r, c)] ==
                      frame.plane(Label::depth_meters).f[frame.plane(Label::depth_meters).at(r, c)], false);
        continue;
      }
      if (id == 2 && frame.plane(Label::diffuse_reflectance).f[at] > 0.59f) {
        e += static_cast<double>(frame.plane(Label::diffuse_illumination).f[at]);
        ++n;
        // The channel without reflectance gets its illumination from the extra path: defined, not exact.
        EXPECT_GE(frame.plane(Label::diffuse_illumination).f[at + 2], 0);
      }
    }
  ASSERT_GT(n, 20);
  EXPECT_NEAR(e / n, 1, 0.02);  // the other ball hides under 1 % of the sky
}

TEST(Frame, TheIdentityHoldsToHalfAFloat16Step) {
  SceneDescription description;
  test::add_box_room(description, 4, test::add_diffuse(description, Rgb{0.5f, 0.25f, 0.75f}));
  const int lamp = test::add_diffuse(description, Rgb{0.5f}, Rgb{20.0f});
  test::add_rectangle(description, {-0.5f, -0.5f, 1.9f}, {0, 1, 0}, {1, 0, 0}, lamp);
  const Scene scene = make_scene(description);
  const Frame f = render(scene, Camera(test::camera_at({0, -1.5, 0}, {0, 2, 0}), 40, 30), {.spp = 16});
  for (std::size_t i = 0; i < f.plane(Label::color).f.size(); ++i) {
    const double sum = static_cast<double>(f.plane(Label::diffuse_reflectance).f[i]) *
                           static_cast<double>(f.plane(Label::diffuse_illumination).f[i]) +
                       static_cast<double>(f.plane(Label::residual).f[i]);
    const double color = static_cast<double>(f.plane(Label::color).f[i]);
    EXPECT_LE(std::abs(color - sum), std::max(color * 0x1p-11, 0x1p-25));
  }
  EXPECT_LE(f.stats.max_identity_error_steps, 0.5);
  EXPECT_GT(f.stats.max_identity_error, 0);
}

TEST(Frame, OneThreadAndTwoGiveTheSameBytes) {
  SceneDescription description;
  test::add_box_room(description, 4, test::add_diffuse(description, Rgb{0.5f, 0.25f, 0.75f}));
  test::add_sphere(description, {0.5f, 0.5f, -1}, 0.7f, test::add_diffuse(description, Rgb{0.2f}, Rgb{2.0f}));
  const Scene scene = make_scene(description);
  const Camera camera(test::camera_at({0, -1.5, 0}, {0, 2, 0}), 100, 70);
  const Frame one = render(scene, camera, {.spp = 8, .seed = 5, .threads = 1});
  const Frame two = render(scene, camera, {.spp = 8, .seed = 5, .threads = 2});
  const Frame other = render(scene, camera, {.spp = 8, .seed = 6, .threads = 2});
  for (const LabelSpec& row : kLabels) {
    const Plane &a = one.plane(row.id), &b = two.plane(row.id);
    ASSERT_EQ(a.f.size(), b.f.size());
    const bool same = a.f.empty() || std::memcmp(a.f.data(), b.f.data(), a.f.size() * sizeof(float)) == 0;
    EXPECT_TRUE(same) << row.name;
    EXPECT_EQ(a.i, b.i) << row.name;
  }
  EXPECT_NE(one.plane(Label::color).f, other.plane(Label::color).f);
}

TEST(Frame, LabelsAreThoseOfTheCenterRay) {
  SceneDescription description;
  const int m = test::add_diffuse(description, Rgb{0.5f}, Rgb{1.0f});
  test::add_rectangle(description, {-5, 3, -5}, {10, 0, 0}, {0, 0, 10}, m);  // plane y = 3, normal -y
  const Scene scene = make_scene(description);
  const Camera camera(test::camera_at({0, 0, 0}, {0, 1, 0}), 32, 24);
  const Frame f = render(scene, camera, {.spp = 0});
  EXPECT_FALSE(f.has(Label::color));
  for (int r = 0; r < 24; ++r)
    for (int c = 0; c < 32; ++c) {
      const Vec3 d = camera.center_ray(c, r).direction;
      const std::size_t at = f.plane(Label::depth_meters).at(r, c);
      EXPECT_NEAR(f.plane(Label::depth_planar_meters).f[at], 3, 1e-5);
      EXPECT_NEAR(f.plane(Label::depth_meters).f[at], 3 / d.y, 3 / d.y * 0x1p-11);
      EXPECT_EQ(f.plane(Label::normal_cam).f[3 * at + 2], 1);
      EXPECT_EQ(f.plane(Label::normal_world).f[3 * at + 1], -1);
      EXPECT_EQ(f.plane(Label::render_entity_id).i[at], 1);
      EXPECT_EQ(f.plane(Label::semantic).i[at], -1);
    }
  EXPECT_EQ(f.stats.unlabelled_pixels, 32u * 24u);
}

TEST(Frame, LabelRaysPassCutOutsAndStopAtGlass) {
  SceneDescription description;
  const int wall = test::add_diffuse(description, Rgb{0.5f}, Rgb{1.0f});
  const int veil = test::add_diffuse(description, Rgb{0.5f});
  description.materials[static_cast<std::size_t>(veil)].opacity.factor = 0.4f;
  MaterialDescription glass;
  glass.name = "glass";
  glass.kind = MaterialKind::dielectric;
  description.materials.push_back(glass);
  test::add_rectangle(description, {-5, 3, -5}, {10, 0, 0}, {0, 0, 10}, wall);
  test::add_rectangle(description, {-5, 1, -5}, {10, 0, 0}, {0, 0, 10}, veil);
  test::add_rectangle(description, {0, 2, -5}, {5, 0, 0}, {0, 0, 10}, 2);
  const Scene scene = make_scene(description);
  const Frame f = render(scene, Camera(test::camera_at({0, 0, 0}, {0, 1, 0}), 32, 24), {.spp = 0});
  const Plane &id = f.plane(Label::render_entity_id), &flag = f.plane(Label::transparency);
  EXPECT_EQ(id.i[id.at(12, 2)], 1);
  EXPECT_EQ(flag.i[id.at(12, 2)], 2);
  EXPECT_EQ(id.i[id.at(12, 29)], 3);
  EXPECT_EQ(flag.i[id.at(12, 29)], 3);
}

TEST(Frame, CancellingStopsTheRender) {
  SceneDescription description;
  test::add_box_room(description, 4, test::add_diffuse(description, Rgb{0.5f}, Rgb{1.0f}));
  const Scene scene = make_scene(description);
  const std::atomic<bool> cancel{true};
  EXPECT_THROW(render(scene, Camera(test::camera_at({0, 0, 0}, {0, 1, 0}), 32, 24), {.spp = 4}, {{}, &cancel}), Cancelled);
}

// From a millimetre to ten kilometres the image is the same: nothing in the tracer has a length of its own.
TEST(Scale, TheImageDoesNotDependOnTheUnit) {
  const auto mean_color = [](float scale) {
    SceneDescription description;
    test::add_box_room(description, 4 * scale, test::add_diffuse(description, Rgb{0.5f}));
    const int lamp = test::add_diffuse(description, Rgb{0.0f}, Rgb{10.0f});
    test::add_sphere(description, Vec3{0.5f, 0.5f, 1} * scale, 0.3f * scale, lamp);
    const Scene scene = make_scene(description);
    const double s = static_cast<double>(scale);
    const Frame f = render(scene, Camera(test::camera_at(Vec3d{0, -1.5, 0} * s, Vec3d{0, 2, 0} * s), 40, 30), {.spp = 64});
    return mean(f.plane(Label::color), 0);
  };
  const double reference = mean_color(1);
  EXPECT_GT(reference, 0.05);
  for (const float scale : {2.5e-4f, 0.01f, 100.0f, 2500.0f})
    EXPECT_NEAR(mean_color(scale) / reference, 1, 0.01) << "scale " << scale;  // same samples, other rounding
}

}  // namespace
}  // namespace simulacra
