// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_mitsuba/mitsuba_scene.h"

namespace simulacra {
namespace {

using test::import_body;
using test::Imported;
using test::on_sphere;
using testing::HasSubstr;

Imported with_texture(const std::string& type, const std::string& inner) {
  return import_body(on_sphere(fmt::format("<bsdf type=\"diffuse\"><texture type=\"{}\" name=\"reflectance\">{}</texture></bsdf>", type, inner)),
                     {{"wood.png", "not decoded here"}});
}

TextureDescription bitmap(const std::string& inner) {
  const Imported s = with_texture("bitmap", "<string name=\"filename\" value=\"wood.png\"/>" + inner);
  EXPECT_EQ(s.warning_text(), "");
  EXPECT_EQ(s.material().base_color.factor, Rgb{1.0f});
  return s.scene.textures.at(static_cast<std::size_t>(s.material().base_color.texture));
}

Vec2 mapped(const TextureDescription& t, Vec2 uv) {
  return {t.uv_linear[0] * uv.x + t.uv_linear[1] * uv.y + t.uv_offset.x,
          t.uv_linear[2] * uv.x + t.uv_linear[3] * uv.y + t.uv_offset.y};
}

TEST(MitsubaTexture, ABitmapsTopRowIsAtVZero) {
  const TextureDescription t = bitmap("");
  EXPECT_EQ(t.name, "wood.png");
  EXPECT_FALSE(t.missing);
  EXPECT_EQ(t.color_space, ColorSpace::srgb);
  EXPECT_EQ(t.filter, TextureFilter::bilinear);
  EXPECT_EQ(t.wrap_u, WrapMode::repeat);
  // Our v grows from the bottom: Mitsuba's v = 0 is the top, our v = 1.
  EXPECT_EQ(mapped(t, {0.25f, 0}), (Vec2{0.25f, 1}));
  EXPECT_EQ(mapped(t, {0.25f, 1}), (Vec2{0.25f, 0}));
}

TEST(MitsubaTexture, ToUvIsAppliedBeforeVTurnsOver) {
  const TextureDescription t = bitmap("<transform name=\"to_uv\"><translate x=\"0.25\"/><scale x=\"2\" y=\"4\"/></transform>");
  EXPECT_EQ(mapped(t, {0.5f, 0.125f}), (Vec2{1.5f, 0.5f}));
  const TextureDescription old_one = bitmap("<float name=\"uscale\" value=\"2\"/><float name=\"vscale\" value=\"4\"/><float name=\"uoffset\" value=\"0.5\"/>");
  EXPECT_EQ(mapped(old_one, {0.5f, 0.125f}), (Vec2{1.5f, 0.5f}));
}

TEST(MitsubaTexture, FlagsOfABitmapAreRead) {
  EXPECT_EQ(bitmap("<boolean name=\"raw\" value=\"true\"/>").color_space, ColorSpace::linear);
  EXPECT_EQ(bitmap("<float name=\"gamma\" value=\"1\"/>").color_space, ColorSpace::linear);
  EXPECT_EQ(bitmap("<float name=\"gamma\" value=\"-1\"/>").color_space, ColorSpace::srgb);
  EXPECT_EQ(bitmap("<string name=\"filterType\" value=\"nearest\"/>").filter, TextureFilter::nearest);
  const TextureDescription wrapped = bitmap("<string name=\"wrapMode\" value=\"mirror\"/><string name=\"wrapModeV\" value=\"clamp\"/>");
  EXPECT_EQ(wrapped.wrap_u, WrapMode::mirror);
  EXPECT_EQ(wrapped.wrap_v, WrapMode::clamp);
}

TEST(MitsubaTexture, AMissingFileIsWarnedOfAndMarked) {
  const Imported s = with_texture("bitmap", "<string name=\"filename\" value=\"textures/gone.png\"/>");
  EXPECT_EQ(s.warning_text(), "textures/gone.png: texture file not found; the texture is left out\n");
  EXPECT_TRUE(s.scene.textures.at(0).missing);
}

TEST(MitsubaTexture, ACheckerboardKeepsMitsubasUv) {
  const Imported s = with_texture("checkerboard", "<rgb name=\"color0\" value=\"0.55, 0.5, 0.45\"/><transform name=\"to_uv\"><scale value=\"6\"/></transform>");
  EXPECT_EQ(s.warning_text(), "");
  const TextureDescription& t = s.scene.textures.at(0);
  EXPECT_EQ(t.kind, TextureDescription::Kind::checkerboard);
  EXPECT_EQ(t.color0, (Rgb{0.55f, 0.5f, 0.45f}));
  EXPECT_EQ(t.color1, Rgb{0.2f});
  EXPECT_EQ(t.uv_linear, (std::array<float, 4>{6, 0, 0, 6}));
  EXPECT_EQ(t.uv_offset, (Vec2{0, 0}));
}

TEST(MitsubaTexture, ScaleMultipliesWhatItWraps) {
  const Imported s = with_texture("scale", "<float name=\"scale\" value=\"0.5\"/><texture type=\"checkerboard\"/>");
  EXPECT_EQ(s.material().base_color.factor, Rgb{0.5f});
  EXPECT_EQ(s.material().base_color.texture, 0);
  EXPECT_EQ(s.warning_text(), "");
}

TEST(MitsubaTexture, OneTextureUsedTwiceIsOne) {
  const Imported s = import_body(
      "<texture type=\"checkerboard\" id=\"t\"/>"
      "<shape type=\"cube\"><bsdf type=\"diffuse\"><ref id=\"t\" name=\"reflectance\"/></bsdf></shape>"
      "<shape type=\"cube\"><bsdf type=\"plastic\"><ref id=\"t\" name=\"diffuseReflectance\"/></bsdf></shape>");
  EXPECT_EQ(s.warning_text(), "");
  EXPECT_EQ(s.scene.textures.size(), 1u);
  EXPECT_EQ(s.material(0).base_color.texture, 0);
  EXPECT_EQ(s.material(1).base_color.texture, 0);
}

TEST(MitsubaTexture, WhatIsNotSupportedIsNamed) {
  EXPECT_THAT(with_texture("perlin", "").warning_text(), HasSubstr("perlin: texture not supported; a gray of 0.5 instead"));
  const std::string file = "<string name=\"filename\" value=\"wood.png\"/>";
  EXPECT_THAT(with_texture("bitmap", file + "<float name=\"gamma\" value=\"1.8\"/>").warning_text(), HasSubstr("gamma: 1.8 is not supported; sRGB instead"));
  EXPECT_THAT(with_texture("bitmap", file + "<string name=\"filter_type\" value=\"ewa\"/>").warning_text(), HasSubstr("'ewa' is not supported; bilinear instead"));
  EXPECT_THAT(with_texture("bitmap", file + "<string name=\"wrap_mode\" value=\"one\"/>").warning_text(), HasSubstr("'one' is not supported; clamp instead"));
}

}  // namespace
}  // namespace simulacra
