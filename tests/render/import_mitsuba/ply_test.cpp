// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "render/geometry/mesh.h"
#include "tests/render/import_mitsuba/mitsuba_scene.h"

namespace simulacra {
namespace {

using test::import_body;
using test::Imported;
using test::in_scene;
using test::refusal;
using testing::HasSubstr;

const std::string kShape = "<shape type=\"ply\"><string name=\"filename\" value=\"a.ply\"/></shape>";

Imported ply(const std::string& text, const std::string& body = kShape) { return import_body(body, {{"a.ply", text}}); }
std::string refused(const std::string& text) { return refusal(in_scene(kShape), {{"a.ply", text}}); }

const std::string kHeader =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const std::string kFaces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n";

template <typename T>
void put(std::string& out, T value, bool big) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (std::size_t i = 0; i < sizeof(T); ++i) out += bytes[big ? sizeof(T) - 1 - i : i];  // on a little-endian machine
}

TEST(Ply, AsciiPolygonsAreFans) {
  const Imported s = ply(kHeader + kFaces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3");
  EXPECT_EQ(s.warning_text(), "");
  EXPECT_EQ(s.mesh().positions.size(), 4u);
  EXPECT_EQ(s.mesh().triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(s.mesh().normals.at(0), (Vec3{0, 0, 1}));  // smoothed
  EXPECT_EQ(s.scene.objects[0].name, "a");
}

TEST(Ply, BinaryOfBothByteOrdersIsRead) {
  static_assert(std::endian::native == std::endian::little);
  for (const bool big : {false, true}) {
    std::string text = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                       "_endian 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty short z\nproperty uchar red\nproperty uchar green\n"
                       "property uchar blue\nelement face 1\nproperty list uint ushort vertex_index\nend_header\n";
    for (int i = 0; i < 3; ++i) {
      put(text, i == 1 ? 2.5 : 0.0, big);
      put(text, i == 2 ? 1.5f : 0.0f, big);
      put(text, static_cast<std::int16_t>(-300), big);
      for (const int channel : {255, 51, 0}) put(text, static_cast<std::uint8_t>(channel), big);
    }
    put(text, std::uint32_t{3}, big);
    for (const int v : {0, 1, 2}) put(text, static_cast<std::uint16_t>(v), big);
    const Imported s = ply(text);
    EXPECT_EQ(s.mesh().positions.at(1), (Vec3{2.5f, 0, -300}));
    EXPECT_EQ(s.mesh().positions.at(2), (Vec3{0, 1.5f, -300}));
    EXPECT_EQ(s.mesh().colors.at(0), (Vec4{1, 0.2f, 0, 1}));
    EXPECT_EQ(s.mesh().triangles, (std::vector<Triangle>{{0, 1, 2}}));
  }
}

TEST(Ply, NormalsAndUvAreReadUnderTheirNames) {
  for (const auto& [u, v] : {std::pair{"u", "v"}, std::pair{"s", "t"}, std::pair{"texture_u", "texture_v"}}) {
    std::string text = kHeader + fmt::format("property float nx\nproperty float ny\nproperty float nz\nproperty float {}\nproperty float {}\n", u, v) + kFaces;
    text += "0 0 0 0 0 1 0.1 0.2\n1 0 0 0 0 1 0.3 0.4\n1 1 0 0 0 1 0.5 0.6\n0 1 0 0 0 1 0.7 0.8\n3 0 1 2\n";
    const Imported s = ply(text);
    EXPECT_EQ(s.warning_text(), "") << u;
    EXPECT_EQ(s.mesh().normals.at(3), (Vec3{0, 0, 1}));
    EXPECT_EQ(s.mesh().uv[0].at(1), (Vec2{0.3f, 0.4f}));  // not turned over, as in Mitsuba
    const Imported flipped = ply(text, "<shape type=\"ply\"><string name=\"filename\" value=\"a.ply\"/><boolean name=\"flipTexCoords\" value=\"true\"/></shape>");
    EXPECT_EQ(flipped.mesh().uv[0].at(1), (Vec2{0.3f, 0.6f}));
  }
}

TEST(Ply, OtherPropertiesAndElementsAreWarnedOf) {
  const Imported s = ply(kHeader + "property float curvature\nproperty list uchar float weights\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n" + kFaces +
                         "0 0 0 9 2 1 1\n1 0 0 9 0\n1 1 0 9 1 5\n0 1 0 9 0\n0 1\n3 0 1 2\n");
  EXPECT_EQ(s.mesh().triangles.size(), 1u);
  EXPECT_EQ(s.warning_text(), "curvature: vertex property not used\nweights: vertex property not used\nedge: element not used\n");
}

TEST(Ply, RefusalsNameTheFileAndTheCulprit) {
  EXPECT_EQ(refused("solid"), "a.ply: does not start with 'ply'");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\n"), "a.ply: header without end_header");
  EXPECT_EQ(refused("ply\nformat xml 1.0\nend_header\n"), "a.ply: format 'xml', expected ascii, binary_little_endian or binary_big_endian");
  EXPECT_EQ(refused("ply\nelement vertex 3\nend_header\n"), "a.ply: no format line before the first element");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex many\nend_header\n"), "a.ply: element line, expected: element NAME COUNT");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n"), "a.ply: property type 'quad', expected char … double");
  EXPECT_EQ(refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"), "a.ply: vertices without x, y and z");
  EXPECT_EQ(refused(kHeader + "end_header\n0 0 0 0 0 0 0 0 0 0 0 0\n"), "a.ply: no face element: point clouds are not supported");
  EXPECT_EQ(refused(kHeader + kFaces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 4\n"), "a.ply: a face refers to vertex 4, expected 0 to 3");
  EXPECT_EQ(refused(kHeader + kFaces + "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1"), "a.ply: the file ends too early");
  EXPECT_THAT(refused(kHeader + kFaces + "0 0 zero\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n"), HasSubstr("expected a number"));
  EXPECT_EQ(refused(kHeader + kFaces + "0 0 nan\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n"), "a.ply: position of vertex 0 is not finite");
}

TEST(Ply, CountsBeyondTheFileReserveNoMemory) {
  EXPECT_EQ(refused("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000000\nproperty float x\nproperty float y\nproperty float z\n" + kFaces),
            "a.ply: element vertex has 4000000000000 entries, but the file ends before");
  std::string list = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
                     "property list uint int vertex_indices\nend_header\n";
  for (int i = 0; i < 3; ++i) put(list, 0.0f, false);
  put(list, std::uint32_t{4000000000u}, false);
  EXPECT_EQ(refused(list), "a.ply: a list of 4e+09 entries");
}

TEST(Ply, DamagedFilesOfTheCorpusAreReadOrRefusedWithOneLine) {
  SIM_NEED_SHARED_DATA(shared);
  int read = 0, refusals = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / "data/broken")) {
    if (entry.path().extension() != ".ply") continue;
    const std::string xml = in_scene("<shape type=\"ply\"><string name=\"filename\" value=\"a.ply\"/></shape>");
    const std::string message = refusal(xml, {{"a.ply", read_text_file(entry.path())}});
    EXPECT_EQ(message.find('\n'), std::string::npos) << entry.path();
    if (!message.empty()) {
      EXPECT_THAT(message, testing::StartsWith("a.ply: ")) << entry.path();
    }
    ++(message.empty() ? read : refusals);
  }
  EXPECT_EQ(read, 24);  // those without vertices among them: an empty mesh is no damage
  EXPECT_EQ(refusals, 20);
}

}  // namespace
}  // namespace simulacra
