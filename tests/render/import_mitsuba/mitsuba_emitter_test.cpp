// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_mitsuba/mitsuba_scene.h"

namespace simulacra {
namespace {

using test::import_body;
using test::import_text;
using test::Imported;
using test::in_scene;
using test::refusal;
using testing::HasSubstr;

Imported emitter(const std::string& type, const std::string& inner = {}) {
  return import_body(fmt::format("<emitter type=\"{}\">{}</emitter>", type, inner));
}

TEST(MitsubaEmitter, AnAreaEmitterMakesACopyOfTheMaterialThatEmitsOnOneSide) {
  const Imported s = import_body(
      "<bsdf type=\"diffuse\" id=\"white\"/>"
      "<shape type=\"rectangle\" id=\"lamp\"><ref id=\"white\"/><emitter type=\"area\"><rgb name=\"radiance\" value=\"12, 11, 9\"/></emitter></shape>"
      "<shape type=\"rectangle\" id=\"wall\"><ref id=\"white\"/></shape>");
  EXPECT_EQ(s.warning_text(), "");
  EXPECT_EQ(s.material(0).name, "white emitter of lamp");
  EXPECT_EQ(s.material(0).emission.factor, (Rgb{12, 11, 9}));
  EXPECT_FALSE(s.material(0).emission_two_sided);
  EXPECT_EQ(s.material(1).name, "white");
  EXPECT_EQ(s.material(1).emission.factor, Rgb{0.0f});
}

TEST(MitsubaEmitter, RadianceMayBeATexture) {
  const Imported s = import_body("<shape type=\"rectangle\"><emitter type=\"area\"><texture type=\"checkerboard\" name=\"radiance\"/></emitter></shape>");
  EXPECT_EQ(s.material().emission.texture, 0);
  EXPECT_EQ(s.material().emission.factor, Rgb{1.0f});
}

TEST(MitsubaEmitter, AUniformSpectrumOfLightIsOfEqualEnergy) {
  const auto radiance = [](const std::string& version) {
    return import_text(in_scene("<emitter type=\"constant\"><spectrum name=\"radiance\" value=\"3\"/></emitter>", version)).scene.environment->radiance;
  };
  // Mitsuba 3 has 3.614, 2.845, 2.727; the color matching functions here are fits of about 2 %.
  EXPECT_NEAR(radiance("3.0.0").r, 3.614f, 0.07f);
  EXPECT_NEAR(radiance("3.0.0").g, 2.845f, 0.06f);
  EXPECT_NEAR(radiance("3.0.0").b, 2.727f, 0.06f);
  EXPECT_EQ(radiance("0.5.0"), Rgb{3.0f});
}

TEST(MitsubaEmitter, PointLightsHaveAPlace) {
  const Imported s = emitter("point", "<point name=\"position\" x=\"1.5\" y=\"3\" z=\"2\"/><rgb name=\"intensity\" value=\"20, 18, 15\"/>");
  ASSERT_EQ(s.scene.point_lights.size(), 1u);
  EXPECT_EQ(s.scene.point_lights[0].position, (Vec3d{1.5, 3, 2}));
  EXPECT_EQ(s.scene.point_lights[0].intensity, (Rgb{20, 18, 15}));
  const Imported moved = emitter("point", "<transform name=\"to_world\"><translate value=\"4 5 6\"/></transform>");
  EXPECT_EQ(moved.scene.point_lights[0].position, (Vec3d{4, 5, 6}));
  EXPECT_EQ(moved.scene.point_lights[0].intensity, Rgb{1.0f});
}

TEST(MitsubaEmitter, SpotLightsShineAlongZ) {
  const Imported s = emitter("spot", "<transform name=\"toWorld\"><lookAt origin=\"0,2,0\" target=\"0,0,0\" up=\"0,0,1\"/></transform>"
                                     "<float name=\"cutoffAngle\" value=\"40\"/><float name=\"beam_width\" value=\"10\"/>");
  EXPECT_EQ(s.warning_text(), "");
  const SpotLightDescription& spot = s.scene.spot_lights.at(0);
  EXPECT_EQ(spot.position, (Vec3d{0, 2, 0}));
  EXPECT_NEAR(length(spot.direction - Vec3d{0, -1, 0}), 0, 1e-12);
  EXPECT_NEAR(spot.cutoff_rad, 40 * kPi / 180, 1e-6f);
  EXPECT_NEAR(spot.beam_rad, 10 * kPi / 180, 1e-6f);
  EXPECT_EQ(spot.falloff, SpotLightDescription::Falloff::mitsuba);
  const SpotLightDescription plain = emitter("spot").scene.spot_lights.at(0);
  EXPECT_NEAR(plain.cutoff_rad, 20 * kPi / 180, 1e-6f);
  EXPECT_NEAR(plain.beam_rad, 15 * kPi / 180, 1e-6f);
  EXPECT_THAT(emitter("spot", "<texture type=\"checkerboard\"/>").warning_text(), HasSubstr("projected textures are not supported"));
  EXPECT_THAT(refusal(in_scene("<emitter type=\"spot\"><float name=\"beam_width\" value=\"50\"/></emitter>")),
              HasSubstr("cutoff_angle 20 and beam_width 50, expected"));
}

TEST(MitsubaEmitter, DirectionalLightsHaveAUnitDirection) {
  const Imported s = emitter("directional", "<vector name=\"direction\" x=\"-3\" y=\"-4\" z=\"0\"/><rgb name=\"irradiance\" value=\"3, 2.8, 2.4\"/>");
  EXPECT_NEAR(length(s.scene.directional_lights.at(0).direction - Vec3d{-0.6, -0.8, 0}), 0, 1e-12);
  EXPECT_EQ(s.scene.directional_lights[0].irradiance, (Rgb{3, 2.8f, 2.4f}));
  EXPECT_EQ(emitter("directional").scene.directional_lights.at(0).direction, (Vec3d{0, 0, 1}));
  EXPECT_THAT(refusal(in_scene("<emitter type=\"directional\"><vector name=\"direction\" x=\"0\"/></emitter>")), HasSubstr("direction has no length"));
}

TEST(MitsubaEmitter, AnEnvironmentIsAMapOrAConstant) {
  const Imported even = emitter("constant", "<rgb name=\"radiance\" value=\"0.15, 0.18, 0.25\"/>");
  EXPECT_EQ(even.scene.environment->radiance, (Rgb{0.15f, 0.18f, 0.25f}));
  EXPECT_EQ(even.scene.environment->texture, -1);
  const Imported map = import_body("<emitter type=\"envmap\"><string name=\"filename\" value=\"sky.exr\"/><float name=\"scale\" value=\"2\"/>"
                                   "<transform name=\"to_world\"><rotate y=\"1\" angle=\"90\"/></transform></emitter>", {{"sky.exr", "not read here"}});
  EXPECT_EQ(map.warning_text(), "");
  EXPECT_EQ(map.scene.environment->radiance, Rgb{2.0f});
  EXPECT_EQ(map.scene.textures.at(static_cast<std::size_t>(map.scene.environment->texture)).name, "sky.exr");
  EXPECT_NEAR(length(map.scene.environment->world_from_environment * Vec3d{0, 0, 1} - Vec3d{1, 0, 0}), 0, 1e-12);
  const Imported gone = emitter("envmap", "<string name=\"filename\" value=\"gone.exr\"/>");
  EXPECT_THAT(gone.warning_text(), HasSubstr("gone.exr: environment map not found"));
  EXPECT_TRUE(gone.scene.textures.at(0).missing);
}

TEST(MitsubaEmitter, ASecondEnvironmentAndUnknownEmittersAreWarnedOf) {
  EXPECT_THAT(import_body("<emitter type=\"constant\"/><emitter type=\"constant\"/>").warning_text(), HasSubstr("constant: a second environment"));
  EXPECT_EQ(emitter("sunsky", "<float name=\"turbidity\" value=\"3\"/>").warning_text(), "sunsky: emitter not supported; left out\n");
  EXPECT_EQ(emitter("area").warning_text(), "area: an area emitter outside of a shape; left out\n");
}

}  // namespace
}  // namespace simulacra
