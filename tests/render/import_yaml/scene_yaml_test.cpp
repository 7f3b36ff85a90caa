// SPDX-License-Identifier: Apache-2.0
#include "render/import/scene_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/import.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Sines and cosines of right angles and a few products of numbers below ten.
constexpr double kRounding = 1e-9;

void expect_near(Vec3d a, Vec3d b) {
  EXPECT_LE(length(a - b), kRounding) << a.x << ' ' << a.y << ' ' << a.z << " is not " << b.x << ' ' << b.y << ' '
                                      << b.z;
}

/// A folder with box.obj: [0,2] x [0,1] x [0,4] in its y-up frame, so [0,2] x [-4,0] x [0,1] upright; and
/// two.obj of two parts with materials `red` and `glow`.
class SceneYaml : public ::testing::Test {
 protected:
  SceneYaml() {
    put("box.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 2 1 4\nv 0 0 4\no Box\nf 1 2 3\nf 3 4 5\n");
    put("two.obj", "mtllib two.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\no Seat\nusemtl red\nf 1 2 3\no Bulb\nusemtl glow\nf 1 3 2\n");
    put("two.mtl", "newmtl red\nKd 1 0 0\nnewmtl glow\nKd 0.1 0.1 0.1\nmap_Ke gone.png\n");
  }
  void put(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((dir.path() / name).parent_path());
    write_text_atomically(dir.path() / name, text);
  }
  SceneDescription import(const std::string& yaml) {
    put("scene.yaml", yaml);
    return import_scene(dir.path() / "scene.yaml", diagnostics);
  }
  std::string refusal_of(const std::string& yaml) {
    try {
      import(yaml);
    } catch (const UsageError& e) {
      const std::string message = e.what();
      return message.substr(message.find("scene.yaml"));
    }
    return "imported";
  }
  std::string warnings() const {
    std::string all;
    for (const ImportWarning& w : diagnostics.warnings()) all += w.culprit + ": " + w.text + "\n";
    return all;
  }
  test::TempDir dir;
  Diagnostics diagnostics;
};

TEST_F(SceneYaml, APlacedFileIsUprightAndWhereItWasPut) {
  const SceneDescription scene = import("scene:\n  place:\n    - {file: box.obj, position: [10, 0, 0.5], rotate_z_deg: 90}\n");
  const Box3d box = world_box(scene);
  expect_near(box.lo, {10, 0, 0.5});
  expect_near(box.hi, {14, 2, 1.5});
  EXPECT_EQ(scene.objects[0].name, "box/Box");
  EXPECT_EQ(scene.name, "scene");
  EXPECT_EQ(scene.up, "z");
}

TEST_F(SceneYaml, UnitsAxesAndScaleComeFirst) {
  const SceneDescription scene = import(
      "scene: {place: [{file: box.obj, up: z, meters_per_unit: 0.1, scale: [1, 2, 3], anchor: floor, position: [1, 1, 0]}]}");
  const Box3d box = world_box(scene);
  expect_near(box.lo, {0.9, 0.9, 0});
  expect_near(box.hi, {1.1, 1.1, 1.2});
}

TEST_F(SceneYaml, RotationsAreAboutXThenYThenZ) {
  const SceneDescription scene = import("scene: {place: [{file: box.obj, up: z, rotation_deg: [90, 0, 90]}]}");
  // (x, y, z) -> (x, -z, y) -> (z, x, y)
  expect_near(world_box(scene).hi, {4, 2, 1});
}

TEST_F(SceneYaml, FarFilesAreScaledBeforeTheirOriginMoves) {
  put("far.obj", "v 556 0 0\nv 0 548 0\nv 0 0 559\nf 1 2 3\n");
  const SceneDescription scene = import("scene: {file: far.obj, meters_per_unit: 0.01}");
  expect_near(world_box(scene).lo, {0, -5.59, 0});
  expect_near(world_box(scene).hi, {5.56, 0, 5.48});
  EXPECT_EQ(scene.objects[0].name, "far");
  expect_near(scene.world_from_scene.point({100, 200, 300}), {1, -3, 2});
}

TEST_F(SceneYaml, ALabelledPlaceIsOneInstance) {
  const SceneDescription scene = import(
      "scene:\n  place:\n    - {file: two.obj, name: chair, label: chair}\n    - {file: two.obj, name: b, position: [1, 0, 0]}\n"
      "  labels: {'*bulb*': lamp, red: 5}\n");
  ASSERT_EQ(scene.objects.size(), 4u);
  EXPECT_EQ(scene.objects[0].class_hint, "chair");
  EXPECT_EQ(scene.objects[1].class_hint, "chair");
  EXPECT_EQ(scene.objects[1].instance_key, "chair");
  EXPECT_EQ(scene.objects[2].class_hint, "5");
  EXPECT_EQ(scene.objects[2].instance_key, "");
  EXPECT_EQ(scene.objects[3].class_hint, "lamp");
  EXPECT_EQ(scene.meshes.size(), 2u);  // the second place shares the meshes
  EXPECT_EQ(scene.objects[2].mesh, 0);
  EXPECT_EQ(scene.objects[3].mesh, 1);
}

TEST_F(SceneYaml, AbsentFilesAreErrorsUnlessOptional) {
  EXPECT_THAT(refusal_of("scene:\n  place:\n    - file: gone.obj\n"),
              HasSubstr("scene.yaml:3: 'gone.obj' is not there"));
  const SceneDescription scene =
      import("scene: {place: [{file: box.obj}, {file: gone/cabinet.obj, name: cabinet, optional: true}]}");
  EXPECT_EQ(scene.objects.size(), 1u);
  EXPECT_THAT(warnings(), HasSubstr("cabinet: the optional file gone/cabinet.obj is not there; left out"));
}

TEST_F(SceneYaml, SearchFoldersAndBasesAreRelativeToTheirFile) {
  put("models/shelf.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  put("sub/base.yaml", "scene: {search: [../models], place: [{file: shelf.obj}]}");
  const SceneDescription scene = import("extends: sub/base.yaml\nscene: {name: extended}\n");
  EXPECT_EQ(scene.objects.size(), 1u);
  EXPECT_EQ(scene.name, "extended");
}

TEST_F(SceneYaml, LightsStandInTheWorld) {
  const SceneDescription scene = import(
      "scene:\n  file: box.obj\n  lights:\n    - {type: point, name: p, position: [1, 2, 3], intensity: 7}\n"
      "    - {type: spot, position: [0, 0, 3], look_at: [0, 0, 0], intensity: [1, 2, 3], cutoff_deg: 40, beam_deg: 30}\n"
      "    - {type: directional, direction: [0, 0, -2], irradiance: 5}\n"
      "    - {type: area, name: panel, position: [0, 0, 3], direction: [0, 0, -1], size: [2, 1], radiance: [9, 8, 7]}\n"
      "  environment: {radiance: [1, 2, 3], scale: 0.5, rotate_z_deg: 90}\n");
  EXPECT_EQ(scene.point_lights[0].position, Vec3d(1, 2, 3));
  EXPECT_EQ(scene.point_lights[0].intensity, Rgb(7));
  expect_near(scene.spot_lights[0].direction, {0, 0, -1});
  EXPECT_EQ(scene.spot_lights[0].intensity, Rgb(1, 2, 3));
  EXPECT_NEAR(scene.spot_lights[0].beam_rad, kPiD / 6, 1e-6);  // stored as float
  expect_near(scene.directional_lights[0].direction, {0, 0, -1});
  EXPECT_EQ(scene.environment->radiance, Rgb(0.5f, 1, 1.5f));
  expect_near(scene.environment->world_from_environment * Vec3d(0, 1, 0), {0, 0, 1});
  expect_near(scene.environment->world_from_environment * Vec3d(1, 0, 0), {0, 1, 0});

  const ObjectDescription& panel = scene.objects.back();
  const MeshDescription& mesh = scene.meshes[static_cast<std::size_t>(panel.mesh)];
  const Affine3d& place = panel.world_from_object;
  const auto corner = [&](std::size_t i) { return place.point(Vec3d(mesh.positions[mesh.triangles[0][i]])); };
  const Vec3d outwards = cross(corner(1) - corner(0), corner(2) - corner(0));
  expect_near(outwards / length(outwards), {0, 0, -1});
  EXPECT_EQ(scene.materials[static_cast<std::size_t>(panel.material)].emission.factor, Rgb(9, 8, 7));
  EXPECT_FALSE(scene.materials[static_cast<std::size_t>(panel.material)].emission_two_sided);
}

TEST_F(SceneYaml, CamerasLookWhereTheyShould) {
  const SceneDescription scene = import(
      "scene: {file: box.obj, cameras: [{name: c, position: [1, -9, 2], look_at: [1, 0, 2], fov_deg: 90, size: [64, 48]}]}");
  const CameraDescription& c = scene.cameras[0];
  expect_near(c.world_from_cam.vector({0, 0, -1}), {0, 1, 0});
  expect_near(c.world_from_cam.vector({0, 1, 0}), {0, 0, 1});
  expect_near(c.world_from_cam.vector({1, 0, 0}), {1, 0, 0});
  EXPECT_NEAR(c.fov_rad, kPiD / 2, kRounding);
  EXPECT_EQ(c.width, 64);
}

TEST_F(SceneYaml, MaterialsAreOverriddenByName) {
  const SceneDescription scene = import(
      "scene:\n  file: two.obj\n  materials:\n    RED: {base_color: 0.5, roughness: 0.2, opacity: 0.5, two_sided: false}\n"
      "    gl*: {emission: [4, 5, 6], emission_two_sided: false}\n    nobody: {emission: 1}\n");
  EXPECT_EQ(scene.materials[0].base_color.factor, Rgb(0.5f));
  EXPECT_FLOAT_EQ(scene.materials[0].roughness.factor, 0.2f);
  EXPECT_FLOAT_EQ(scene.materials[0].opacity.factor, 0.5f);
  EXPECT_FALSE(scene.materials[0].two_sided);
  EXPECT_EQ(scene.materials[1].emission.factor, Rgb(4, 5, 6));
  EXPECT_EQ(scene.materials[1].emission.texture, -1);
  EXPECT_FALSE(scene.materials[1].emission_two_sided);
  EXPECT_THAT(warnings(), HasSubstr("nobody: no material is called that"));
}

TEST_F(SceneYaml, AMaterialMayBecomeAPane) {
  const SceneDescription scene = import("scene: {file: two.obj, materials: {red: {kind: thin_dielectric, ior: 1.4}}}");
  EXPECT_EQ(scene.materials[0].kind, MaterialKind::thin_dielectric);
  EXPECT_NEAR(scene.materials[0].int_ior / scene.materials[0].ext_ior, 1.4f, 1e-6f);  // float rounding
  EXPECT_EQ(scene.materials[0].specular_transmittance.factor, Rgb(1));
  EXPECT_THAT(refusal_of("scene: {file: two.obj, materials: {red: {kind: thin_dielectric, roughness: 0.1}}}"),
              HasSubstr("material 'red' is a textbook model"));
}

TEST_F(SceneYaml, ObjectsAreRemovedByName) {
  const SceneDescription scene = import("scene: {file: two.obj, remove: ['*bulb', ghost]}");
  ASSERT_EQ(scene.objects.size(), 1u);
  EXPECT_EQ(scene.objects[0].name, "Seat");
  EXPECT_THAT(warnings(), HasSubstr("ghost: no object is called that; nothing is removed"));
}

TEST_F(SceneYaml, BadKeysAreRefusedWithFileAndLine) {
  EXPECT_EQ(refusal_of("a: 1\n"), "scene.yaml: has no 'scene' group; expected scene: {place: …}");
  EXPECT_THAT(refusal_of("scene:\n  plaec: []\n"),
              HasSubstr("scene.yaml:2: no option is called 'plaec' in 'scene'; did you mean 'place'?"));
  EXPECT_THAT(refusal_of("scene:\n  place:\n    - {file: box.obj, postion: [0, 0, 0]}\n"),
              HasSubstr("scene.yaml:3: no option is called 'postion' in 'scene.place.0'; did you mean 'position'?"));
  EXPECT_THAT(refusal_of("scene:\n  place:\n    - {file: box.obj, position: [0, 0]}\n"),
              HasSubstr("scene.yaml:3: 'scene.place.0.position' is a list of 2; expected a list of 3 numbers"));
  EXPECT_THAT(refusal_of("scene:\n  place:\n    - {name: x}\n"), HasSubstr("scene.yaml:3: a placed file needs 'file'"));
  EXPECT_THAT(refusal_of("scene:\n  file: box.obj\n  lights:\n    - {type: lamp}\n"),
              HasSubstr("scene.yaml:4: 'scene.lights.0.type' is 'lamp'; the choices are point, spot, directional, area"));
  EXPECT_THAT(refusal_of("scene:\n  file: box.obj\n  lights:\n    - {type: point}\n"),
              HasSubstr("scene.yaml:4: a point light needs 'intensity'"));
  EXPECT_THAT(refusal_of("scene:\n  file: box.obj\n  lights:\n    - {type: point, intensity: [1, 2, -3]}\n"),
              HasSubstr("scene.yaml:4: 'intensity' has a negative or too large number"));
  EXPECT_THAT(refusal_of("scene:\n  file: box.obj\n  cameras:\n    - {position: [0, 0, 0], look_at: [0, 0, 1]}\n"),
              HasSubstr("scene.yaml:4: 'up' is parallel to the view direction"));
  EXPECT_THAT(refusal_of("scene:\n  file: box.obj\n  cameras:\n    - {position: [0, 0, 0]}\n"),
              HasSubstr("scene.yaml:4: expected either 'direction' or 'look_at'"));
  EXPECT_THAT(refusal_of("scene:\n  file: two.obj\n  materials: {red: {roughnes: 1}}\n"),
              HasSubstr("scene.yaml:3: no option is called 'roughnes'; did you mean 'roughness'?"));
  EXPECT_THAT(refusal_of("scene:\n  file: two.obj\n  environment: {}\n"),
              HasSubstr("scene.yaml:3: 'environment' needs 'file' or 'radiance'"));
  EXPECT_THAT(refusal_of("scene: {}\n"), HasSubstr("the scene has no object"));
  EXPECT_THAT(refusal_of("scene:\n  file: scene.yaml\n"), HasSubstr("a scene YAML cannot be placed in another"));
  EXPECT_THAT(refusal_of("scene: [\n"), HasSubstr("not YAML"));
}

TEST_F(SceneYaml, TheFormatIsFoundByContentToo) {
  std::filesystem::copy_file(dir.path() / "box.obj", dir.path() / "box.dat");
  EXPECT_EQ(import_scene(dir.path() / "box.dat", diagnostics).objects.size(), 1u);
  put("notes.txt", "hello");
  const auto message_for = [&](const char* name) {
    try {
      import_scene(dir.path() / name, diagnostics);
    } catch (const UsageError& e) {
      return std::string(e.what());
    }
    return std::string("imported");
  };
  EXPECT_THAT(message_for("notes.txt"), HasSubstr("what can be read is glTF (.gltf, .glb), OBJ (.obj)"));
  EXPECT_THAT(message_for("absent.obj"), HasSubstr("there is no such file"));
  EXPECT_THAT(message_for("."), HasSubstr("is a folder"));
}

TEST(SceneOptionsTable, NamesEveryGroup) {
  const std::string table = scene_options_table();
  for (const char* key : {"`place.N.position`", "`lights.N.type`", "`cameras.N.look_at`", "`environment.rotate_z_deg`",
                          "`materials.PATTERN.emission`", "`labels`"})
    EXPECT_THAT(table, HasSubstr(key));
}

TEST(SceneOptionsTable, StandsInTheDocumentation) {
  const std::string readme = read_text_file(std::filesystem::path(SIMULACRA_SOURCE_DIR) / "configs/README.md");
  const std::string table = scene_options_table();
  const std::filesystem::path actual = std::filesystem::path(SIMULACRA_BINARY_DIR) / "tests/scene_options.md";
  write_text_atomically(actual, table);
  EXPECT_THAT(readme, HasSubstr(table)) << "the present table is in " << actual;
}

}  // namespace
}  // namespace simulacra
