// SPDX-License-Identifier: Apache-2.0
// Document structure: substitution, includes, references, values, transforms, refusals.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_mitsuba/mitsuba_scene.h"

namespace simulacra {
namespace {

using test::import_body;
using test::import_text;
using test::in_scene;
using test::on_sphere;
using test::refusal;
using testing::HasSubstr;

Rgb reflectance(const std::string& value_tag) {
  return import_body(on_sphere("<bsdf type=\"diffuse\">" + value_tag + "</bsdf>")).material().base_color.factor;
}

Affine3d pose(const std::string& steps) {
  return import_body("<shape type=\"cube\"><transform name=\"to_world\">" + steps + "</transform></shape>")
      .scene.objects.at(0).world_from_object;
}

void expect_near(Vec3d found, Vec3d wanted) { EXPECT_NEAR(length(found - wanted), 0, 1e-9) << found.x << ' ' << found.y << ' ' << found.z; }

TEST(MitsubaXml, OldAndNewNamesMeanTheSame) {
  const auto old_one = import_text(in_scene(
      "<shape type=\"sphere\"><transform name=\"toWorld\"><translate x=\"3\"/></transform>"
      "<bsdf type=\"roughplastic\"><float name=\"intIOR\" value=\"1.7\"/><rgb name=\"diffuseReflectance\" value=\".1 .2 .3\"/>"
      "</bsdf></shape>", "0.5.0"));
  const auto new_one = import_body(
      "<shape type=\"sphere\"><transform name=\"to_world\"><translate x=\"3\"/></transform>"
      "<bsdf type=\"roughplastic\"><float name=\"int_ior\" value=\"1.7\"/><rgb name=\"diffuse_reflectance\" value=\".1 .2 .3\"/>"
      "</bsdf></shape>");
  for (const auto& s : {old_one, new_one}) {
    EXPECT_EQ(s.warning_text(), "");
    EXPECT_EQ(s.scene.objects.at(0).world_from_object.translation, (Vec3d{3, 0, 0}));
    EXPECT_EQ(s.material().int_ior, 1.7f);
    EXPECT_EQ(s.material().base_color.factor, (Rgb{0.1f, 0.2f, 0.3f}));
  }
}

TEST(MitsubaXml, ColorsAreReadInAllSpellings) {
  EXPECT_EQ(reflectance("<rgb name=\"reflectance\" value=\"0.1, 0.2, 0.3\"/>"), (Rgb{0.1f, 0.2f, 0.3f}));
  EXPECT_EQ(reflectance("<rgb name=\"reflectance\" value=\"0.1 0.2\t0.3\"/>"), (Rgb{0.1f, 0.2f, 0.3f}));
  EXPECT_EQ(reflectance("<rgb name=\"reflectance\" value=\"0.4\"/>"), Rgb{0.4f});
  EXPECT_EQ(reflectance("<spectrum name=\"reflectance\" value=\"0.4\"/>"), Rgb{0.4f});
  const Rgb hex = reflectance("<rgb name=\"reflectance\" value=\"#ff8000\"/>");
  EXPECT_EQ(hex.r, 1.0f);
  EXPECT_NEAR(hex.g, 0.215861f, 1e-5f);  // sRGB 128 in linear light, IEC 61966-2-1
  EXPECT_EQ(hex.b, 0.0f);
  EXPECT_NEAR(reflectance("<srgb name=\"reflectance\" value=\"0.5\"/>").g, 0.214041f, 1e-5f);
}

TEST(MitsubaXml, ASpectrumOfSamplesIsAveragedWithAWarning) {
  const auto s = import_body(on_sphere(
      "<bsdf type=\"diffuse\"><spectrum name=\"reflectance\" value=\"400:0.1, 500:0.2, 600:0.8, 700:0.9\"/></bsdf>"));
  // Mitsuba 3 has 0.9587, 0.4464, 0.1057; the color matching functions here are fits of about 2 %.
  const Rgb c = s.material().base_color.factor;
  EXPECT_NEAR(c.r, 0.9587f, 0.02f);
  EXPECT_NEAR(c.g, 0.4464f, 0.02f);
  EXPECT_NEAR(c.b, 0.1057f, 0.02f);
  EXPECT_THAT(s.warning_text(), HasSubstr("reflectance: a spectrum; averaged to three bands"));
  const Rgb gray = reflectance("<spectrum name=\"reflectance\" value=\"400:0.5, 700:0.5\"/>");
  EXPECT_NEAR(gray.r, 0.5f, 1e-6f);
  EXPECT_NEAR(gray.b, 0.5f, 1e-6f);
}

TEST(MitsubaXml, TransformsAreAppliedInDocumentOrder) {
  expect_near(pose("<translate x=\"1\"/><scale value=\"2\"/>").point({0, 0, 0}), {2, 0, 0});
  expect_near(pose("<scale value=\"2\"/><translate x=\"1\"/>").point({1, 0, 0}), {3, 0, 0});
  expect_near(pose("<rotate z=\"1\" angle=\"90\"/>").point({1, 0, 0}), {0, 1, 0});
  expect_near(pose("<rotate value=\"0, 0, 1\" angle=\"90\"/>").point({1, 0, 0}), {0, 1, 0});
  expect_near(pose("<scale x=\"2\" z=\"3\"/>").point({1, 1, 1}), {2, 1, 3});
  expect_near(pose("<scale value=\"1 2 3\"/>").point({1, 1, 1}), {1, 2, 3});
  expect_near(pose("<translate value=\"1, 2, 3\"/>").point({0, 0, 0}), {1, 2, 3});
  expect_near(pose("<matrix value=\"0 0 1 5  1 0 0 6  0 1 0 7  0 0 0 1\"/>").point({1, 2, 3}), {8, 7, 9});
  expect_near(pose("<matrix value=\"0 0 1  1 0 0  0 1 0\"/>").point({1, 2, 3}), {3, 1, 2});
  const Affine3d look = pose("<lookat origin=\"1,2,3\" target=\"4 5 6\" up=\"0 1 0\"/>");
  expect_near(look.point({0, 0, 0}), {1, 2, 3});
  expect_near(look.linear.column(2), Vec3d{1, 1, 1} / std::sqrt(3.0));
  expect_near(look.linear.column(0), Vec3d{1, 0, -1} / std::sqrt(2.0));  // as Mitsuba 3: x = up × z
}

TEST(MitsubaXml, DefaultsAreSubstitutedAndTheFirstOneCounts) {
  const auto s = import_body(
      "<default name=\"r\" value=\"2\"/><default name=\"r\" value=\"9\"/><default name=\"size\" value=\"$r.5\"/>"
      "<shape type=\"sphere\"><float name=\"radius\" value=\"$size\"/></shape>");
  EXPECT_EQ(s.scene.objects.at(0).sphere->radius, 2.5f);
  EXPECT_EQ(refusal(in_scene("<shape type=\"sphere\"><float name=\"radius\" value=\"$r\"/></shape>")),
            "scene.xml:2: <float>: undefined parameter $r, expected a <default name=\"r\" value=\"…\"/> before it");
}

TEST(MitsubaXml, IncludesAreSplicedIn) {
  const auto s = import_body("<default name=\"r\" value=\"2\"/><include filename=\"parts/ball.xml\"/>",
                             {{"parts/ball.xml", in_scene("<shape type=\"sphere\" id=\"a\"><float name=\"radius\" value=\"$r\"/></shape>"
                                                          "<include filename=\"more.xml\"/>")},
                              {"parts/more.xml", "<shape type=\"cube\" version=\"3.0.0\" id=\"b\"/>"}});
  ASSERT_EQ(s.scene.objects.size(), 2u);
  EXPECT_EQ(s.scene.objects[0].sphere->radius, 2.0f);
  EXPECT_EQ(s.scene.objects[1].name, "b");
  EXPECT_THAT(refusal(in_scene("<include filename=\"nowhere.xml\"/>")), HasSubstr("included file 'nowhere.xml' not found"));
  EXPECT_THAT(refusal(in_scene("<include filename=\"a.xml\"/>"),
                      {{"a.xml", in_scene("<include filename=\"scene.xml\"/>")}}),
              HasSubstr("scene.xml: includes itself"));
}

TEST(MitsubaXml, ReferencesReachForwardAndThroughAliases) {
  const auto s = import_body(
      "<shape type=\"sphere\"><ref id=\"other\"/></shape><shape type=\"cube\"><ref id=\"red\"/></shape>"
      "<bsdf type=\"diffuse\" id=\"red\"/><alias id=\"red\" as=\"other\"/>");
  EXPECT_EQ(s.scene.objects[0].material, s.scene.objects[1].material);
  EXPECT_EQ(s.material().name, "red");
  EXPECT_EQ(refusal(in_scene("\n<shape type=\"sphere\"><ref id=\"blue\"/></shape>")),
            "scene.xml:3: reference to 'blue', but nothing has this id");
  EXPECT_THAT(refusal(in_scene("<bsdf type=\"diffuse\" id=\"a\"/>\n<bsdf type=\"diffuse\" id=\"a\"/>")),
              HasSubstr("scene.xml:3: id 'a' is given twice, before at"));
}

TEST(MitsubaXml, CyclesAreRefused) {
  EXPECT_THAT(refusal(in_scene(on_sphere("<ref id=\"a\"/>") + "<bsdf type=\"twosided\" id=\"a\"><ref id=\"b\"/></bsdf>"
                               "<bsdf type=\"mask\" id=\"b\"><ref id=\"a\"/></bsdf>")),
              HasSubstr("contains itself"));
  EXPECT_THAT(refusal(in_scene("<shape type=\"shapegroup\" id=\"g\"><shape type=\"instance\"><ref id=\"g\"/></shape></shape>"
                               "<shape type=\"instance\"><ref id=\"g\"/></shape>")),
              HasSubstr("contains itself"));
}

TEST(MitsubaXml, GrowthWithoutBoundIsRefused) {
  std::string bomb = "<default name=\"d0\" value=\"aaaaaaaa\"/>";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("<default name=\"e{0}\" value=\"$d{1}$d{1}\"/><default name=\"d{0}\" value=\"$e{0}\"/>", i, i - 1);
  EXPECT_THAT(refusal(in_scene(bomb)), HasSubstr("longer than 1048576 bytes after substitution"));

  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<bsdf type=\"twosided\">";
  for (int i = 0; i < 200; ++i) deep += "</bsdf>";
  EXPECT_THAT(refusal(in_scene(deep)), HasSubstr("nested deeper than 64 levels"));

  std::string groups = "<shape type=\"shapegroup\" id=\"g0\"><shape type=\"cube\"/></shape>";
  for (int i = 1; i < 40; ++i)
    groups += fmt::format("<shape type=\"shapegroup\" id=\"g{0}\"><shape type=\"instance\"><ref id=\"g{1}\"/></shape>"
                          "<shape type=\"instance\"><ref id=\"g{1}\"/></shape></shape>", i, i - 1);
  EXPECT_THAT(refusal(in_scene(groups + "<shape type=\"instance\"><ref id=\"g39\"/></shape>")), HasSubstr("more than 500000 shapes"));
}

TEST(MitsubaXml, EntitiesOfADoctypeAreNotExpanded) {
  EXPECT_THAT(refusal("<!DOCTYPE scene [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>" +
                      in_scene("<shape type=\"sphere\"><float name=\"radius\" value=\"&b;\"/></shape>")),
              HasSubstr("<float> value = "));
}

TEST(MitsubaXml, RefusalsNameFileLineAndWhatWasExpected) {
  const auto with_sphere = [](const std::string& inner) { return refusal(in_scene("<shape type=\"sphere\">" + inner + "</shape>")); };
  EXPECT_THAT(refusal("<scene version=\"3.0.0\">\n<shape"), HasSubstr("scene.xml:2: not well-formed XML"));
  EXPECT_THAT(refusal(""), HasSubstr("scene.xml:1: not well-formed XML: No document element found"));
  EXPECT_EQ(refusal("\n<opencv_storage/>"), "scene.xml:2: root element is <opencv_storage>, expected <scene> (a Mitsuba scene file)");
  EXPECT_EQ(refusal(in_scene("<shape/>")), "scene.xml:2: <shape> without type");
  EXPECT_EQ(with_sphere("<float name=\"radius\" value=\"big\"/>"), "scene.xml:2: <float> value = 'big', expected a number");
  EXPECT_EQ(with_sphere("<float name=\"radius\" value=\"nan\"/>"), "scene.xml:2: <float> value = 'nan', expected a number");
  EXPECT_EQ(with_sphere("<string name=\"radius\" value=\"1\"/>"), "scene.xml:2: shape 'sphere': radius is a string, expected a number");
  EXPECT_EQ(with_sphere("<float name=\"radius\" value=\"-1\"/>"), "scene.xml:2: shape 'sphere': radius = -1, expected more than 0");
  EXPECT_EQ(with_sphere("<boolean name=\"flip_normals\" value=\"yes\"/>"), "scene.xml:2: <boolean> flip_normals = 'yes', expected true or false");
  EXPECT_EQ(with_sphere("<transform name=\"to_world\"><matrix value=\"1 2 3\"/></transform>"), "scene.xml:2: <matrix> has 3 numbers, expected 16 or 9");
  EXPECT_THAT(with_sphere("<transform name=\"to_world\"><rotate angle=\"3\"/></transform>"), HasSubstr("<rotate> without axis"));
  EXPECT_THAT(with_sphere("<transform name=\"to_world\"><spin angle=\"3\"/></transform>"),
              HasSubstr("<spin> in a transform, expected translate, rotate, scale, matrix or lookat"));
  EXPECT_THAT(with_sphere("<transform name=\"to_world\"><scale x=\"0\"/></transform>"), HasSubstr("flattens the shape"));
  EXPECT_THAT(with_sphere("<transform name=\"to_world\"><matrix value=\"1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1\"/></transform>"),
              HasSubstr("no affine transform"));
}

TEST(MitsubaXml, WhatIsNotKnownIsWarnedOfByName) {
  const auto s = import_body(
      "<mode type=\"final\"/><medium type=\"homogeneous\"/>"
      "<shape type=\"sphere\"><float name=\"Radius2\" value=\"1\"/><medium type=\"homogeneous\" name=\"interior\"/>"
      "<bsdf type=\"diffuse\"><float name=\"shine\" value=\"1\"/></bsdf></shape><shape type=\"hair\"/>");
  EXPECT_EQ(s.scene.objects.size(), 1u);
  for (const char* expected : {"mode: unknown tag", "medium homogeneous: not supported; left out",
                               "Radius2: parameter of shape 'sphere' is not used",
                               "medium homogeneous: not used inside shape 'sphere'",
                               "shine: parameter of bsdf 'diffuse' is not used", "hair: shape not supported; left out"})
    EXPECT_THAT(s.warning_text(), HasSubstr(expected));
  EXPECT_EQ(s.warnings.size(), 6u) << s.warning_text();
  EXPECT_THAT(s.warnings[0].file, HasSubstr("scene.xml:2"));
}

}  // namespace
}  // namespace simulacra
