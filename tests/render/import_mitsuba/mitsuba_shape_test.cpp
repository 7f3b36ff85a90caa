// SPDX-License-Identifier: Apache-2.0
// Numbers from outside are Mitsuba 3.9's for the same text.
#include <cmath>
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

Imported shape(const std::string& type, const std::string& inner, const std::map<std::string, std::string>& files = {}) {
  return import_body(fmt::format("<shape type=\"{}\">{}</shape>", type, inner), files);
}

std::string to_world(const std::string& steps) { return "<transform name=\"to_world\">" + steps + "</transform>"; }

/// First triangle's outer side in the world, as a renderer sees it.
Vec3 outside(const Imported& s, std::size_t object = 0) {
  const ObjectDescription& o = s.scene.objects.at(object);
  EXPECT_GT(determinant(o.world_from_object.linear), 0);
  const MeshDescription mesh = transformed(s.mesh(object), o.world_from_object);
  const auto c = triangle_corners(mesh, 0);
  const Vec3 n = triangle_normal(c[0], c[1], c[2]);
  return o.flip_normals ? -n : n;
}

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.1\nvt 1 0.2\nvt 0 0.9\nf 1/1 2/2 3/3\n";

TEST(MitsubaShape, NamesComeFromTheIdElseTheFileElseThePlugin) {
  const Imported s = import_body(
      "<shape type=\"cube\" id=\"crate\"/><shape type=\"cube\"/>"
      "<shape type=\"obj\"><string name=\"filename\" value=\"models/Sofa.obj\"/></shape>"
      "<shape type=\"obj\" id=\"seat\"><string name=\"filename\" value=\"models/Sofa.obj\"/></shape>",
      {{"models/Sofa.obj", kTriangle}});
  ASSERT_EQ(s.scene.objects.size(), 4u);
  EXPECT_EQ(s.scene.objects[0].name, "crate");
  EXPECT_EQ(s.scene.objects[1].name, "cube");
  EXPECT_EQ(s.scene.objects[2].name, "Sofa");
  EXPECT_EQ(s.scene.objects[3].name, "seat");
  EXPECT_EQ(s.scene.objects[3].path, "shape/seat/Sofa");
  EXPECT_EQ(s.scene.objects[3].source, "scene");
  EXPECT_EQ(s.scene.objects[2].mesh, s.scene.objects[3].mesh);  // read once
  EXPECT_EQ(s.scene.up, "y");
  EXPECT_EQ(s.scene.meters_per_unit, 1.0);
}

TEST(MitsubaShape, ASphereStaysExactUnderASimilarity) {
  const Imported s = shape("sphere", "<point name=\"center\" x=\"1\" y=\"0.3\" z=\"1.4\"/><float name=\"radius\" value=\"0.4\"/>" +
                                         to_world("<scale value=\"2\"/><translate x=\"3\"/>"));
  const ObjectDescription& o = s.scene.objects.at(0);
  ASSERT_TRUE(o.sphere);
  EXPECT_EQ(o.mesh, -1);
  EXPECT_EQ(o.sphere->radius, 0.4f);
  EXPECT_NEAR(length(o.world_from_object.point(Vec3d(o.sphere->center)) - Vec3d{5, 0.6, 2.8}), 0, 1e-6);  // float center
  EXPECT_FALSE(o.sphere->flip_normals);
  EXPECT_TRUE(shape("sphere", "<boolean name=\"flip_normals\" value=\"true\"/>").scene.objects[0].sphere->flip_normals);
  EXPECT_TRUE(shape("sphere", to_world("<scale x=\"-1\"/>")).scene.objects[0].sphere->flip_normals);
}

TEST(MitsubaShape, AStretchedSphereBecomesAMesh) {
  const Imported s = shape("sphere", "<float name=\"radius\" value=\"2\"/>" + to_world("<scale x=\"3\"/>"));
  const ObjectDescription& o = s.scene.objects.at(0);
  ASSERT_FALSE(o.sphere);
  const MeshDescription mesh = transformed(s.mesh(), o.world_from_object);
  const Box3f box = mesh_box(mesh);
  EXPECT_NEAR(box.hi.x, 6, 1e-5f);
  EXPECT_NEAR(box.hi.y, 2, 1e-5f);
  EXPECT_NEAR(box.hi.z, 2, 1e-5f);
}

TEST(MitsubaShape, FlatShapesLookAlongZAlsoWhenMirrored) {
  for (const char* type : {"rectangle", "disk"}) {
    EXPECT_EQ(outside(shape(type, "")), (Vec3{0, 0, 1})) << type;
    EXPECT_EQ(outside(shape(type, to_world("<scale x=\"-1\"/>"))), (Vec3{0, 0, 1})) << type;
    EXPECT_EQ(outside(shape(type, "<boolean name=\"flipNormals\" value=\"true\"/>")), (Vec3{0, 0, -1})) << type;
    EXPECT_EQ(outside(shape(type, to_world("<scale z=\"0\"/>"))), (Vec3{0, 0, 1})) << type;
    EXPECT_THAT(refusal(in_scene(fmt::format("<shape type=\"{}\">{}</shape>", type, to_world("<scale x=\"0\"/>")))), HasSubstr("it has no area")) << type;
  }
}

TEST(MitsubaShape, ClosedShapesLookOutwardsAlsoWhenMirrored) {
  for (const char* type : {"cube", "cylinder"})
    for (const char* steps : {"", "<scale x=\"-1\" y=\"2\"/>"}) {
      const Imported s = shape(type, to_world(steps));
      const MeshDescription mesh = transformed(s.mesh(), s.scene.objects[0].world_from_object);
      for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto c = triangle_corners(mesh, t);
        const Vec3 axis_to_corner = type == std::string("cube") ? c[0] : Vec3{c[0].x, c[0].y, 0};
        EXPECT_GT(dot(triangle_normal(c[0], c[1], c[2]), axis_to_corner), 0) << type << steps;
      }
    }
}

TEST(MitsubaShape, ACylinderRunsFromOnePointToTheOther) {
  const Imported s = shape("cylinder", "<point name=\"p0\" x=\"0.7\" y=\"0\" z=\"0\"/><point name=\"p1\" x=\"0.7\" y=\"1.2\" z=\"0\"/><float name=\"radius\" value=\"0.35\"/>");
  EXPECT_EQ(s.mesh().triangles.size(), 512u);
  const Box3f box = mesh_box(transformed(s.mesh(), s.scene.objects[0].world_from_object));
  EXPECT_NEAR(box.lo.y, 0, 1e-6f);
  EXPECT_NEAR(box.hi.y, 1.2, 1e-6f);
  EXPECT_NEAR(box.hi.x, 1.05, 1e-6f);
  EXPECT_THAT(refusal(in_scene("<shape type=\"cylinder\"><point name=\"p1\" z=\"0\" /></shape>")), HasSubstr("radius 1 and length 0, expected more than 0"));
}

TEST(MitsubaObj, IsOneShapeWithVTurnedOver) {
  const Imported s = shape("obj", "<string name=\"filename\" value=\"a.obj\"/>",
                           {{"a.obj", std::string("o one\ng two\nusemtl red\n") + kTriangle + "g three\nv 5 5 5\nf -1 -2 -3\n"}});
  ASSERT_EQ(s.scene.objects.size(), 1u);
  EXPECT_EQ(s.warning_text(), "");
  EXPECT_EQ(s.mesh().triangles.size(), 2u);
  EXPECT_NEAR(s.mesh().uv[0][0].y, 0.9f, 1e-6f);
  EXPECT_NEAR(s.mesh().uv[0][2].y, 0.1f, 1e-6f);
  const Imported kept = shape("obj", "<string name=\"filename\" value=\"a.obj\"/><boolean name=\"flip_tex_coords\" value=\"false\"/>", {{"a.obj", kTriangle}});
  EXPECT_NEAR(kept.mesh().uv[0][0].y, 0.1f, 1e-6f);
}

TEST(MitsubaObj, PolygonsAreFans) {
  const Imported s = shape("obj", "<string name=\"filename\" value=\"a.obj\"/>", {{"a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv -1 0.5 0\nf 1 2 3 4 5\n"}});
  EXPECT_EQ(s.mesh().triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(MitsubaObj, MissingNormalsAreSmoothedUnlessFacesAreFlat) {
  const std::string corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 2 3\nf 1 3 4\n";
  const Imported smooth = shape("obj", "<string name=\"filename\" value=\"a.obj\"/>", {{"a.obj", corner}});
  EXPECT_NEAR(smooth.mesh().normals.at(2).x, 0.815619f, 1e-6f);
  EXPECT_NEAR(smooth.mesh().normals.at(2).z, 0.578590f, 1e-6f);
  const Imported flat = shape("obj", "<string name=\"filename\" value=\"a.obj\"/><boolean name=\"faceNormals\" value=\"true\"/>", {{"a.obj", corner}});
  EXPECT_TRUE(flat.mesh().normals.empty());
}

TEST(MitsubaObj, TheOuterSideIsThatOfTheNormalsElseOfTheWinding) {
  const std::string mirrored = "<string name=\"filename\" value=\"a.obj\"/>" + to_world("<scale x=\"-2\"/>");
  const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 -1\n";
  EXPECT_EQ(outside(shape("obj", mirrored, {{"a.obj", corners + "f 1 2 3\n"}})), (Vec3{0, 0, -1}));
  EXPECT_EQ(outside(shape("obj", mirrored, {{"a.obj", corners + "f 1//1 2//1 3//1\n"}})), (Vec3{0, 0, 1}));
  const std::string plain = "<string name=\"filename\" value=\"a.obj\"/>";
  EXPECT_EQ(outside(shape("obj", plain, {{"a.obj", corners + "f 1//2 2//2 3//2\n"}})), (Vec3{0, 0, -1}));
  EXPECT_EQ(outside(shape("obj", plain + "<boolean name=\"face_normals\" value=\"true\"/>", {{"a.obj", corners + "f 1//2 2//2 3//2\n"}})), (Vec3{0, 0, 1}));
}

TEST(MitsubaObj, RefusalsNameTheFileAndLine) {
  const auto message = [](const std::string& text) {
    return refusal(in_scene("<shape type=\"obj\"><string name=\"filename\" value=\"a.obj\"/></shape>"), {{"a.obj", text}});
  };
  EXPECT_EQ(message("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"), "a.obj:4: face refers to vertex 9, expected 1 to 3 or -3 to -1");
  EXPECT_EQ(message("v 0 0 0\nf 0 0 0\n"), "a.obj:2: face refers to vertex 0, expected 1 to 1 or -1 to -1");
  EXPECT_EQ(message("v 0 0 0\nf 1/3 1/3 1/3\n"), "a.obj:2: face refers to texture vertex 3, but there is none before it");
  EXPECT_EQ(message("v 0 0\n"), "a.obj:1: v without three numbers");
  EXPECT_EQ(message("v 0 0 inf\n"), "a.obj:1: v is not finite");
  EXPECT_EQ(refusal(in_scene("\n<shape type=\"obj\"><string name=\"filename\" value=\"gone.obj\"/></shape>")),
            "scene.xml:3: shape 'obj': mesh file 'gone.obj' not found");
  EXPECT_THAT(shape("obj", "<string name=\"filename\" value=\"a.obj\"/>", {{"a.obj", "v 0 0 0\n"}}).warning_text(),
              HasSubstr("a.obj: no triangles; the shape is left out"));
}

constexpr const char* kGroup =
    "<shape type=\"shapegroup\" id=\"chair\"><shape type=\"cube\" id=\"seat\">"
    "<transform name=\"to_world\"><translate y=\"1\"/></transform></shape><shape type=\"sphere\" id=\"knob\"/></shape>";

TEST(MitsubaInstance, PlacesTheShapesOfAGroup) {
  const Imported s = import_body(std::string(kGroup) +
                                 "<shape type=\"instance\"><ref id=\"chair\"/><transform name=\"to_world\"><translate x=\"5\"/></transform></shape>"
                                 "<shape type=\"instance\" id=\"second\"><ref id=\"chair\"/></shape>");
  EXPECT_EQ(s.warning_text(), "");
  ASSERT_EQ(s.scene.objects.size(), 4u);
  EXPECT_EQ(s.scene.objects[0].name, "chair/seat");
  EXPECT_EQ(s.scene.objects[2].name, "second/seat");
  EXPECT_EQ(s.scene.objects[0].world_from_object.translation, (Vec3d{5, 1, 0}));
  EXPECT_EQ(s.scene.objects[0].mesh, s.scene.objects[2].mesh);
  EXPECT_EQ(s.scene.objects[0].material, s.scene.objects[2].material);
  EXPECT_EQ(s.scene.objects[0].instance_key, s.scene.objects[1].instance_key);
  EXPECT_NE(s.scene.objects[0].instance_key, s.scene.objects[2].instance_key);
}

TEST(MitsubaInstance, AGroupAloneShowsNothing) { EXPECT_TRUE(import_body(kGroup).scene.objects.empty()); }

TEST(MitsubaInstance, MirroredInstancesShareOneMirroredMesh) {
  const std::string mirrored = "<shape type=\"instance\"><ref id=\"chair\"/><transform name=\"to_world\"><scale x=\"-2\" y=\"2\" z=\"2\"/></transform></shape>";
  const Imported s = import_body(kGroup + mirrored + mirrored);
  ASSERT_EQ(s.scene.objects.size(), 4u);
  EXPECT_EQ(s.scene.objects[0].mesh, s.scene.objects[2].mesh);
  const MeshDescription mesh = transformed(s.mesh(), s.scene.objects[0].world_from_object);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto c = triangle_corners(mesh, t);
    EXPECT_GT(dot(triangle_normal(c[0], c[1], c[2]), c[0] - Vec3{0, 2, 0}), 0);
  }
}

TEST(MitsubaInstance, AStretchedSphereOfAGroupBecomesAMesh) {
  const Imported s = import_body(std::string(kGroup) + "<shape type=\"instance\"><ref id=\"chair\"/><transform name=\"to_world\"><scale y=\"3\"/></transform></shape>");
  ASSERT_EQ(s.scene.objects.size(), 2u);
  EXPECT_FALSE(s.scene.objects[1].sphere);
  EXPECT_NEAR(mesh_box(transformed(s.mesh(1), s.scene.objects[1].world_from_object)).hi.y, 3, 1e-5f);
}

TEST(MitsubaInstance, NeedsAGroup) {
  EXPECT_THAT(refusal(in_scene("<shape type=\"instance\"/>")), HasSubstr("shape 'instance': expected a reference to a shapegroup"));
  EXPECT_EQ(shape("serialized", "<string name=\"filename\" value=\"a.serialized\"/>").warning_text(), "serialized: shape not supported; left out\n");
}

}  // namespace
}  // namespace simulacra
