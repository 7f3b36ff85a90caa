// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/annotate.h"

#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/annotate/nyu40.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kSofa = 6, kTable = 7, kPillow = 18, kLamp = 35, kCabinet = 3;

/// A unit square in the xy plane, scaled to `side` and turned so that it faces `axis`.
void add_square(SceneDescription& scene, double side, Vec3d center, std::size_t axis) {
  MeshDescription mesh;
  const float h = static_cast<float>(side / 2);
  for (const auto& [u, v] : {std::pair{-h, -h}, {h, -h}, {h, h}, {-h, h}}) {
    Vec3 p{};
    p[(axis + 1) % 3] = u;
    p[(axis + 2) % 3] = v;
    mesh.positions.push_back(p);
  }
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  scene.meshes.push_back(mesh);
  ObjectDescription object;
  object.name = "mesh_" + std::to_string(scene.objects.size());
  object.mesh = static_cast<int>(scene.meshes.size()) - 1;
  object.world_from_object = translation(center);
  scene.objects.push_back(object);
}

SceneDescription named(const std::vector<std::string>& paths) {
  SceneDescription scene;
  scene.source = "house.glb";
  for (const std::string& path : paths) {
    add_square(scene, 1, {0, 0, 0}, 2);
    scene.objects.back().path = path;
    scene.objects.back().source = "house";
  }
  return scene;
}

int material(SceneDescription& scene, const std::string& name) {
  scene.materials.emplace_back().name = name;
  return static_cast<int>(scene.materials.size()) - 1;
}

AnnotationReport run(SceneDescription& scene, LabelRules rules = default_label_rules()) {
  AnnotationReport report;
  annotate(scene, rules, report);
  return report;
}

TEST(Annotate, TheInnermostNameOfThePathDecides) {
  SceneDescription scene = named({"Room/Sofa/Pillow.001/mesh 0", "Room/Sofa/mesh 1", "Room/Sofa/Leg"});
  run(scene);
  EXPECT_EQ(scene.objects[0].semantic, kPillow);
  EXPECT_EQ(scene.objects[1].semantic, kSofa);
  EXPECT_EQ(scene.objects[2].semantic, kSofa);
  EXPECT_EQ(scene.objects[0].instance, 1);
  EXPECT_EQ(scene.objects[1].instance, 2);
  EXPECT_EQ(scene.objects[2].instance, 2);
}

TEST(Annotate, ADoorOfACabinetIsCabinetAndADoorOfARoomIsDoor) {
  SceneDescription scene = named({"Kitchen/Cabinet_3/Door/mesh 0", "Kitchen/Cabinet_3/mesh 1", "Kitchen/Door/mesh 2"});
  run(scene);
  EXPECT_EQ(scene.objects[0].semantic, kCabinet);
  EXPECT_EQ(scene.objects[0].instance, scene.objects[1].instance);
  EXPECT_EQ(scene.objects[2].semantic, kDoor);
  EXPECT_NE(scene.objects[2].instance, scene.objects[1].instance);
}

TEST(Annotate, WallsFloorsAndCeilingsHaveNoInstance) {
  SceneDescription scene = named({"walls", "floor", "ceiling", "lamp"});
  const AnnotationReport report = run(scene);
  EXPECT_EQ(scene.objects[0].semantic, kWall);
  EXPECT_EQ(scene.objects[1].semantic, kFloor);
  EXPECT_EQ(scene.objects[2].semantic, kCeiling);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(scene.objects[static_cast<std::size_t>(i)].instance, -1);
  EXPECT_EQ(scene.objects[3].instance, 1);
  EXPECT_EQ(report.num_instances, 1);
}

TEST(Annotate, OneShellIsToldApartByItsMaterials) {
  SceneDescription scene = named({"walls", "walls", "walls", "walls", "walls"});
  const char* materials[] = {"Wall paint", "Ceiling paint", "Floor", "window_frame", "Brass lamp"};
  for (std::size_t i = 0; i < 5; ++i) scene.objects[i].material = material(scene, materials[i]);
  run(scene);
  EXPECT_EQ(scene.objects[0].semantic, kWall);
  EXPECT_EQ(scene.objects[1].semantic, kCeiling);
  EXPECT_EQ(scene.objects[2].semantic, kFloor);
  EXPECT_EQ(scene.objects[3].semantic, kWindow);
  EXPECT_EQ(scene.objects[4].semantic, kWall);  // only parts of the structure outrank the path
}

TEST(Annotate, HintsComeBeforeNamesAndOverridesBeforeHints) {
  SceneDescription scene = named({"Sofa/a", "Sofa/b", "Sofa/c"});
  scene.objects[1].class_hint = "table";
  scene.objects[2].class_hint = "7";
  LabelRules rules = default_label_rules();
  rules.overrides = {{"lamp", {"Sofa/C"}, false}};
  const AnnotationReport report = run(scene, rules);
  EXPECT_EQ(scene.objects[0].semantic, kSofa);
  EXPECT_EQ(scene.objects[1].semantic, kTable);
  EXPECT_EQ(scene.objects[2].semantic, kLamp);
  EXPECT_EQ(report.objects[0].source, LabelSource::name);
  EXPECT_EQ(report.objects[1].source, LabelSource::hint);
  EXPECT_EQ(report.objects[2].source, LabelSource::override_);
}

TEST(Annotate, OnlyPlacedFilesSpeakForTheirParts) {
  SceneDescription scene = named({"mesh 0", "seat_a/mesh 1", "seat_a/mesh 2", "seat_b/mesh 1"});
  scene.source = "lamp.glb";
  scene.objects[0].source = "lamp";
  for (std::size_t i = 1; i < 4; ++i) {
    scene.objects[i].source = "old_sofa";
    scene.objects[i].path = i < 3 ? "one/mesh" : "two/mesh";
  }
  run(scene);
  EXPECT_EQ(scene.objects[0].semantic, -1);
  EXPECT_EQ(scene.objects[1].semantic, kSofa);
  EXPECT_EQ(scene.objects[1].instance, scene.objects[2].instance);
  EXPECT_NE(scene.objects[1].instance, scene.objects[3].instance);
}

TEST(Annotate, AKeyMakesOneInstanceWithTheClassOfMostArea) {
  SceneDescription scene = named({"Sofa", "Pillow", "x", "wall"});
  add_square(scene, 5, {0, 0, 0}, 2);
  for (ObjectDescription& object : scene.objects) object.instance_key = "piece";
  scene.objects[4].path = "Couch";
  const AnnotationReport report = run(scene);
  for (const std::size_t i : {0u, 1u, 2u, 4u}) {
    EXPECT_EQ(scene.objects[i].semantic, kSofa) << i;
    EXPECT_EQ(scene.objects[i].instance, 1) << i;
  }
  EXPECT_EQ(scene.objects[3].semantic, kWall);
  EXPECT_EQ(scene.objects[3].instance, -1);
  EXPECT_EQ(report.objects[1].source, LabelSource::instance);
  EXPECT_EQ(report.objects[2].source, LabelSource::instance);
}

TEST(Annotate, IdsRunWithoutGapsInObjectOrder) {
  SceneDescription scene = named({"Lamp 1", "wall", "thing", "Lamp 2", "floor", "Lamp 3"});
  const AnnotationReport report = run(scene);
  std::vector<int> ids;
  for (const ObjectDescription& object : scene.objects) ids.push_back(object.instance);
  EXPECT_THAT(ids, ::testing::ElementsAre(1, -1, -1, 2, -1, 3));
  EXPECT_EQ(report.num_instances, 3);
  EXPECT_EQ(report.num_unlabelled, 1);
}

TEST(Annotate, NoneOnPurposeStaysUnlabelled) {
  SceneDescription scene = named({"Sofa"});
  scene.objects[0].class_hint = "none";
  run(scene);
  EXPECT_EQ(scene.objects[0].semantic, -1);
  EXPECT_EQ(scene.objects[0].instance, -1);
}

TEST(Annotate, AWrongHintNamesTheObjectAndTheClasses) {
  SceneDescription scene = named({"thing"});
  scene.objects[0].class_hint = "soffa";
  try {
    run(scene);
    FAIL() << "no error";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("mesh_0"), HasSubstr("'soffa'"), HasSubstr("'sofa'"), HasSubstr("otherprop")));
  }
}

SceneDescription unnamed_room() {
  SceneDescription scene;
  add_square(scene, 4, {0, 0, 0}, 2);
  add_square(scene, 4, {0, 0, 4}, 2);
  add_square(scene, 4, {-2, 0, 2}, 0);
  add_square(scene, 4, {0, 2, 2}, 1);
  add_square(scene, 1, {0, 0, 0.05}, 2);   // too small for a floor
  add_square(scene, 4, {0, 0, 2}, 2);      // in the middle of the room
  return scene;
}

TEST(Annotate, StructureIsGuessedOnlyOnRequest) {
  SceneDescription scene = unnamed_room();
  run(scene);
  for (const ObjectDescription& object : scene.objects) EXPECT_EQ(object.semantic, -1);
  LabelRules rules = default_label_rules();
  rules.guess_structure = true;
  const AnnotationReport report = run(scene, rules);
  std::vector<int> classes;
  for (const ObjectDescription& object : scene.objects) classes.push_back(object.semantic);
  EXPECT_THAT(classes, ::testing::ElementsAre(kFloor, kCeiling, kWall, kWall, -1, -1));
  EXPECT_EQ(report.objects[0].source, LabelSource::geometry);
}

TEST(Annotate, UnlabelledNamesAreListedByPixels) {
  SceneDescription scene = named({"thing a", "Sofa", "thing b", "thing a", "thing c"});
  const AnnotationReport report = run(scene);
  const std::vector<std::uint64_t> pixels{10, 60, 25, 5, 0};
  const std::vector<UnlabelledName> names = unlabelled_names(report, pixels);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0].name, "thing b");
  EXPECT_EQ(names[0].pixels, 25u);
  EXPECT_DOUBLE_EQ(names[0].share, 0.25);
  EXPECT_EQ(names[1].name, "thing a");
  EXPECT_EQ(names[1].pixels, 15u);
  EXPECT_THAT(unlabelled_as_text(names), AllOf(HasSubstr("25.00 %  thing b"), HasSubstr("15.00 %  thing a")));
}

}  // namespace
}  // namespace simulacra
