// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_mitsuba/mitsuba_scene.h"

namespace simulacra {
namespace {

using test::import_body;
using test::Imported;
using test::in_scene;
using test::refusal;
using testing::HasSubstr;

CameraDescription camera(const std::string& inner, const std::string& type = "perspective") {
  const Imported s = import_body(fmt::format("<sensor type=\"{}\" id=\"cam\">{}</sensor>", type, inner));
  EXPECT_EQ(s.warning_text(), "") << inner;
  EXPECT_EQ(s.scene.cameras.at(0).name, "cam");
  return s.scene.cameras.at(0);
}

constexpr const char* kPose = "<transform name=\"to_world\">{}<lookat origin=\"3,20,-14\" target=\"1,2,3\" up=\"0,1,0.2\"/></transform>";

TEST(MitsubaSensor, LooksWhereMitsubaLooks) {
  const CameraDescription c = camera(fmt::format(kPose, ""));
  const Vec3d forward = normalize(Vec3d{1, 2, 3} - Vec3d{3, 20, -14});
  EXPECT_EQ(c.world_from_cam.translation, (Vec3d{3, 20, -14}));
  EXPECT_NEAR(length(c.world_from_cam.vector({0, 0, -1}) - forward), 0, 1e-12);
  EXPECT_NEAR(length(c.world_from_cam.vector({1, 0, 0}) - normalize(cross(forward, Vec3d{0, 1, 0.2}))), 0, 1e-12);
  EXPECT_NEAR(determinant(c.world_from_cam.linear), 1, 1e-12);
  EXPECT_FALSE(c.mirror_x);
}

TEST(MitsubaSensor, ScaleIsNoPartOfThePose) {
  const CameraDescription plain = camera(fmt::format(kPose, "")), scaled = camera(fmt::format(kPose, "<scale value=\"3\"/>"));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(length(plain.world_from_cam.linear.column(i) - scaled.world_from_cam.linear.column(i)), 0, 1e-12);
}

TEST(MitsubaSensor, AMirroredPoseMirrorsTheImage) {
  const CameraDescription plain = camera(fmt::format(kPose, "")), mirrored = camera(fmt::format(kPose, "<scale x=\"-1\"/>"));
  EXPECT_TRUE(mirrored.mirror_x);
  EXPECT_NEAR(determinant(mirrored.world_from_cam.linear), 1, 1e-12);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(length(plain.world_from_cam.linear.column(i) - mirrored.world_from_cam.linear.column(i)), 0, 1e-12);
}

TEST(MitsubaSensor, AShearedPoseIsWarnedOf) {
  const Imported s = import_body("<sensor type=\"perspective\"><transform name=\"to_world\"><scale x=\"2\" y=\"1\"/><rotate z=\"1\" angle=\"45\"/><scale x=\"2\"/></transform></sensor>");
  EXPECT_THAT(s.warning_text(), HasSubstr("toWorld: the camera is sheared"));
}

TEST(MitsubaSensor, TheFieldOfViewHasAnAxis) {
  using Axis = CameraDescription::FovAxis;
  EXPECT_NEAR(camera("<float name=\"fov\" value=\"42\"/>").fov_rad, 42 * kPiD / 180, 1e-12);
  EXPECT_EQ(camera("<float name=\"fov\" value=\"42\"/>").fov_axis, Axis::x);
  EXPECT_EQ(camera("<float name=\"fov\" value=\"42\"/><string name=\"fovAxis\" value=\"smaller\"/>").fov_axis, Axis::smaller);
  const CameraDescription plain = camera("");
  EXPECT_EQ(plain.fov_axis, Axis::diagonal);
  EXPECT_NEAR(plain.fov_rad, 2 * std::atan(std::sqrt(36.0 * 36 + 24 * 24) / 100), 1e-12);  // 50 mm on 35 mm film
  EXPECT_NEAR(camera("<string name=\"focalLength\" value=\"25mm\"/>").fov_rad, 2 * std::atan(std::sqrt(36.0 * 36 + 24 * 24) / 50), 1e-12);
  EXPECT_THAT(refusal(in_scene("<sensor type=\"perspective\"><float name=\"fov\" value=\"180\"/></sensor>")), HasSubstr("fov = 180, expected between 0 and 180"));
  EXPECT_THAT(refusal(in_scene("<sensor type=\"perspective\"><float name=\"fov\" value=\"20\"/><string name=\"fov_axis\" value=\"z\"/></sensor>")),
              HasSubstr("fov_axis = 'z', expected x, y, diagonal, smaller or larger"));
  EXPECT_THAT(refusal(in_scene("<sensor type=\"perspective\"><string name=\"focal_length\" value=\"long\"/></sensor>")), HasSubstr("focal_length = 'long'"));
}

TEST(MitsubaSensor, TheFilmSaysTheSizeAndNothingElse) {
  const CameraDescription c = camera("<film type=\"hdrfilm\"><integer name=\"width\" value=\"1280\"/><integer name=\"height\" value=\"720\"/>"
                                     "<string name=\"pixelFormat\" value=\"rgb\"/><boolean name=\"banner\" value=\"false\"/><rfilter type=\"tent\"/></film>"
                                     "<sampler type=\"independent\"><integer name=\"sample_count\" value=\"9\"/></sampler><float name=\"near_clip\" value=\"1\"/>");
  EXPECT_EQ(c.width, 1280);
  EXPECT_EQ(c.height, 720);
  EXPECT_EQ(camera("").width, 0);
  const Imported cropped = import_body("<sensor type=\"perspective\"><film type=\"hdrfilm\"><integer name=\"cropWidth\" value=\"5\"/></film></sensor>");
  EXPECT_THAT(cropped.warning_text(), HasSubstr("crop_width: crops are not supported"));
  EXPECT_THAT(refusal(in_scene("<sensor type=\"perspective\"><film type=\"hdrfilm\"><integer name=\"width\" value=\"0\"/></film></sensor>")),
              HasSubstr("film 'hdrfilm': width = 0, expected 1 to 32768 pixels"));
}

TEST(MitsubaSensor, ThePrincipalPointMovesAgainstTheOffset) {
  // Mitsuba 3: with offsets 0.1, 0.2 the ray through the film's center looks to the right and down.
  const CameraDescription c = camera("<float name=\"principal_point_offset_x\" value=\"0.1\"/><float name=\"principal_point_offset_y\" value=\"0.2\"/>");
  EXPECT_EQ(c.principal_offset, (Vec2d{-0.1, -0.2}));
}

TEST(MitsubaSensor, AThinLensHasApertureAndFocus) {
  const CameraDescription c = camera("<float name=\"apertureRadius\" value=\"0.05\"/><float name=\"focus_distance\" value=\"2.5\"/>", "thinlens");
  EXPECT_EQ(c.aperture_radius_m, 0.05);
  EXPECT_EQ(c.focus_distance_m, 2.5);
}

TEST(MitsubaSensor, AnOrthographicFilmIsTwoUnitsWideTimesTheScale) {
  const CameraDescription c = camera("<transform name=\"to_world\"><scale value=\"3\"/></transform><film type=\"hdrfilm\"><integer name=\"width\" value=\"100\"/><integer name=\"height\" value=\"50\"/></film>", "orthographic");
  ASSERT_TRUE(c.orthographic_height_m.has_value());
  EXPECT_DOUBLE_EQ(*c.orthographic_height_m, 3);
}

TEST(MitsubaSensor, OtherSensorsAreLeftOutWithAWarning) {
  const Imported s = import_body("<sensor type=\"fisheye\"><film type=\"hdrfilm\"/></sensor>");
  EXPECT_TRUE(s.scene.cameras.empty());
  EXPECT_EQ(s.warning_text(), "fisheye: sensor not supported; left out\n");
}

TEST(MitsubaIntegrator, GivesTheDepth) {
  const auto depth = [](const std::string& value) { return import_body("<integrator type=\"path\"><integer name=\"maxDepth\" value=\"" + value + "\"/></integrator>").scene.max_depth; };
  EXPECT_EQ(depth("24"), 24);
  EXPECT_EQ(depth("-1"), 0);  // no limit
  EXPECT_THAT(refusal(in_scene("<integrator type=\"path\"><integer name=\"max_depth\" value=\"-2\"/></integrator>")), HasSubstr("max_depth = -2, expected a whole number from -1"));
  const Imported other = import_body("<integrator type=\"volpath\"><integer name=\"max_depth\" value=\"7\"/></integrator>");
  EXPECT_EQ(other.warning_text(), "volpath: integrator not supported; path tracing instead\n");
  EXPECT_EQ(other.scene.max_depth, 7);
}

}  // namespace
}  // namespace simulacra
