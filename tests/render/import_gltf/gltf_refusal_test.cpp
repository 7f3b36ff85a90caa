// SPDX-License-Identifier: Apache-2.0
// What cannot be imported is refused with one line that names the culprit.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/base/error.h"
#include "tests/render/import_gltf/gltf_text.h"

namespace simulacra {
namespace {

using test::Arrays, test::glb, test::gltf, test::refusal, test::triangle_with;
using testing::AllOf, testing::HasSubstr, testing::Not;

// The message names the file, holds `part`, and is one line.
auto refused_with(std::string_view part) {
  return AllOf(HasSubstr("test.gl"), HasSubstr(std::string(part)), Not(HasSubstr("\n")));
}

std::string with_accessor(std::string_view accessor, std::string_view view = R"("byteLength": 36)") {
  return gltf(fmt::format(R"("buffers": [{{"byteLength": 36, "uri": "data:;base64,{}"}}], "bufferViews": [{{"buffer": 0, {}}}],
      "accessors": [{{{}}}], "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}], "nodes": [{{"mesh": 0}}])",
                          test::base64(std::vector<std::uint8_t>(36, 0)), view, accessor));
}

TEST(GltfRefusal, TheErrorIsOfTheRequest) {
  EXPECT_THROW(test::Imported("{}"), UsageError);
}

TEST(GltfRefusal, OtherVersionsAreNamed) {
  EXPECT_THAT(refusal(R"({"asset": {"version": "1.0"}})"), refused_with("glTF 1.0 is not read, only glTF 2.0; convert"));
  EXPECT_THAT(refusal(R"({"asset": {"version": "3.0"}})"), refused_with("glTF 3.0"));
  EXPECT_THAT(refusal(R"({"asset": {"version": "2.9", "minVersion": "2.1"}})"), refused_with("/asset/minVersion = '2.1'"));
  EXPECT_THAT(refusal(R"({"asset": {"version": 2}})"), refused_with("/asset/version = 2, expected a text"));
  EXPECT_THAT(refusal("{}"), refused_with("'asset' is missing"));
  EXPECT_EQ(refusal(R"({"asset": {"version": "2.1"}})"), "");
}

TEST(GltfRefusal, RequiredExtensionsThatAreNotUnderstoodAreNamed) {
  EXPECT_THAT(refusal(gltf(R"("extensionsRequired": ["KHR_draco_mesh_compression", "KHR_materials_ior", "EXT_x"])")),
              refused_with("requires EXT_x, KHR_draco_mesh_compression, which"));
}

TEST(GltfRefusal, DamagedJsonIsRefused) {
  EXPECT_THAT(refusal(""), refused_with("is empty"));
  EXPECT_THAT(refusal("{\"asset\": \n ]"), refused_with("is no valid JSON: parse error at line 2"));
  EXPECT_THAT(refusal("[1]"), refused_with("its JSON is no object"));
  EXPECT_THAT(refusal(std::string("\xff\xfe{\0", 4)), refused_with("UTF-16"));
  EXPECT_THAT(refusal(gltf(R"("extras": 1e999)")), refused_with("is no valid JSON"));
  EXPECT_THAT(refusal(gltf("\"nodes\": [{\"name\": \"\xff\"}]")), refused_with("is no valid JSON"));
}

TEST(GltfRefusal, DeepAndHugeJsonIsRefusedQuickly) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(refusal(std::string(5'000'000, '[')), refused_with("nested deeper than 200"));
  EXPECT_THAT(refusal(gltf("\"extras\": " + std::string(300, '[') + std::string(300, ']'))), refused_with("nested deeper"));
  std::string many = "\"extras\": [0";
  for (int i = 0; i < 17'000'000; ++i) many += ",0";
  EXPECT_THAT(refusal(gltf(many + "]")), refused_with("more than 16000000 JSON values"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(GltfRefusal, DamagedContainersAreRefused) {
  const std::string json = gltf("");
  EXPECT_THAT(refusal(glb({{test::kJsonChunk, json}}, 1)), refused_with("binary glTF version 1, only version 2"));
  EXPECT_THAT(refusal(glb({{test::kJsonChunk, json}}, 2, 50)), refused_with("cut short"));
  EXPECT_THAT(refusal(glb({{test::kBinaryChunk, json}})), refused_with("expected JSON"));
  EXPECT_THAT(refusal(glb({{test::kJsonChunk, ""}}) + std::string(8, ' ')), refused_with("JSON chunk is empty"));
  EXPECT_THAT(refusal("glTF"), refused_with("too short for a GLB header"));
  EXPECT_THAT(refusal("oops, no header", "test.glb"), refused_with("begins with 'oops', expected the GLB header"));
  std::string long_chunk = glb({{test::kJsonChunk, json}});
  long_chunk[15] = '\x7f';  // the chunk's length: about 2 GiB
  EXPECT_THAT(refusal(long_chunk), refused_with("goes beyond the end"));
  EXPECT_EQ(refusal(glb({{test::kJsonChunk, json}})), "");
}

TEST(GltfRefusal, FoldersAndDevicesAreRefused) {
  const test::TempDir folder;
  std::filesystem::create_directory(folder.path() / "test.gltf");
  Diagnostics diagnostics;
  EXPECT_THROW(import_gltf(folder.path() / "test.gltf", diagnostics), Error);
  EXPECT_THROW(import_gltf("/dev/zero", diagnostics), Error);
  EXPECT_THROW(import_gltf(folder.path() / "absent.gltf", diagnostics), Error);
  EXPECT_THAT(refusal(with_accessor(R"("bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3)") ), "");
  EXPECT_THAT(refusal(gltf(R"("buffers": [{"byteLength": 1, "uri": "/dev/zero"}], "bufferViews": [{"buffer": 0, "byteLength": 1}],
      "images": [{"bufferView": 0}], "textures": [{"source": 0}], "materials": [{"normalTexture": {"index": 0}}])")),
              refused_with("/buffers/0/uri = '/dev/zero', expected an existing file"));
}

TEST(GltfRefusal, BuffersThatAreAbsentOrShortAreNamed) {
  const auto with_buffer = [](std::string_view buffer) {
    return gltf(fmt::format(R"("buffers": [{{{}}}], "bufferViews": [{{"buffer": 0, "byteLength": 4}}],
        "images": [{{"bufferView": 0}}], "textures": [{{"source": 0}}], "materials": [{{"normalTexture": {{"index": 0}}}}])", buffer));
  };
  EXPECT_EQ(refusal(with_buffer(R"("byteLength": 4, "uri": "data:;base64,AAAAAA==")")), "");
  EXPECT_THAT(refusal(with_buffer(R"("byteLength": 5, "uri": "data:;base64,AAAAAA==")")), refused_with("/buffers/0: byteLength = 5, but there are 4"));
  EXPECT_THAT(refusal(with_buffer(R"("byteLength": 4, "uri": "lost.bin")")), refused_with("/buffers/0/uri = 'lost.bin', expected an existing file"));
  EXPECT_THAT(refusal(with_buffer(R"("byteLength": 4, "uri": "data:;base64,A*A=")")), refused_with("valid base64"));
  EXPECT_THAT(refusal(with_buffer(R"("byteLength": 4, "uri": "http://example.org/a.bin")")), refused_with("download it first"));
  EXPECT_THAT(refusal(with_buffer(R"("byteLength": 4)")), refused_with("/buffers/0: has no 'uri'"));
}

TEST(GltfRefusal, BufferViewsAndAccessorsStayInTheirBuffers) {
  const std::string fine = R"("bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3)";
  EXPECT_EQ(refusal(with_accessor(fine)), "");
  EXPECT_THAT(refusal(with_accessor(fine, R"("byteOffset": 4, "byteLength": 36)")), refused_with("/bufferViews/0: byteOffset 4"));
  EXPECT_THAT(refusal(with_accessor(fine, R"("byteOffset": 18446744073709551615, "byteLength": 36)")), refused_with("/bufferViews/0"));
  EXPECT_THAT(refusal(with_accessor(fine, R"("byteLength": 36, "byteStride": 8)")), refused_with("byteStride 8"));
  EXPECT_THAT(refusal(with_accessor(fine, R"("byteLength": 36, "byteStride": 16)")), refused_with("/accessors/0: 3 elements"));
  EXPECT_THAT(refusal(with_accessor(fine + R"(, "byteOffset": 1)")), refused_with("/accessors/0: 3 elements of 12 bytes at byteOffset 1"));
  const auto counted = [](std::string_view count) {
    return refusal(with_accessor(fmt::format(R"("bufferView": 0, "componentType": 5126, "type": "VEC3", "count": {})", count)));
  };
  EXPECT_THAT(counted("4"), refused_with("/accessors/0: 4 elements of 12 bytes"));
  EXPECT_THAT(counted("4294967290"), refused_with("4294967290 vertices are too many"));
  EXPECT_THAT(counted("18446744073709551615"), refused_with("fewer than 2^32 - 1 elements"));
  for (const char* count : {"1e300", "-1", "1.5"}) EXPECT_THAT(counted(count), refused_with("/accessors/0/count = "));
  EXPECT_THAT(refusal(with_accessor(R"("bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 3)")),
              refused_with("/accessors/0/bufferView = 1, expected an entry of 'bufferViews', 0 to 0"));
  EXPECT_THAT(refusal(with_accessor(R"("bufferView": 0, "componentType": 5130, "type": "VEC3", "count": 1)")), refused_with("componentType = 5130"));
  EXPECT_THAT(refusal(with_accessor(R"("bufferView": 0, "componentType": 5126, "type": "VEC5", "count": 1)")), refused_with("type = 'VEC5'"));
  EXPECT_THAT(refusal(with_accessor(R"("bufferView": 0, "componentType": 5126, "type": "VEC2", "count": 3)")), refused_with("2 components, expected 3"));
}

TEST(GltfRefusal, AccessorsWithoutABufferViewAreLimited) {
  EXPECT_THAT(refusal(with_accessor(R"("componentType": 5126, "type": "VEC3", "count": 30000000)")),
              refused_with("30000000 elements without a buffer view, at most 16000000"));
}

TEST(GltfRefusal, SparseEntriesStayInTheAccessor) {
  EXPECT_THAT(refusal(with_accessor(R"("componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 4,
      "indices": {"bufferView": 0, "componentType": 5121}, "values": {"bufferView": 0}})")), refused_with("sparse/count = 4, expected at most 3"));
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.add<std::uint8_t>("SCALAR", 5121, {3}, 1);
  std::string json = arrays.json();
  json.pop_back();
  json += R"(, {"componentType": 5126, "type": "VEC3", "count": 3, "sparse": {"count": 1, "indices": {"bufferView": 1,
      "componentType": 5121}, "values": {"bufferView": 0}}}], "meshes": [{"primitives": [{"attributes": {"POSITION": 2}}]}], "nodes": [{"mesh": 0}])";
  EXPECT_THAT(refusal(gltf(json)), refused_with("/accessors/2/sparse/indices: entry 0 = 3"));
}

TEST(GltfRefusal, IndicesBeyondTheVerticesAreNamed) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.add<std::uint16_t>("SCALAR", 5123, {0, 1, 65535}, 3);
  const auto file = [&](std::string_view primitive) {
    return gltf(fmt::format(R"({}, "meshes": [{{"primitives": [{{{}}}]}}], "nodes": [{{"mesh": 0}}])", arrays.json(), primitive));
  };
  EXPECT_THAT(refusal(file(R"("attributes": {"POSITION": 0}, "indices": 1)")),
              refused_with("/meshes/0/primitives/0/indices: index 2 = 65535, but there are 3 vertices"));
  EXPECT_THAT(refusal(file(R"("attributes": {"POSITION": 0}, "indices": 0)")), refused_with("for indices"));
  EXPECT_THAT(refusal(file(R"("attributes": {"POSITION": 7})")), refused_with("/attributes/POSITION = 7"));
  EXPECT_THAT(refusal(file(R"("attributes": {"POSITION": 0}, "mode": 7)")), refused_with("mode = 7, expected 0 to 6"));
  EXPECT_THAT(refusal(file(R"("attributes": {"POSITION": 0}, "material": 0)")), refused_with("expected an entry of 'materials', which has none"));
}

TEST(GltfRefusal, AttributesHaveAsManyElementsAsPositions) {
  Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC2", {0, 0, 1, 1}, 2);
  EXPECT_THAT(refusal(gltf(arrays.json() + R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]}], "nodes": [{"mesh": 0}])")),
              refused_with("TEXCOORD_0: accessor 1 has 2 elements, but POSITION has 3"));
}

TEST(GltfRefusal, PositionsThatAreNotFiniteAreRefused) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Arrays arrays;
    arrays.floats("VEC3", {0, 0, 0, 1, bad, 0, 0, 1, 0}, 3);
    EXPECT_THAT(refusal(gltf(arrays.json() + R"(, "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}])")),
                refused_with("/meshes/0/primitives/0: a POSITION is (1, "));
  }
}

TEST(GltfRefusal, HierarchiesAreTrees) {
  EXPECT_THAT(refusal(triangle_with("", R"("children": [0])")), refused_with("/nodes/0: is its own ancestor"));
  EXPECT_THAT(refusal(triangle_with("", R"("children": [1]}, {"children": [2]}, {"children": [0])")), refused_with("is its own ancestor"));
  EXPECT_THAT(refusal(triangle_with("", R"("children": [2]}, {"children": [2]}, {)")), refused_with("/nodes/1/children/0: node 2 is a child of node 0 already"));
  EXPECT_THAT(refusal(triangle_with("", R"("children": [9])")), refused_with("/nodes/0/children/0 = 9"));
  EXPECT_THAT(refusal(triangle_with(R"(, "scenes": [{"nodes": [0, 0]}])")), refused_with("node 0 is listed twice"));
  EXPECT_THAT(refusal(triangle_with(R"(, "scene": 3)")), refused_with("/scene = 3, expected an entry of 'scenes', which has none"));
}

TEST(GltfRefusal, TransformsAreFinite) {
  EXPECT_THAT(refusal(triangle_with("", R"("mesh": 0, "rotation": [0, 0, 0, 0])")), refused_with("/nodes/0/rotation: the quaternion"));
  EXPECT_THAT(refusal(triangle_with("", R"("mesh": 0, "scale": [1, 2])")), refused_with("/nodes/0/scale = an array of 2, expected an array of 3"));
  EXPECT_THAT(refusal(triangle_with("", R"("mesh": 0, "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2])")), refused_with("the last row"));
  EXPECT_THAT(refusal(triangle_with("", R"("children": [1], "scale": [1e200, 1, 1]}, {"mesh": 0, "scale": [1e200, 1, 1])")),
              refused_with("/nodes/1: its transform in the scene is not finite"));
}

TEST(GltfRefusal, WrongTypesAreNamedWithTheirPlace) {
  EXPECT_THAT(refusal(gltf(R"("nodes": {})")), refused_with("/nodes = an object, expected an array"));
  EXPECT_THAT(refusal(gltf(R"("nodes": [7])")), refused_with("/nodes/0 = 7, expected an object"));
  EXPECT_THAT(refusal(gltf(R"("nodes": [{"name": 7}])")), refused_with("/nodes/0/name = 7, expected a text"));
  EXPECT_THAT(refusal(gltf(R"("nodes": [{"mesh": "x"}])")), refused_with("/nodes/0/mesh = 'x', expected a whole number"));
  EXPECT_THAT(refusal(gltf(R"("materials": [{"alphaMode": "GLOW"}])")), refused_with("alphaMode = 'GLOW', expected OPAQUE, MASK or BLEND"));
}

TEST(GltfRefusal, NamesWithLineBreaksStayInOneLine) {
  EXPECT_THAT(refusal(gltf(R"("extensionsRequired": ["a\nb"])")), refused_with("requires a?b"));
}

TEST(GltfRefusal, LightsAndCamerasAreChecked) {
  const auto light = [](std::string_view text) {
    return triangle_with(fmt::format(R"(, "extensions": {{"KHR_lights_punctual": {{"lights": [{{{}}}]}}}})", text),
                         R"("extensions": {"KHR_lights_punctual": {"light": 0}})");
  };
  EXPECT_EQ(refusal(light(R"("type": "point")")), "");
  EXPECT_THAT(refusal(light(R"("type": "area")")), refused_with("'area', expected point, spot or directional"));
  EXPECT_THAT(refusal(light(R"("type": "point", "intensity": -1)")), refused_with("intensity = -1"));
  EXPECT_THAT(refusal(light(R"("type": "spot")")), refused_with("'spot' is missing"));
  EXPECT_THAT(refusal(light(R"("type": "spot", "spot": {"outerConeAngle": 2})")), refused_with("outerConeAngle = 2"));
  EXPECT_THAT(refusal(triangle_with("", R"("extensions": {"KHR_lights_punctual": {"light": 2}})")), refused_with("one of the 0 lights"));
  EXPECT_THAT(refusal(triangle_with(R"(, "cameras": [{"type": "perspective", "perspective": {"yfov": 4}}])", R"("camera": 0)")), refused_with("yfov = 4"));
}

}  // namespace
}  // namespace simulacra
