// SPDX-License-Identifier: Apache-2.0
#include "render/description/description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"

namespace simulacra {
namespace {

// Double arithmetic over a handful of products: 1e-12 is a thousand roundings of numbers near 1.
constexpr double kRounding = 1e-12;

void expect_near(Vec3d a, Vec3d b, double tolerance = kRounding) {
  EXPECT_LE(length(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' '
                                      << b.z;
}

/// One triangle with corners (0,0,0), (1,0,0), (0,2,3) in the object frame.
SceneDescription one_triangle() {
  SceneDescription scene;
  scene.name = "triangle";
  scene.materials.resize(1);
  scene.meshes.push_back({"mesh", {{0, 0, 0}, {1, 0, 0}, {0, 2, 3}}, {}, {}, {}, {}, {{0, 1, 2}}});
  ObjectDescription object;
  object.name = "triangle";
  object.path = "root/triangle";
  object.mesh = 0;
  object.material = 0;
  scene.objects.push_back(object);
  return scene;
}

TEST(ToWorld, YUpBecomesZUpAndUnitsBecomeMetres) {
  SceneDescription scene = one_triangle();
  scene.meters_per_unit = 0.01;
  to_world(scene);
  const Box3d box = world_box(scene);
  expect_near(box.lo, {0, -0.03, 0});
  expect_near(box.hi, {0.01, 0, 0.02});
  EXPECT_EQ(scene.up, "z");
  EXPECT_EQ(scene.meters_per_unit, 1.0);
  expect_near(scene.world_from_scene.point({0, 2, 3}), {0, -0.03, 0.02});
}

TEST(ToWorld, LightsAndCamerasMoveAlong) {
  SceneDescription scene = one_triangle();
  scene.meters_per_unit = 0.5;
  scene.point_lights.push_back({"p", {0, 4, 0}, Rgb(8)});
  SpotLightDescription spot;
  spot.position = {0, 0, 2};
  spot.direction = {0, -1, 0};
  spot.intensity = Rgb(4);
  scene.spot_lights.push_back(spot);
  scene.directional_lights.push_back({"d", {0, 0, -1}, Rgb(3)});
  CameraDescription camera;  // at height 2, looking along -z
  camera.world_from_cam.translation = {0, 2, 6};
  camera.aperture_radius_m = 0.2;
  camera.focus_distance_m = 10;
  scene.cameras.push_back(camera);
  to_world(scene);
  expect_near(scene.point_lights[0].position, {0, 0, 2});
  // Half the distance and a quarter of the intensity: the same irradiance.
  EXPECT_FLOAT_EQ(scene.point_lights[0].intensity.r, 2);
  expect_near(scene.spot_lights[0].position, {0, -1, 0});
  expect_near(scene.spot_lights[0].direction, {0, 0, -1});
  EXPECT_FLOAT_EQ(scene.spot_lights[0].intensity.g, 1);
  expect_near(scene.directional_lights[0].direction, {0, 1, 0});
  EXPECT_EQ(scene.directional_lights[0].irradiance.b, 3);
  const Affine3d& pose = scene.cameras[0].world_from_cam;
  expect_near(pose.translation, {0, -3, 1});
  expect_near(pose.vector({0, 0, -1}), {0, 1, 0});
  expect_near(pose.vector({0, 1, 0}), {0, 0, 1});
  EXPECT_NEAR(determinant(pose.linear), 1, kRounding);
  EXPECT_NEAR(scene.cameras[0].aperture_radius_m, 0.1, kRounding);
  EXPECT_NEAR(scene.cameras[0].focus_distance_m, 5, kRounding);
}

TEST(ToWorld, TheEnvironmentsUpBecomesZ) {
  SceneDescription scene = one_triangle();
  scene.meters_per_unit = 3;
  scene.environment = EnvironmentDescription{};
  to_world(scene);
  const Mat3d& world_from_environment = scene.environment->world_from_environment;
  expect_near(world_from_environment * Vec3d(0, 1, 0), {0, 0, 1});
  expect_near(world_from_environment * Vec3d(0, 0, -1), {0, 1, 0});
  EXPECT_NEAR(determinant(world_from_environment), 1, kRounding);
}

TEST(ToWorld, TwiceIsOnce) {
  SceneDescription scene = one_triangle();
  scene.meters_per_unit = 100;
  scene.objects[0].world_from_object = translation({12345.678, 3.3, -777.1});
  to_world(scene);
  const SceneDescription once = scene;
  to_world(scene);
  EXPECT_EQ(scene.objects[0].world_from_object, once.objects[0].world_from_object);
  EXPECT_EQ(scene.world_from_scene, once.world_from_scene);
}

TEST(ToWorld, WhatLiesFarOutComesToTheOrigin) {
  SceneDescription scene = one_triangle();
  scene.up = "z";
  scene.objects[0].world_from_object = translation({500, -200, 40});
  scene.point_lights.push_back({"p", {500, -200, 41}, Rgb(8)});
  to_world(scene);
  const Box3d box = world_box(scene);
  expect_near(box.lo, {-0.5, -1, 0});
  expect_near(box.hi, {0.5, 1, 3});
  expect_near(scene.point_lights[0].position, {-0.5, -1, 1});
  expect_near(scene.world_from_scene.point({500, -200, 40}), {-0.5, -1, 0});

  SceneDescription near = one_triangle();
  near.up = "z";
  near.objects[0].world_from_object = translation({30, -20, 10});
  to_world(near);
  expect_near(world_box(near).lo, {30, -20, 10});
}

TEST(ToWorld, UnknownAxesAndUnitsAreRefused) {
  SceneDescription scene = one_triangle();
  scene.source = "a.obj";
  scene.up = "x";
  EXPECT_THROW(to_world(scene), UsageError);
  scene.up = "y";
  scene.meters_per_unit = 0;
  EXPECT_THROW(to_world(scene), UsageError);
}

TEST(WorldBox, ASphereReachesAsFarAsItsRadius) {
  SceneDescription scene;
  ObjectDescription object;
  object.sphere = SphereDescription{{1, 0, 0}, 2, false};
  object.world_from_object = rotation({0, 0, 1}, kPiD / 2) * scaling({3, 3, 3});
  scene.objects.push_back(object);
  const Box3d box = world_box(scene);
  expect_near(box.lo, {-6, -3, -6});
  expect_near(box.hi, {6, 9, 6});
  EXPECT_TRUE(world_box(SceneDescription{}).empty());
}

TEST(AppendScene, IndicesPointToTheAppendedParts) {
  SceneDescription part = one_triangle();
  part.textures.resize(2);
  part.materials.resize(2);
  part.materials[0].base_color.texture = 1;
  part.materials[0].opacity.texture = 0;
  part.materials[0].normal_texture = 1;
  part.materials[1].kind = MaterialKind::blend;
  part.materials[1].blend_a = 0;
  part.materials[1].blend_b = 1;
  part.objects[0].material = 1;
  part.objects[0].instance_key = "key";
  part.environment = EnvironmentDescription{Rgb(1), 1, {}};
  SceneDescription scene = one_triangle();
  scene.textures.resize(3);
  append_scene(scene, part, translation({0, 0, 5}), "sofa");
  ASSERT_EQ(scene.objects.size(), 2u);
  EXPECT_EQ(scene.objects[1].name, "sofa/triangle");
  EXPECT_EQ(scene.objects[1].path, "sofa/root/triangle");
  EXPECT_EQ(scene.objects[1].instance_key, "sofa/key");
  EXPECT_EQ(scene.objects[1].mesh, 1);
  EXPECT_EQ(scene.objects[1].material, 2);
  EXPECT_EQ(scene.materials[1].base_color.texture, 4);
  EXPECT_EQ(scene.materials[1].opacity.texture, 3);
  EXPECT_EQ(scene.materials[1].normal_texture, 4);
  EXPECT_EQ(scene.materials[1].metallic.texture, -1);
  EXPECT_EQ(scene.materials[2].blend_a, 1);
  EXPECT_EQ(scene.materials[2].blend_b, 2);
  EXPECT_EQ(scene.materials[2].back_material, -1);
  EXPECT_EQ(scene.environment->texture, 4);
  expect_near(scene.objects[1].world_from_object.point({0, 0, 0}), {0, 0, 5});
  expect_near(scene.objects[0].world_from_object.point({0, 0, 0}), {0, 0, 0});
}

TEST(MakeNamesUnique, NamesStayReadable) {
  SceneDescription scene;
  for (const char* name : {"Lamp", "Lamp", "Lamp.2", "a@b,\"c\"\n", "", "", "Lamp", "Stuhl gr\xfcn", "Tür"}) {
    ObjectDescription object;
    object.name = name;
    scene.objects.push_back(object);
  }
  make_names_unique(scene);
  std::vector<std::string> names;
  for (const ObjectDescription& object : scene.objects) names.push_back(object.name);
  EXPECT_THAT(names, ::testing::ElementsAre("Lamp", "Lamp.3", "Lamp.2", "a_b__c__", "object", "object.2", "Lamp.4",
                                            "Stuhl grün", "Tür"));
  const std::vector<std::string> before = names;
  make_names_unique(scene);
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(scene.objects[i].name, before[i]);
}

TEST(AppendScene, AMirroredCameraStillLooksTheSameWay) {
  SceneDescription part;
  part.cameras.emplace_back();
  part.cameras[0].world_from_cam.translation = {1, 2, 3};
  SceneDescription scene;
  append_scene(scene, part, scaling({-1, 1, 1}), "");
  const CameraDescription& camera = scene.cameras[0];
  expect_near(camera.world_from_cam.translation, {-1, 2, 3});
  expect_near(camera.world_from_cam.vector({0, 0, -1}), {0, 0, -1});
  EXPECT_NEAR(determinant(camera.world_from_cam.linear), 1, kRounding);
  EXPECT_TRUE(camera.mirror_x);
}

}  // namespace
}  // namespace simulacra
