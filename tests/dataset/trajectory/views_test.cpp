// SPDX-License-Identifier: Apache-2.0
#include "dataset/trajectory/views.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>

#include "render/base/error.h"
#include "tests/dataset/store/box_room.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

const SceneDescription& room() {
  static const SceneDescription scene = test::box_room();
  return scene;
}

std::optional<ProbeHit> probe_room(Vec3d origin, Vec3d direction) {
  const auto hit = test::box_room_hit(room(), origin, direction);
  if (!hit) return std::nullopt;
  return ProbeHit{hit->distance, static_cast<int>(hit->object), hit->back_side, false};
}

ViewRequest request(const ViewOptions& options, const SceneDescription& scene = room()) {
  return {scene, probe_room, options, 4.0 / 3, 7, {}};
}

ViewOptions few(int frames) {
  ViewOptions options;
  options.frames = frames;
  options.max_empty_share = 0.03;
  return options;
}

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

double nearest(Vec3d p) {
  double least = INFINITY;
  for (int i = 0; i < 400; ++i) {
    const double z = 1 - (2 * i + 1) / 400.0, r = std::sqrt(1 - z * z), phi = 2.399963 * i;
    if (const auto hit = probe_room(p, {r * std::cos(phi), r * std::sin(phi), z})) least = std::min(least, hit->distance_m);
  }
  return least;
}

TEST(Sampler, StandsInFreeSpaceAtAPersonsHeightAndSeesFurniture) {
  const ViewOptions options = few(12);
  const auto cameras = make_views(request(options));
  ASSERT_EQ(cameras.size(), 1u);
  ASSERT_EQ(cameras[0].size(), 12u);
  for (const Pose& pose : cameras[0]) {
    const Vec3d p = pose.world_from_cam.translation;
    EXPECT_GE(p.z, options.min_height_m - 0.09);  // the carpet of the lowest hit is the floor at z = 0; 2.6 m * 0.45 caps
    EXPECT_LE(p.z, options.max_height_m + 1e-9);
    EXPECT_LT(std::abs(p.x), 2.5);
    EXPECT_LT(std::abs(p.y), 3.0);
    // The sampler's fan has 96 directions, this one 400: up to a few centimetres finer at 0.3 m.
    EXPECT_GT(nearest(p), 0.8 * options.clearance_m);
    EXPECT_NEAR(determinant(pose.world_from_cam.linear), 1, 1e-9);
    EXPECT_GE(pose.world_from_cam.linear(2, 1), 0);
    EXPECT_NEAR(length(normalize(pose.look_at - p) + pose.world_from_cam.linear.column(2)), 0, 1e-9);
    const ViewContent content = look(room(), probe_room, pose.world_from_cam, kPiD / 3, 4.0 / 3);
    EXPECT_LE(content.empty_share, options.max_empty_share);
    EXPECT_GE(content.objects, options.min_objects);
    EXPECT_GE(content.depth_range_m, options.min_depth_range_m);
  }
}

TEST(Sampler, IsAFunctionOfTheSeed) {
  const auto a = make_views(request(few(3))), b = make_views(request(few(3)));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(a[0][i].world_from_cam, b[0][i].world_from_cam);
  ViewRequest other = request(few(3));
  other.seed = 8;
  EXPECT_NE(make_views(other)[0][0].world_from_cam, a[0][0].world_from_cam);
  // Frames do not depend on how many are asked for.
  EXPECT_EQ(make_views(request(few(1)))[0][0].world_from_cam, a[0][0].world_from_cam);
}

TEST(Sampler, ViewsDiffer) {
  ViewOptions options = few(6);
  options.count = 2;
  std::set<double> seen;
  for (const auto& camera : make_views(request(options)))
    for (const Pose& pose : camera) seen.insert(pose.world_from_cam.translation.x);
  EXPECT_EQ(seen.size(), 12u);
}

TEST(Sampler, TooFewViewsIsAnErrorThatCountsTheReasons) {
  ViewOptions options = few(2);
  options.attempts = 50;
  options.min_objects = 50;
  const std::string message = message_of([&] { make_views(request(options)); });
  EXPECT_THAT(message, HasSubstr("box_room: found 0 of 2 views in 50 tries each"));
  EXPECT_THAT(message, HasSubstr("blank"));
}

TEST(Sampler, AsksTheJudge) {
  ViewRequest r = request(few(1));
  r.options.attempts = 60;
  int asked = 0;
  r.judge = [&](const Affine3d&) {
    ++asked;
    return std::optional(Rejection::refused);
  };
  EXPECT_THAT(message_of([&] { make_views(r); }), HasSubstr("too dark, too bright or one color"));
  EXPECT_GT(asked, 0);
}

TEST(ScenePoses, ComeFirstAndAreVariedAfterwards) {
  SceneDescription scene = room();
  CameraDescription camera;
  camera.name = "artist";
  camera.world_from_cam = looking_at({-1.2, -2.4, 1.5}, {0.2, 1.2, 0.9});
  scene.cameras.push_back(camera);
  const ViewOptions options = few(8);
  const std::vector<Pose> poses = make_views(request(options, scene))[0];
  EXPECT_EQ(poses[0].origin, "scene camera artist");
  EXPECT_NEAR(length(poses[0].world_from_cam.translation - camera.world_from_cam.translation), 0, 1e-12);
  for (std::size_t i = 1; i < poses.size(); ++i) {
    EXPECT_EQ(poses[i].origin, "scene camera artist, varied");
    const double step = length(poses[i].world_from_cam.translation - camera.world_from_cam.translation);
    EXPECT_GT(step, 0);
    EXPECT_LE(step, std::sqrt(3.0) * options.variation_m);
  }
}

TEST(ScenePoses, AMatrixOfFewDigitsBecomesARotation) {
  SceneDescription scene = room();
  CameraDescription camera;
  camera.world_from_cam = looking_at({-1.2, -2.4, 1.5}, {0.2, 1.2, 0.9});
  for (auto& row : camera.world_from_cam.linear.m)
    for (double& x : row) x = std::round(1e4 * x) / 1e4;
  scene.cameras.push_back(camera);
  const Mat3d r = make_views(request(few(1), scene))[0][0].world_from_cam.linear;
  EXPECT_NEAR(determinant(r), 1, 1e-12);
  const Mat3d product = transpose(r) * r;
  EXPECT_NEAR(product(0, 1), 0, 1e-12);
}

TEST(ListedPoses, BelongToTheCameraTheyName) {
  ViewOptions options = few(1);
  options.count = 2;
  options.poses = {{{0, -2, 1.5}, {0, 1, 1}, 1}, {{1, -2, 1.5}, {0, 1, 1}, 0}};
  const auto cameras = make_views(request(options));
  EXPECT_EQ(cameras[0][0].world_from_cam.translation, (Vec3d{1, -2, 1.5}));
  EXPECT_EQ(cameras[1][0].origin, "pose 0");
}

TEST(ListedPoses, BadRequestsAreRefusedByName) {
  ViewOptions options = few(1);
  options.poses = {{{0, -2, 1.5}, {0, 1, 1}, 3}};
  EXPECT_THAT(message_of([&] { make_views(request(options)); }), HasSubstr("cameras.poses[0].camera: 3"));
  options.poses = {{{0, 1, 1}, {0, 1, 1}, 0}};
  EXPECT_THAT(message_of([&] { make_views(request(options)); }), HasSubstr("the same point"));
  options = few(1);
  options.from = "scene";
  EXPECT_THAT(message_of([&] { make_views(request(options)); }), HasSubstr("has no camera"));
  options = few(1);
  options.min_height_m = 2;
  EXPECT_THAT(message_of([&] { make_views(request(options)); }), HasSubstr("min_height_m: 2 is above"));
}

}  // namespace
}  // namespace simulacra
