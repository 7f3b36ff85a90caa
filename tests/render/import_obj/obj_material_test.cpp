// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/render/import_obj/obj_files.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;
using test::ObjFiles;

struct Result {
  SceneDescription scene;
  MaterialDescription m;
  std::string warnings;
  const TextureDescription& texture(int index) const { return scene.textures[static_cast<std::size_t>(index)]; }
};

Result material(const std::string& statements) {
  ObjFiles files("mtllib model.mtl\nv 0 0 0\nv 3 0 0\nv 0 4 0\nusemtl m\nf 1 2 3\n", "newmtl m\n" + statements);
  for (const char* image : {"a.png", "b 01.png", "x_normal.png"}) files.put(image, "not decoded here");
  Result r;
  r.scene = files.import();
  r.m = r.scene.materials[0];
  r.warnings = files.warnings();
  return r;
}

TEST(ObjMaterial, KdIsTheDiffuseReflectance) {
  EXPECT_EQ(material("Kd 0.1 0.2 0.3\n").m.base_color.factor, Rgb(0.1f, 0.2f, 0.3f));
  EXPECT_EQ(material("Kd 0.4\n").m.base_color.factor, Rgb(0.4f));
  EXPECT_EQ(material("illum 1\n").m.base_color.factor, Rgb(0.8f));
  const Result bright = material("Kd 2 0.5 -1\n");
  EXPECT_EQ(bright.m.base_color.factor, Rgb(1, 0.5f, 0));
  EXPECT_THAT(bright.warnings, HasSubstr("Kd of m"));
}

TEST(ObjMaterial, KsIsAShareOfADielectricsReflection) {
  const Result r = material("Ks 0.25 0.5 0.5\nNs 96\nNi 1.33\nillum 2\n");
  EXPECT_FLOAT_EQ(r.m.specular.factor, 0.5f);
  EXPECT_EQ(r.m.specular_color.factor, Rgb(0.5f, 1, 1));
  EXPECT_FLOAT_EQ(r.m.ior, 1.33f);
  // alpha = sqrt(2 / 98) = 1/7
  EXPECT_FLOAT_EQ(r.m.roughness.factor, std::sqrt(1.0f / 7.0f));
  EXPECT_EQ(material("Ks 1 1 1\nillum 1\n").m.specular.factor, 0);
  EXPECT_EQ(material("illum 2\n").m.specular.factor, 0);
  EXPECT_EQ(material("Ni 1\nKs 1\n").m.ior, 1.5f);
}

TEST(ObjMaterial, ABlackBaseThatMirrorsIsMetal) {
  const Result r = material("Kd 0 0 0\nKs 0.9 0.8 0.7\nillum 3\n");
  EXPECT_EQ(r.m.metallic.factor, 1);
  EXPECT_EQ(r.m.base_color.factor, Rgb(0.9f, 0.8f, 0.7f));
  EXPECT_EQ(material("Kd 0.5 0.5 0.5\nKs 0.9 0.8 0.7\nillum 3\n").m.metallic.factor, 0);
}

TEST(ObjMaterial, PbrStatementsArePassedOn) {
  const Result r = material("Pr 0.3\nPm 0.7\nPs 0.2\nPc 0.4\nPcr 0.1\nNs 10\nKe 3 2 1\n");
  EXPECT_FLOAT_EQ(r.m.roughness.factor, 0.3f);
  EXPECT_FLOAT_EQ(r.m.metallic.factor, 0.7f);
  EXPECT_EQ(r.m.specular.factor, 1);
  EXPECT_EQ(r.m.sheen_color.factor, Rgb(0.2f));
  EXPECT_FLOAT_EQ(r.m.coat.factor, 0.4f);
  EXPECT_FLOAT_EQ(r.m.coat_roughness.factor, 0.1f);
  EXPECT_EQ(r.m.emission.factor, Rgb(3, 2, 1));
  EXPECT_TRUE(r.m.emission_two_sided);
}

TEST(ObjMaterial, DissolveIsOpacityAndWinsOverTr) {
  EXPECT_FLOAT_EQ(material("d 0.25\nTr 0.25\n").m.opacity.factor, 0.25f);
  EXPECT_FLOAT_EQ(material("Tr 0.25\nd 0.25\n").m.opacity.factor, 0.25f);
  EXPECT_FLOAT_EQ(material("Tr 0.25\n").m.opacity.factor, 0.75f);
  EXPECT_FLOAT_EQ(material("d 7\n").m.opacity.factor, 1);
  EXPECT_THAT(material("Tr 1\n").warnings, HasSubstr("invisible"));
  EXPECT_THAT(material("d -halo 0.5\n").warnings, HasSubstr("halo"));
}

TEST(ObjMaterial, GlassModelsTransmit) {
  const Result thin = material("illum 9\nd 0.25\nNi 1.5\nTf 0.9 1 1\n");
  EXPECT_FLOAT_EQ(thin.m.transmission.factor, 0.75f);
  EXPECT_EQ(thin.m.transmission_color.factor, Rgb(0.9f, 1, 1));
  EXPECT_TRUE(thin.m.thin_walled);
  EXPECT_EQ(thin.m.opacity.factor, 1);
  const Result solid = material("illum 7\nNi 1.4\n");
  EXPECT_EQ(solid.m.transmission.factor, 1);
  EXPECT_FALSE(solid.m.thin_walled);
  EXPECT_EQ(material("illum 4\nd 1\n").m.transmission.factor, 0);
}

TEST(ObjMaterial, MapsCarryTheirOptions) {
  const Result r = material(
      "map_Kd -s 2 3 1 -o 0.5 0.25 -clamp on a.png\nmap_Pr -mm 0.1 0.5 -imfchan g a.png\nbump -bm 2 b 01.png\n"
      "map_d a.png\nKd 0.5 0.5 0.5\n");
  const TextureDescription& kd = r.texture(r.m.base_color.texture);
  EXPECT_EQ(kd.file.filename(), "a.png");
  EXPECT_EQ(kd.color_space, ColorSpace::srgb);
  EXPECT_EQ(kd.wrap_u, WrapMode::clamp);
  EXPECT_EQ(kd.uv_linear, (std::array<float, 4>{2, 0, 0, 3}));
  EXPECT_EQ(kd.uv_offset, (Vec2{0.5f, 0.25f}));
  EXPECT_EQ(r.m.base_color.factor, Rgb(0.5f));
  EXPECT_EQ(r.m.roughness.channel, 1);
  EXPECT_FLOAT_EQ(r.m.roughness.offset, 0.1f);
  EXPECT_FLOAT_EQ(r.m.roughness.factor, 0.5f);
  EXPECT_EQ(r.texture(r.m.roughness.texture).color_space, ColorSpace::linear);
  EXPECT_EQ(r.texture(r.m.bump_texture).file.filename(), "b 01.png");
  EXPECT_FLOAT_EQ(r.m.bump_scale, 2 * 0.002f * 5);  // the triangle's box has diagonal 5
  EXPECT_EQ(r.m.opacity.channel, 3);                // alpha of the color image
  EXPECT_EQ(r.warnings, "");
}

TEST(ObjMaterial, OptionsAfterTheNameCountToo) {
  const Result r = material("map_bump -imfchan r b 01.png -bm 1.5\nmap_Kd -colorspace linear a.png\n");
  EXPECT_EQ(r.texture(r.m.bump_texture).file.filename(), "b 01.png");
  EXPECT_FLOAT_EQ(r.m.bump_scale, 1.5f * 0.002f * 5);
  EXPECT_EQ(r.texture(r.m.base_color.texture).color_space, ColorSpace::linear);
}

TEST(ObjMaterial, NormalMapsAreKnownByStatementOrName) {
  const Result norm = material("norm -bm 0.5 a.png\n");
  EXPECT_GE(norm.m.normal_texture, 0);
  EXPECT_FLOAT_EQ(norm.m.normal_scale, 0.5f);
  const Result bump = material("map_Bump x_normal.png\n");
  EXPECT_GE(bump.m.normal_texture, 0);
  EXPECT_EQ(bump.m.bump_texture, -1);
  EXPECT_THAT(bump.warnings, HasSubstr("x_normal.png: is taken as a normal map by its name"));
}

TEST(ObjMaterial, GlossMapsAreInverted) {
  const Result r = material("map_Ns a.png\nNs 100\n");
  EXPECT_EQ(r.m.roughness.factor, -1);
  EXPECT_EQ(r.m.roughness.offset, 1);
}

TEST(ObjMaterial, AMissingImageIsNamedAndMarked) {
  const Result r = material("map_Kd gone.png\nKd 0.3 0.3 0.3\n");
  EXPECT_TRUE(r.texture(r.m.base_color.texture).missing);
  EXPECT_EQ(r.m.base_color.factor, Rgb(0.3f));
  EXPECT_EQ(r.warnings, "gone.png: the image is not found; material 'm' goes without it\n");
}

TEST(ObjMaterial, WhatHasNoCounterpartIsNamed) {
  const Result r = material("disp a.png\nrefl -type sphere a.png\naniso 0.5\nKd spectral a.rfl\nKs red\nmap_Kd\n"
                            "map_Kd -t 1 1 1 -boost 2 a.png\n");
  for (const char* word : {"disp", "refl", "aniso", "'Kd' is given as xyz or spectral", "'Ks' has 'red'",
                           "'map_Kd' names no file", "-t", "-boost 2"})
    EXPECT_THAT(r.warnings, HasSubstr(word));
}

}  // namespace
}  // namespace simulacra
