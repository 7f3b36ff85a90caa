// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_gltf/gltf_text.h"

namespace simulacra {
namespace {

using test::Arrays, test::gltf, test::glb, test::Imported, test::triangle_with;
using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty, testing::SizeIs;

// One rounding to float of numbers near 1.
constexpr double kRounding = 1e-6;

void expect_near(Vec3d found, Vec3d expected) { EXPECT_LT(length(found - expected), 1e-6) << found.x << ' ' << found.y << ' ' << found.z; }

std::string mesh_file(const Arrays& arrays, std::string_view primitive, std::string_view members = "") {
  return gltf(fmt::format(R"({}, "meshes": [{{"primitives": [{{{}}}]}}], "nodes": [{{"mesh": 0}}]{})", arrays.json(),
                          primitive, members));
}

TEST(Gltf, ATriangleArrivesWithNamesAndPath) {
  const Imported file(triangle_with(""));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  const ObjectDescription& object = file.scene.objects[0];
  EXPECT_EQ(object.name, "Table");
  EXPECT_EQ(object.path, "Table/Leaf");
  EXPECT_EQ(object.source, "test");
  EXPECT_EQ(file.scene.name, "test");
  EXPECT_EQ(file.scene.up, "y");
  EXPECT_EQ(file.scene.materials.at(0).name, "glTF default");
  EXPECT_THAT(file.scene.meshes.at(0).triangles, ElementsAre(Triangle{0, 1, 2}));
  EXPECT_EQ(file.scene.meshes[0].positions[1], Vec3(1, 0, 0));
  EXPECT_THAT(file.scene.meshes[0].normals, IsEmpty());
  EXPECT_EQ(file.warnings(), "");
}

TEST(Gltf, ABinaryFileIsReadByItsFirstBytes) {
  const std::string json = gltf(R"("buffers": [{"byteLength": 36}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
      "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
      "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}])");
  const float corners[9] = {0, 0, 0, 2, 0, 0, 0, 1, 0};
  const std::string binary(reinterpret_cast<const char*>(corners), sizeof(corners));
  const Imported file(glb({{test::kJsonChunk, json}, {test::kBinaryChunk, binary}}), "binary.gltf");
  EXPECT_EQ(file.scene.meshes.at(0).positions.at(1), Vec3(2, 0, 0));
}

TEST(Gltf, AByteOrderMarkIsSkipped) { EXPECT_THAT(Imported("\xef\xbb\xbf" + triangle_with("")).scene.objects, SizeIs(1)); }

TEST(Gltf, TransformsOfParentsAreApplied) {
  // Turned by 90° about y: +x goes to -z. Then the child's offset is (1, 0, 0) -> (0, 0, -1), scaled by 2.
  const Imported file(triangle_with(R"(, "scenes": [{"nodes": [1]}])", R"("mesh": 0, "translation": [1, 0, 0]}, {
      "name": "Room", "children": [0], "translation": [10, 0, 0], "rotation": [0, 0.70710678118654757, 0, 0.70710678118654757],
      "scale": [2, 2, 2])"));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].path, "Room/Table/Leaf");
  const Affine3d& world = file.scene.objects[0].world_from_object;
  expect_near(world.point({0, 0, 0}), {10, 0, -2});
  expect_near(world.point({1, 0, 0}), {10, 0, -4});
}

TEST(Gltf, AMatrixIsColumnMajor) {
  const Imported file(triangle_with("", R"("mesh": 0, "matrix": [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1])"));
  const Affine3d& world = file.scene.objects.at(0).world_from_object;
  EXPECT_EQ(world.point({1, 0, 0}), Vec3d(5, 8, 7));
  EXPECT_EQ(world.point({0, 1, 0}), Vec3d(2, 6, 7));
}

TEST(Gltf, NodesThatShareAMeshShareItsDescription) {
  const Imported file(triangle_with("", R"("mesh": 0}, {"mesh": 0, "translation": [1, 0, 0])"));
  EXPECT_THAT(file.scene.objects, SizeIs(2));
  EXPECT_THAT(file.scene.meshes, SizeIs(1));
  EXPECT_EQ(file.scene.objects[1].name, "node 1");
}

TEST(Gltf, SiblingsOfOneNameHavePathsOfTheirOwn) {
  const Imported file(triangle_with("", R"("mesh": 0}, {"name": "Table", "mesh": 0)"));
  ASSERT_THAT(file.scene.objects, SizeIs(2));
  EXPECT_EQ(file.scene.objects[0].path, "Table/Leaf");
  EXPECT_EQ(file.scene.objects[1].path, "Table (2)/Leaf");
}

TEST(Gltf, OnlyTheDefaultSceneIsPlaced) {
  const Imported file(triangle_with(R"(, "scene": 1, "scenes": [{"nodes": [0]}, {"nodes": [1]}])",
                                    R"("mesh": 0}, {"name": "Shown", "mesh": 0)"));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].name, "Shown");
  EXPECT_THAT(file.warnings(), HasSubstr("only scene 1 of 2"));
}

TEST(Gltf, HiddenNodesAreLeftOutWithTheirChildren) {
  const Imported file(triangle_with(R"(, "extensionsUsed": ["KHR_node_visibility"])",
      R"("mesh": 0, "children": [1], "extensions": {"KHR_node_visibility": {"visible": false}}}, {"mesh": 0}, {"name": "Lamp", "mesh": 0)"));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].name, "Lamp");
}

TEST(Gltf, AHundredThousandNestedNodesAreFine) {
  std::string nodes = R"("mesh": 0)";
  for (int i = 1; i < 100000; ++i) nodes += fmt::format(R"(}}, {{"children": [{}], "translation": [0, 0, 1])", i - 1);
  const Imported file(triangle_with("", nodes));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].world_from_object.translation.z, 99999);
  EXPECT_LT(file.scene.objects[0].path.size(), 4000u);
}

TEST(Gltf, InstancesBecomeObjects) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC3", {1, 2, 3, 4, 5, 6}, 2);
  arrays.floats("VEC3", {1, 1, 1, 2, 2, 2}, 2);
  // Quarter turns about z as normalized bytes: the identity, and 90°.
  arrays.add<std::int8_t>("VEC4", 5120, {0, 0, 0, 127, 0, 0, 90, 90}, 2, R"(, "normalized": true)");
  const Imported file(gltf(arrays.json() + R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
      "extensionsRequired": ["EXT_mesh_gpu_instancing"],
      "nodes": [{"name": "Chair", "mesh": 0, "translation": [10, 0, 0], "extensions": {"EXT_mesh_gpu_instancing":
        {"attributes": {"TRANSLATION": 1, "SCALE": 2, "ROTATION": 3}}}}])"));
  ASSERT_THAT(file.scene.objects, SizeIs(2));
  EXPECT_THAT(file.scene.meshes, SizeIs(1));
  EXPECT_EQ(file.scene.objects[1].name, "Chair instance 1");
  expect_near(file.scene.objects[0].world_from_object.point({1, 0, 0}), {12, 2, 3});
  expect_near(file.scene.objects[1].world_from_object.point({1, 0, 0}), {14, 7, 6});
}

TEST(Gltf, StripsAndFansKeepTheirWinding) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0}, 5);
  EXPECT_THAT(Imported(mesh_file(arrays, R"("mode": 5, "attributes": {"POSITION": 0})")).scene.meshes.at(0).triangles,
              ElementsAre(Triangle{0, 1, 2}, Triangle{1, 3, 2}, Triangle{2, 3, 4}));
  EXPECT_THAT(Imported(mesh_file(arrays, R"("mode": 6, "attributes": {"POSITION": 0})")).scene.meshes.at(0).triangles,
              ElementsAre(Triangle{1, 2, 0}, Triangle{2, 3, 0}, Triangle{3, 4, 0}));
}

TEST(Gltf, PointsAndLinesAreLeftOutWithAWarning) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  for (const int mode : {0, 1, 2, 3}) {
    const Imported file(mesh_file(arrays, fmt::format(R"("mode": {}, "attributes": {{"POSITION": 0}})", mode)));
    EXPECT_THAT(file.scene.objects, IsEmpty());
    EXPECT_THAT(file.warnings(), HasSubstr("/meshes/0/primitives/0: "));
  }
}

TEST(Gltf, IndicesOfAllTypesAreRead) {
  const auto check = [](auto zero, int component_type) {
    using Index = decltype(zero);
    Arrays arrays;
    arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9}, 4);
    arrays.add<Index>("SCALAR", component_type, {2, 0, 1}, 3);
    const Imported file(mesh_file(arrays, R"("attributes": {"POSITION": 0}, "indices": 1)"));
    EXPECT_THAT(file.scene.meshes.at(0).triangles, ElementsAre(Triangle{2, 0, 1}));
    EXPECT_THAT(file.scene.meshes[0].positions, SizeIs(3)) << "the vertex that no triangle uses is dropped";
  };
  check(std::uint8_t{}, 5121);
  check(std::uint16_t{}, 5123);
  check(std::uint32_t{}, 5125);
}

TEST(Gltf, AttributesAreReadAndVIsTurnedOver) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC3", {0, 0, 2, 0, 0, 1, 0, 0, 1}, 3);
  arrays.floats("VEC4", {1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1}, 3);
  arrays.floats("VEC2", {0.25f, 0.75f, 0, 0, 1, 1}, 3);
  arrays.add<std::uint8_t>("VEC2", 5121, {255, 51, 0, 0, 0, 0}, 3, R"(, "normalized": true)");
  arrays.add<std::uint16_t>("VEC3", 5123, {65535, 0, 0, 0, 0, 0, 0, 0, 0}, 3, R"(, "normalized": true)");
  const Imported file(mesh_file(arrays, R"("attributes": {"POSITION": 0, "NORMAL": 1, "TANGENT": 2, "TEXCOORD_0": 3,
      "TEXCOORD_1": 4, "COLOR_0": 5})"));
  const MeshDescription& mesh = file.scene.meshes.at(0);
  EXPECT_EQ(mesh.normals.at(0), Vec3(0, 0, 1)) << "normals are made unit";
  EXPECT_EQ(mesh.tangents.at(0), (Vec4{1, 0, 0, -1}));
  EXPECT_EQ(mesh.uv[0].at(0), (Vec2{0.25f, 0.25f}));
  EXPECT_NEAR(mesh.uv[1].at(0).x, 1, kRounding);
  EXPECT_NEAR(mesh.uv[1].at(0).y, 0.8, kRounding);
  EXPECT_EQ(mesh.colors.at(0), (Vec4{1, 0, 0, 1}));
  EXPECT_TRUE(file.scene.materials.at(0).use_vertex_color);
}

TEST(Gltf, NormalizedIntegersFollowTheFormulasOfTheFormat) {
  Arrays arrays;
  arrays.add<std::int16_t>("VEC3", 5122, {32767, -32768, 0, 16384, 0, 0, 0, 16384, 0}, 3, R"(, "normalized": true)");
  const Imported file(mesh_file(arrays, R"("attributes": {"POSITION": 0})"));
  EXPECT_EQ(file.scene.meshes.at(0).positions.at(0), Vec3(1, -1, 0));
  EXPECT_NEAR(file.scene.meshes[0].positions[1].x, 16384.0 / 32767.0, kRounding);
}

TEST(Gltf, QuantizedPositionsKeepTheirIntegers) {
  Arrays arrays;
  arrays.add<std::int8_t>("VEC3", 5120, {-100, 0, 0, 100, 0, 0, 0, 50, 0}, 3);
  const Imported file(mesh_file(arrays, R"("attributes": {"POSITION": 0})", R"(, "extensionsRequired": ["KHR_mesh_quantization"])"));
  EXPECT_EQ(file.scene.meshes.at(0).positions.at(0), Vec3(-100, 0, 0));
}

TEST(Gltf, InterleavedVerticesAreReadByTheirStride) {
  const std::vector<float> vertices = {0, 0, 0, 7, 1, 0, 0, 7, 0, 1, 0, 7};
  const std::string bytes = test::base64({reinterpret_cast<const std::uint8_t*>(vertices.data()), 48});
  const Imported file(gltf(fmt::format(R"("buffers": [{{"byteLength": 48, "uri": "data:;base64,{}"}}],
      "bufferViews": [{{"buffer": 0, "byteLength": 48, "byteStride": 16}}],
      "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}}],
      "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}], "nodes": [{{"mesh": 0}}])", bytes)));
  EXPECT_THAT(file.scene.meshes.at(0).positions, ElementsAre(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)));
}

TEST(Gltf, SparseAccessorsWorkWithAndWithoutABufferView) {
  for (const bool dense : {true, false}) {
    Arrays arrays;
    const auto base = arrays.floats("VEC3", {5, 5, 5, 1, 0, 0, 0, 1, 0}, 3);
    arrays.add<std::uint16_t>("SCALAR", 5123, {0, 2}, 2);
    arrays.floats("VEC3", {9, 8, 7, 6, 5, 4}, 2);
    std::string json = arrays.json();
    json.pop_back();  // one more accessor
    json += fmt::format(R"(, {{{}"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {{"count": 2,
        "indices": {{"bufferView": 1, "componentType": 5123}}, "values": {{"bufferView": 2}}}}}}])",
                        dense ? fmt::format(R"("bufferView": {}, )", base) : "");
    const Imported file(gltf(json + R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 3}}]}], "nodes": [{"mesh": 0}])"));
    EXPECT_THAT(file.scene.meshes.at(0).positions,
                ElementsAre(Vec3(9, 8, 7), dense ? Vec3(1, 0, 0) : Vec3(0, 0, 0), Vec3(6, 5, 4)));
  }
}

TEST(Gltf, MorphTargetsAreAppliedAtTheWeightsOfTheNode) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC3", {0, 0, 4, 0, 0, 4, 0, 0, 4}, 3);
  const Imported file(gltf(arrays.json() + R"(, "meshes": [{"weights": [1], "primitives": [{"attributes": {"POSITION": 0},
      "targets": [{"POSITION": 1}]}]}], "nodes": [{"mesh": 0}, {"mesh": 0, "weights": [0.25]}])"));
  ASSERT_THAT(file.scene.meshes, SizeIs(2));
  EXPECT_EQ(file.scene.meshes[0].positions[0].z, 4);
  EXPECT_EQ(file.scene.meshes[1].positions[0].z, 1);
}

TEST(Gltf, ASkinPutsTheVerticesWhereItsJointsStand) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.add<std::uint8_t>("VEC4", 5121, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0}, 3);
  arrays.floats("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0}, 3);
  const Imported file(gltf(arrays.json() + R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1,
      "WEIGHTS_0": 2}}]}], "skins": [{"joints": [1, 2]}], "nodes": [{"mesh": 0, "skin": 0, "translation": [50, 0, 0]},
      {"translation": [0, 0, 1]}, {"translation": [0, 0, 3]}])"));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].world_from_object, Affine3d{}) << "the joints place a skinned mesh, not its node";
  EXPECT_THAT(file.scene.meshes.at(0).positions, ElementsAre(Vec3(0, 0, 1), Vec3(1, 0, 3), Vec3(0, 1, 2)));
}

TEST(Gltf, AnimationsAreNotPlayedAndThatIsSaid) {
  EXPECT_THAT(Imported(triangle_with(R"(, "animations": [{}])")).warnings(), HasSubstr("animations: not played"));
}

TEST(Gltf, ZeroNormalsAreReplacedByThoseOfTheTriangles) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC3", {0, 0, 0, 0, 1, 0, 0, 1, 0}, 3);
  const Imported file(mesh_file(arrays, R"("attributes": {"POSITION": 0, "NORMAL": 1})"));
  EXPECT_EQ(file.scene.meshes.at(0).normals.at(0), Vec3(0, 0, 1));
  EXPECT_THAT(file.warnings(), HasSubstr("/meshes/0/primitives/0/attributes/NORMAL: 1 normals"));
}

TEST(Gltf, WhatIsScaledFlatStaysVisible) {
  const Imported flat(triangle_with("", R"("mesh": 0, "scale": [2, 1, 0], "translation": [0, 0, 3])"));
  ASSERT_THAT(flat.scene.objects, SizeIs(1));
  EXPECT_EQ(flat.scene.objects[0].world_from_object, Affine3d{});
  EXPECT_EQ(flat.scene.meshes.at(static_cast<std::size_t>(flat.scene.objects[0].mesh)).positions.at(1), Vec3(2, 0, 3));
  EXPECT_THAT(Imported(triangle_with("", R"("mesh": 0, "scale": [0, 0, 0])")).scene.objects, IsEmpty());
}

TEST(Gltf, MeshesWithoutAnyNodeAreALibrary) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  const Imported file(gltf(arrays.json() + R"(, "meshes": [{"name": "Chair", "primitives": [{"attributes": {"POSITION": 0}}]}])"));
  ASSERT_THAT(file.scene.objects, SizeIs(1));
  EXPECT_EQ(file.scene.objects[0].path, "Chair/Chair");
  EXPECT_THAT(file.warnings(), HasSubstr("placed at the origin"));
}

TEST(Gltf, PerspectiveAndOrthographicCamerasAreRigid) {
  const Imported file(triangle_with(R"(, "cameras": [{"type": "perspective", "perspective": {"yfov": 0.5, "znear": 0.1}},
      {"type": "orthographic", "orthographic": {"xmag": 2, "ymag": 3, "znear": 0, "zfar": 9}}])",
      R"("mesh": 0}, {"name": "Eye", "camera": 0, "translation": [1, 2, 3], "scale": [5, 5, 5]},
         {"name": "Mirror", "camera": 1, "scale": [-1, 1, 1])"));
  ASSERT_THAT(file.scene.cameras, SizeIs(2));
  const CameraDescription& eye = file.scene.cameras[0];
  EXPECT_EQ(eye.name, "Eye");
  EXPECT_EQ(eye.fov_axis, CameraDescription::FovAxis::y);
  EXPECT_EQ(eye.fov_rad, 0.5);
  EXPECT_EQ(eye.world_from_cam, (Affine3d{Mat3d{}, {1, 2, 3}}));
  EXPECT_FALSE(eye.mirror_x);
  EXPECT_EQ(file.scene.cameras[1].orthographic_height_m, 6.0);
  EXPECT_TRUE(file.scene.cameras[1].mirror_x);
  EXPECT_EQ(file.scene.cameras[1].world_from_cam, Affine3d{});
}

TEST(Gltf, PunctualLightsShineAlongMinusZ) {
  const Imported file(triangle_with(R"(, "extensionsUsed": ["KHR_lights_punctual"], "extensions": {"KHR_lights_punctual": {"lights": [
      {"type": "point", "color": [1, 0.5, 0], "intensity": 10}, {"type": "directional", "intensity": 3},
      {"type": "spot", "spot": {"innerConeAngle": 0.1, "outerConeAngle": 0.4}}]}})",
      R"("mesh": 0}, {"name": "Bulb", "translation": [0, 1, 0], "extensions": {"KHR_lights_punctual": {"light": 0}}},
         {"name": "Sun", "rotation": [-0.70710678118654757, 0, 0, 0.70710678118654757], "extensions": {"KHR_lights_punctual": {"light": 1}}},
         {"extensions": {"KHR_lights_punctual": {"light": 2}})"));
  EXPECT_EQ(file.scene.point_lights.at(0).name, "Bulb");
  EXPECT_EQ(file.scene.point_lights[0].intensity, Rgb(10, 5, 0));
  EXPECT_EQ(file.scene.point_lights[0].position, Vec3d(0, 1, 0));
  expect_near(file.scene.directional_lights.at(0).direction, {0, -1, 0});
  EXPECT_EQ(file.scene.directional_lights[0].irradiance, Rgb(3.0f));
  const SpotLightDescription& spot = file.scene.spot_lights.at(0);
  EXPECT_EQ(spot.falloff, SpotLightDescription::Falloff::gltf);
  EXPECT_FLOAT_EQ(spot.beam_rad, 0.1f);
  EXPECT_FLOAT_EQ(spot.cutoff_rad, 0.4f);
  EXPECT_EQ(spot.direction, Vec3d(0, 0, -1));
  EXPECT_EQ(file.warnings(), "");
}

TEST(Gltf, UnknownExtensionsAreNamed) {
  const Imported file(triangle_with(R"(, "extensionsUsed": ["EXT_house_plants"])"));
  EXPECT_THAT(file.warnings(), HasSubstr("EXT_house_plants: not understood"));
  EXPECT_EQ(file.diagnostics.warnings().at(0).file, (file.folder.path() / "test.gltf").string());
}

}  // namespace
}  // namespace simulacra
