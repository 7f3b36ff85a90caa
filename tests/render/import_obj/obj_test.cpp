// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "tests/render/import_obj/obj_files.h"

namespace simulacra {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using test::ObjFiles;

const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

std::string refusal_of(const std::string& obj) {
  ObjFiles files(obj);
  try {
    files.import();
  } catch (const UsageError& e) {
    const std::string message = e.what();
    return message.substr(message.find("model.obj"));
  }
  return "imported";
}

std::vector<std::string> names_of(const SceneDescription& scene) {
  std::vector<std::string> names;
  for (const ObjectDescription& object : scene.objects) names.push_back(object.name);
  return names;
}

TEST(Obj, ASquareIsTwoTriangles) {
  ObjFiles files(kSquare + "f 1 2 3 4\n");
  const SceneDescription scene = files.import();
  ASSERT_EQ(scene.objects.size(), 1u);
  const MeshDescription& mesh = scene.meshes[0];
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(mesh.positions.size(), 4u);
  EXPECT_EQ(mesh.positions[2], Vec3(1, 1, 0));
  EXPECT_TRUE(mesh.normals.empty());
  EXPECT_TRUE(mesh.uv[0].empty());
  EXPECT_EQ(scene.up, "y");
  EXPECT_EQ(scene.objects[0].name, "model");
  EXPECT_EQ(files.warnings(), "");
}

TEST(Obj, NegativeNumbersCountBackwards) {
  ObjFiles files("v 9 9 9\n" + kSquare + "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nf -4/-3/-1 -3/-2/-1 -2/-1/-1\n");
  const SceneDescription scene = files.import();
  EXPECT_THAT(scene.meshes[0].positions, ElementsAre(Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0)));
  EXPECT_THAT(scene.meshes[0].uv[0], ElementsAre(Vec2{0, 0}, Vec2{1, 0}, Vec2{1, 1}));
  EXPECT_THAT(scene.meshes[0].normals, ElementsAre(Vec3(0, 0, 1), Vec3(0, 0, 1), Vec3(0, 0, 1)));
}

TEST(Obj, ObjectsGroupsAndMaterialsStayApart) {
  ObjFiles files(kSquare +
                     "mtllib model.mtl\no Chair\ng seat\nusemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n"
                     "g legs\nf 1 2 4\no Lamp\ng default\nusemtl red\nf 2 3 4\no Chair\ng seat\nf 1 2 3 4\n",
                 "newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\nnewmtl unused\nmap_Kd gone.png\n");
  const SceneDescription scene = files.import();
  EXPECT_THAT(names_of(scene), ElementsAre("Chair/seat/red", "Chair/seat/blue", "Chair/legs", "Lamp/default"));
  EXPECT_EQ(scene.objects[0].path, "Chair/seat");
  EXPECT_EQ(scene.objects[0].source, "model");
  EXPECT_EQ(scene.meshes[0].triangles.size(), 3u);
  EXPECT_EQ(scene.objects[0].material, scene.objects[3].material);
  ASSERT_EQ(scene.materials.size(), 2u);  // what no face uses is left out, with its images
  EXPECT_EQ(files.warnings(), "");
}

TEST(Obj, TextQuirksAreRead) {
  ObjFiles files("\xef\xbb\xbf# comment\r\nv 0 0 0 # origin\rv\t+1.0e0   0\t0\r\n  v 1 \\\r\n 1 0\r\n\\\n\nf 1 2 3#end\r\n"
                 "f 1 \\\n2 \\\n3");
  const SceneDescription scene = files.import();
  EXPECT_EQ(scene.meshes[0].triangles.size(), 2u);
  EXPECT_EQ(scene.meshes[0].positions[2], Vec3(1, 1, 0));
  EXPECT_EQ(files.warnings(), "");
}

TEST(Obj, Utf16IsConverted) {
  const std::string plain = kSquare + "o Küche\nf 1 2 3\n";
  std::string wide = "\xff\xfe";
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] == '\xc3') {  // ü is U+00FC
      wide += '\xfc';
      wide += '\0';
      ++i;
    } else {
      wide += plain[i];
      wide += '\0';
    }
  }
  ObjFiles files(wide);
  EXPECT_EQ(files.import().objects[0].name, "Küche");
}

TEST(Obj, SmoothingGroupsMakeNormalsOnlyWhereAsked) {
  // A roof of two squares that meet at a right angle along y = 0.
  const std::string roof = "v 0 0 0\nv 1 0 0\nv 1 1 -1\nv 0 1 -1\nv 0 -1 -1\nv 1 -1 -1\n";
  const std::string faces = "f 1 2 3 4\nf 2 1 5 6\n";
  EXPECT_TRUE(ObjFiles(roof + faces).import().meshes[0].normals.empty());
  EXPECT_TRUE(ObjFiles(roof + "s off\n" + faces).import().meshes[0].normals.empty());

  const SceneDescription smooth = ObjFiles(roof + "s 1\n" + faces).import();
  ASSERT_EQ(smooth.meshes[0].positions.size(), 6u);
  const Vec3 ridge = smooth.meshes[0].normals[0];
  EXPECT_NEAR(ridge.z, 1, 1e-6);  // float rounding of unit numbers
  const Vec3 eave = smooth.meshes[0].normals[2];
  EXPECT_NEAR(eave.y, std::sqrt(0.5), 1e-6);

  const SceneDescription two_groups = ObjFiles(roof + "s 1\nf 1 2 3 4\ns 2\nf 2 1 5 6\n").import();
  EXPECT_EQ(two_groups.meshes[0].positions.size(), 8u);
  EXPECT_NEAR(two_groups.meshes[0].normals[0].z, std::sqrt(0.5), 1e-6);

  const SceneDescription mixed = ObjFiles(roof + "s 1\nf 1 2 3 4\ns off\nf 2 1 5 6\n").import();
  EXPECT_EQ(mixed.meshes[0].normals.size(), 8u);
  EXPECT_NEAR(mixed.meshes[0].normals[4].y, -std::sqrt(0.5), 1e-6);
}

TEST(Obj, VertexColorsAreSrgb) {
  ObjFiles files("v 0 0 0 1 0.5 0\nv 1 0 0\nv 1 1 0 0 0 0\nf 1 2 3\n");
  const SceneDescription scene = files.import();
  ASSERT_EQ(scene.meshes[0].colors.size(), 3u);
  EXPECT_NEAR(scene.meshes[0].colors[0].y, 0.21404f, 1e-5);  // sRGB 0.5, IEC 61966-2-1
  EXPECT_EQ(scene.meshes[0].colors[1], (Vec4{1, 1, 1, 1}));
  EXPECT_TRUE(scene.materials[0].use_vertex_color);
  EXPECT_EQ(files.warnings(), "");

  ObjFiles bytes("v 0 0 0 255 0 nan\nv 1 0 0 255 0 0\nv 1 1 0 0 0 0\nf 1 2 3\n");
  EXPECT_EQ(bytes.import().meshes[0].colors[1], (Vec4{1, 0, 0, 1}));
  EXPECT_THAT(bytes.warnings(), HasSubstr("vertex colors: reach 255"));
  EXPECT_THAT(bytes.warnings(), HasSubstr("vertex colors: 1 are not finite"));
}

TEST(Obj, WhatIsLeftOutIsNamedOnce) {
  ObjFiles files(kSquare + "p 1\nl 1 2\nl 2 3\ncurv 0 1 1 2\nf 1 2\nf 1 2 2\nf 1 2 3\nusemtl ghost\nf 1 3 4\nmtllib no.mtl\n");
  const SceneDescription scene = files.import();
  EXPECT_THAT(files.warnings(), HasSubstr("l (lines): is not read; 2 such statements are left out"));
  EXPECT_THAT(files.warnings(), HasSubstr("p (points): is not read; 1 such"));
  EXPECT_THAT(files.warnings(), HasSubstr("curv: is not read"));
  EXPECT_THAT(files.warnings(), HasSubstr("f: 1 faces with fewer than 3 corners"));
  EXPECT_THAT(files.warnings(), HasSubstr("f: 1 triangles with a repeated vertex"));
  EXPECT_THAT(files.warnings(), HasSubstr("ghost: the material is not defined"));
  EXPECT_THAT(files.warnings(), HasSubstr("no.mtl: the material file is not found"));
  EXPECT_EQ(scene.materials.back().name, "ghost");
}

TEST(Obj, BadNumbersAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal_of(kSquare + "f 1 2 0\n"),
            "model.obj:5: 'f' refers to vertex 0, and 4 are defined; numbers begin at 1, or at -1 backwards");
  EXPECT_EQ(refusal_of(kSquare + "f 1 2 -5\n"),
            "model.obj:5: 'f' refers to vertex -5, and 4 are defined; numbers begin at 1, or at -1 backwards");
  EXPECT_EQ(refusal_of(kSquare + "f 1 2 9\n"), "model.obj:5: 'f' refers to vertex 9, and 4 are defined");
  EXPECT_EQ(refusal_of(kSquare + "f 1 2 x\n"),
            "model.obj:5: 'f' has 'x' where vertex/texture/normal numbers were expected");
  EXPECT_EQ(refusal_of("v 0 zero 0\n"), "model.obj:1: 'v' has 'zero' where a number was expected");
  EXPECT_EQ(refusal_of("v 0 0\n"), "model.obj:1: 'v' has 2 numbers; expected x y z");
  EXPECT_EQ(refusal_of(""), "model.obj: no face stands in it (0 vertices, 0 other statements); expected a mesh");
  EXPECT_EQ(refusal_of(kSquare + "p 1\n"),
            "model.obj: no face stands in it (4 vertices, 1 other statements); expected a mesh");
  EXPECT_EQ(refusal_of("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), "model.obj: no triangle is left of its faces");
  EXPECT_EQ(refusal_of(kSquare + "f 99999999999999999999 2 3\n"),
            "model.obj:5: 'f' has '99999999999999999999' where vertex/texture/normal numbers were expected");
}

TEST(Obj, LaterVerticesMayBeReferredTo) {
  ObjFiles files("f 1 2 3\n" + kSquare);
  EXPECT_EQ(files.import().meshes[0].positions.size(), 3u);
}

TEST(Obj, UndefinedTextureCoordinatesAndNormalsAreDropped) {
  ObjFiles files(kSquare + "vt 0 0\nf 1/1/7 2/2/7 3/1/7\n");
  const SceneDescription scene = files.import();
  EXPECT_TRUE(scene.meshes[0].normals.empty());
  EXPECT_THAT(files.warnings(), HasSubstr("f: 1 corners refer to texture coordinates"));
  EXPECT_THAT(files.warnings(), HasSubstr("f: 3 corners refer to normals"));
}

TEST(Obj, FarAwayModelsKeepTheirDigits) {
  ObjFiles files("v 1000000.25 0 0\nv 1000001.25 0 0\nv 1000000.25 1.125 0\nf 1 2 3\n");
  const SceneDescription scene = files.import();
  const Affine3d& place = scene.objects[0].world_from_object;
  EXPECT_EQ(place.point(Vec3d(scene.meshes[0].positions[0])), Vec3d(1000000.25, 0, 0));
  EXPECT_EQ(place.point(Vec3d(scene.meshes[0].positions[2])), Vec3d(1000000.25, 1.125, 0));
}

TEST(Obj, MaterialFilesMayHaveBlanksOrBeSeveral) {
  ObjFiles one("mtllib my file.mtl\n" + kSquare + "usemtl a b\nf 1 2 3\n");
  one.put("My File.mtl", "newmtl a b\nKd 0.1 0.2 0.3\n");
  EXPECT_EQ(one.import().materials[0].base_color.factor, Rgb(0.1f, 0.2f, 0.3f));
  EXPECT_EQ(one.warnings(), "");

  ObjFiles two("mtllib a.mtl b.mtl\n" + kSquare + "usemtl b\nf 1 2 3\nusemtl a\nf 1 3 4\n");
  two.put("a.mtl", "newmtl a\nKd 0.1 0.1 0.1\n");
  two.put("b.mtl", "newmtl b\nKd 0.2 0.2 0.2\n");
  EXPECT_EQ(two.import().materials[0].base_color.factor, Rgb(0.2f));
  EXPECT_EQ(two.warnings(), "");
}

}  // namespace
}  // namespace simulacra
