// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/import_gltf/gltf_text.h"

namespace simulacra {
namespace {

using test::gltf, test::Imported;
using testing::HasSubstr, testing::SizeIs;

// A 1×1 white PNG is not needed: importers do not decode. These bytes only have to arrive.
constexpr const char* kImages = R"("images": [{"name": "wood", "uri": "data:image/png;base64,AQIDBA=="}, {"uri": "data:image/png;base64,BQ=="}],
    "textures": [{"source": 0}, {"source": 1, "sampler": 0}],
    "samplers": [{"wrapS": 33071, "wrapT": 33648, "magFilter": 9728}])";

Imported with_material(std::string_view material, std::string_view members = "") {
  return Imported(gltf(fmt::format(R"({}, "materials": [{{{}}}]{})", kImages, material, members)));
}

const MaterialDescription& first(const Imported& file) { return file.scene.materials.at(0); }
const TextureDescription& texture(const Imported& file, int index) {
  return file.scene.textures.at(static_cast<std::size_t>(index));
}

// Where the texture is looked up for a UV of the glTF file: in its own convention, v down.
Vec2 looked_up(const TextureDescription& t, Vec2 gltf_uv) {
  const Vec2 uv{gltf_uv.x, 1 - gltf_uv.y};
  const auto& m = t.uv_linear;
  const Vec2 found{m[0] * uv.x + m[1] * uv.y + t.uv_offset.x, m[2] * uv.x + m[3] * uv.y + t.uv_offset.y};
  return {found.x, 1 - found.y};
}

TEST(GltfMaterial, TheDefaultsAreThoseOfTheFormat) {
  const Imported file = with_material(R"("name": "Oak")");
  const MaterialDescription& m = first(file);
  EXPECT_EQ(m.name, "Oak");
  EXPECT_EQ(m.kind, MaterialKind::standard);
  EXPECT_EQ(m.base_color.factor, Rgb(1.0f));
  EXPECT_EQ(m.metallic.factor, 1);
  EXPECT_EQ(m.roughness.factor, 1);
  EXPECT_EQ(m.ior, 1.5f);
  EXPECT_EQ(m.opacity.factor, 1);
  EXPECT_FALSE(m.alpha_cutoff);
  EXPECT_TRUE(is_black(m.emission.factor));
  EXPECT_TRUE(m.thin_walled);
}

TEST(GltfMaterial, MetallicRoughnessReadsItsChannels) {
  const Imported file = with_material(R"("pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 0.125, 0.75],
      "baseColorTexture": {"index": 0}, "metallicFactor": 0.5, "roughnessFactor": 0.25, "metallicRoughnessTexture": {"index": 1}},
      "occlusionTexture": {"index": 0}, "normalTexture": {"index": 1, "scale": 0.5})");
  const MaterialDescription& m = first(file);
  EXPECT_EQ(m.base_color.factor, Rgb(0.5f, 0.25f, 0.125f));
  EXPECT_EQ(texture(file, m.base_color.texture).color_space, ColorSpace::srgb);
  EXPECT_EQ(texture(file, m.base_color.texture).name, "wood");
  EXPECT_EQ(m.metallic.factor, 0.5f);
  EXPECT_EQ(m.metallic.channel, 2);
  EXPECT_EQ(m.roughness.factor, 0.25f);
  EXPECT_EQ(m.roughness.channel, 1);
  EXPECT_EQ(m.metallic.texture, m.roughness.texture);
  EXPECT_EQ(texture(file, m.roughness.texture).color_space, ColorSpace::linear);
  EXPECT_EQ(m.normal_texture, m.roughness.texture) << "one image, one sampler, one color space: one texture";
  EXPECT_EQ(m.normal_scale, 0.5f);
  EXPECT_EQ(m.opacity.factor, 1) << "alpha means nothing in an opaque material";
  EXPECT_EQ(m.opacity.texture, -1);
  EXPECT_EQ(file.warnings(), "scene: places no surface\n");
}

TEST(GltfMaterial, OneImageInTwoColorSpacesIsTwoTextures) {
  const Imported file = with_material(R"("pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}, "normalTexture": {"index": 0})");
  EXPECT_THAT(file.scene.textures, SizeIs(2));
  EXPECT_EQ(texture(file, 0).encoded, texture(file, 1).encoded);
}

TEST(GltfMaterial, SamplersSetWrapAndFilter) {
  const Imported file = with_material(R"("normalTexture": {"index": 1})");
  EXPECT_EQ(texture(file, 0).wrap_u, WrapMode::clamp);
  EXPECT_EQ(texture(file, 0).wrap_v, WrapMode::mirror);
  EXPECT_EQ(texture(file, 0).filter, TextureFilter::nearest);
}

TEST(GltfMaterial, AlphaModesBecomeOpacity) {
  const std::string pbr = R"("pbrMetallicRoughness": {"baseColorFactor": [1, 1, 1, 0.5], "baseColorTexture": {"index": 0}}, )";
  const Imported blend = with_material(pbr + R"("alphaMode": "BLEND")");
  EXPECT_EQ(first(blend).opacity.factor, 0.5f);
  EXPECT_EQ(first(blend).opacity.channel, 3);
  EXPECT_EQ(first(blend).opacity.texture, first(blend).base_color.texture);
  EXPECT_FALSE(first(blend).alpha_cutoff);
  EXPECT_EQ(first(with_material(pbr + R"("alphaMode": "MASK")")).alpha_cutoff, 0.5f);
  EXPECT_EQ(first(with_material(pbr + R"("alphaMode": "MASK", "alphaCutoff": 0.25)")).alpha_cutoff, 0.25f);
}

TEST(GltfMaterial, EmissionIsFactorTimesStrength) {
  const Imported file = with_material(R"("emissiveFactor": [1, 0.5, 0], "emissiveTexture": {"index": 0},
      "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 8}})");
  EXPECT_EQ(first(file).emission.factor, Rgb(8, 4, 0));
  EXPECT_EQ(texture(file, first(file).emission.texture).color_space, ColorSpace::srgb);
}

TEST(GltfMaterial, GlassTakesItsTintFromTheBaseColor) {
  const std::string glass = R"("pbrMetallicRoughness": {"baseColorFactor": [0.5, 1, 1, 1]}, "extensions":
      {"KHR_materials_transmission": {"transmissionFactor": 0.75, "transmissionTexture": {"index": 0}}, "KHR_materials_ior": {"ior": 1.25})";
  const Imported pane = with_material(glass + "}");
  EXPECT_EQ(first(pane).transmission.factor, 0.75f);
  EXPECT_EQ(first(pane).transmission.channel, 0);
  EXPECT_EQ(first(pane).transmission_color.factor, Rgb(0.5f, 1, 1));
  EXPECT_EQ(first(pane).ior, 1.25f);
  EXPECT_TRUE(first(pane).thin_walled);
  const Imported solid = with_material(glass + R"(, "KHR_materials_volume": {"thicknessFactor": 0.1, "attenuationDistance": 1, "attenuationColor": [1, 0, 0]}})");
  EXPECT_FALSE(first(solid).thin_walled);
  EXPECT_THAT(solid.warnings(), HasSubstr("attenuationColor"));
}

TEST(GltfMaterial, SpecularCoatAndSheenAreRead) {
  const Imported file = with_material(R"("extensions": {
      "KHR_materials_specular": {"specularFactor": 0.5, "specularColorFactor": [1, 0.5, 2], "specularTexture": {"index": 0}, "specularColorTexture": {"index": 0}},
      "KHR_materials_clearcoat": {"clearcoatFactor": 0.25, "clearcoatRoughnessFactor": 0.125, "clearcoatRoughnessTexture": {"index": 1}},
      "KHR_materials_sheen": {"sheenColorFactor": [0.1, 0.2, 0.3], "sheenRoughnessFactor": 0.5, "sheenRoughnessTexture": {"index": 0}}})");
  const MaterialDescription& m = first(file);
  EXPECT_EQ(m.specular.factor, 0.5f);
  EXPECT_EQ(m.specular.channel, 3);
  EXPECT_EQ(m.specular_color.factor, Rgb(1, 0.5f, 2));
  EXPECT_NE(m.specular.texture, m.specular_color.texture) << "linear and sRGB";
  EXPECT_EQ(m.coat.factor, 0.25f);
  EXPECT_EQ(m.coat_roughness.factor, 0.125f);
  EXPECT_EQ(m.coat_roughness.channel, 1);
  EXPECT_EQ(m.sheen_color.factor, Rgb(0.1f, 0.2f, 0.3f));
  EXPECT_EQ(m.sheen_roughness.channel, 3);
}

TEST(GltfMaterial, UnlitIsSaid) {
  EXPECT_TRUE(first(with_material(R"("extensions": {"KHR_materials_unlit": {}})")).unlit);
  EXPECT_FALSE(first(with_material("")).unlit);
}

TEST(GltfMaterial, SpecularGlossinessIsReadWithAWarning) {
  const Imported file = with_material(R"("name": "Tile", "extensions": {"KHR_materials_pbrSpecularGlossiness": {
      "diffuseFactor": [0.5, 0.5, 0.5, 1], "specularFactor": [0.2, 0.1, 0.1], "glossinessFactor": 0.75}})");
  EXPECT_EQ(first(file).base_color.factor, Rgb(0.5f));
  EXPECT_EQ(first(file).metallic.factor, 0);
  EXPECT_EQ(first(file).roughness.offset + first(file).roughness.factor, 0.25f);
  EXPECT_EQ(first(file).ior, 0) << "F0 = 1, so that the tint is F0";
  EXPECT_EQ(first(file).specular_color.factor, Rgb(0.2f, 0.1f, 0.1f));
  EXPECT_THAT(file.warnings(), HasSubstr("of material 'Tile': read approximately"));
}

TEST(GltfMaterial, NumbersOutOfRangeAreLimitedWithAWarning) {
  const Imported file = with_material(R"("name": "Odd", "pbrMetallicRoughness": {"roughnessFactor": 1.5, "baseColorFactor": [2, 0, 0, 1]})");
  EXPECT_EQ(first(file).roughness.factor, 1);
  EXPECT_EQ(first(file).base_color.factor, Rgb(1, 0, 0));
  EXPECT_THAT(file.warnings(), HasSubstr("/materials/0/pbrMetallicRoughness/roughnessFactor of material 'Odd': 1.5"));
}

TEST(GltfMaterial, ATextureTransformCarriesOverToTurnedV) {
  const Imported file = with_material(R"("normalTexture": {"index": 0, "extensions": {"KHR_texture_transform":
      {"offset": [0.1, 0.2], "scale": [2, 3], "rotation": 1.5707963267948966, "texCoord": 1}}})");
  const TextureDescription& t = texture(file, 0);
  EXPECT_EQ(t.uv_set, 1) << "the extension's texCoord overrides";
  // Counter-clockwise as seen in the image, v down: the scaled u axis (2, 0) goes to (0, -2), and (0, 3) to (3, 0).
  const Vec2 origin = looked_up(t, {0, 0}), u = looked_up(t, {1, 0}), v = looked_up(t, {0, 1});
  constexpr float kTolerance = 1e-6f;  // a few roundings of numbers below 4
  EXPECT_NEAR(origin.x, 0.1f, kTolerance);
  EXPECT_NEAR(origin.y, 0.2f, kTolerance);
  EXPECT_NEAR(u.x, 0.1f, kTolerance);
  EXPECT_NEAR(u.y, 0.2f - 2, kTolerance);
  EXPECT_NEAR(v.x, 0.1f + 3, kTolerance);
  EXPECT_NEAR(v.y, 0.2f, kTolerance);
}

TEST(GltfMaterial, ImagesAreFoundUnderEncodedAndForeignNames) {
  const test::TempDir folder;
  for (const char* name : {"a b.png", "grün.png", "100%.png", "100%25.png"}) std::ofstream(folder.path() / name) << "x";
  std::filesystem::create_directory(folder.path() / "deep");
  std::ofstream(folder.path() / "deep/c.png") << "x";
  std::ofstream(folder.path() / "scene.gltf") << gltf(R"("images": [{"uri": "a%20b.png"}, {"uri": "gr%C3%BCn.png"}, {"uri": "grün.png"},
      {"uri": "a b.png"}, {"uri": "100%25.png"}, {"uri": "deep\\c.png"}, {"uri": "lost.png"}, {"uri": "deep"}, {"uri": "https://example.org/a.png"}],
      "textures": [{"source": 0}, {"source": 1}, {"source": 2}, {"source": 3}, {"source": 4}, {"source": 5}, {"source": 6}, {"source": 7}, {"source": 8}],
      "materials": [{"normalTexture": {"index": 0}}, {"normalTexture": {"index": 1}}, {"normalTexture": {"index": 2}},
      {"normalTexture": {"index": 3}}, {"normalTexture": {"index": 4}}, {"normalTexture": {"index": 5}}, {"normalTexture": {"index": 6}},
      {"normalTexture": {"index": 7}}, {"normalTexture": {"index": 8}}])");
  Diagnostics diagnostics;
  const SceneDescription scene = import_gltf(folder.path() / "scene.gltf", diagnostics);
  const char* expected[] = {"a b.png", "grün.png", "grün.png", "a b.png", "100%.png", "deep/c.png"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(scene.textures.at(i).file, folder.path() / expected[i]);
    EXPECT_FALSE(scene.textures[i].missing);
  }
  for (std::size_t i = 6; i < 9; ++i) EXPECT_TRUE(scene.textures.at(i).missing) << i;
  ASSERT_THAT(diagnostics.warnings(), SizeIs(4));
  EXPECT_EQ(diagnostics.warnings()[0].culprit, "/images/6 (lost.png)");
  EXPECT_THAT(diagnostics.warnings()[0].text, HasSubstr("not found"));
}

TEST(GltfMaterial, ImagesInTheFileKeepTheirBytes) {
  const Imported file(gltf(R"("buffers": [{"byteLength": 4, "uri": "data:,%01%02%03%04"}], "bufferViews": [{"buffer": 0, "byteOffset": 1, "byteLength": 2}],
      "images": [{"bufferView": 0}, {"uri": "data:image/jpeg;base64,_-8"}], "textures": [{"source": 0}, {"source": 1}],
      "materials": [{"normalTexture": {"index": 0}, "emissiveFactor": [1, 1, 1], "emissiveTexture": {"index": 1}}])"));
  ASSERT_THAT(file.scene.textures, SizeIs(2));
  const auto& emissive = *texture(file, first(file).emission.texture).encoded;
  const auto& normal = *texture(file, first(file).normal_texture).encoded;
  EXPECT_THAT(normal, testing::ElementsAre(2, 3));
  EXPECT_THAT(emissive, testing::ElementsAre(0xff, 0xef)) << "the URL alphabet, unpadded";
}

TEST(GltfMaterial, WebpImagesAreTakenWhereThereIsNoOther) {
  const Imported file(gltf(R"("extensionsRequired": ["EXT_texture_webp"], "images": [{"uri": "data:image/webp;base64,AQ=="}],
      "textures": [{"extensions": {"EXT_texture_webp": {"source": 0}}}], "materials": [{"normalTexture": {"index": 0}}])"));
  EXPECT_FALSE(texture(file, 0).missing);
}

TEST(GltfMaterial, AnUnknownImageFormatIsAMissingTexture) {
  const Imported file(gltf(R"("extensionsUsed": ["KHR_texture_basisu"], "images": [{"uri": "a.ktx2"}],
      "textures": [{"extensions": {"KHR_texture_basisu": {"source": 0}}}], "materials": [{"normalTexture": {"index": 0}}])"));
  EXPECT_TRUE(texture(file, 0).missing);
  EXPECT_THAT(file.warnings(), HasSubstr("/textures/0: its image is only given by KHR_texture_basisu"));
}

TEST(GltfMaterial, VertexAlphaCountsOnlyWhereAlphaDoes) {
  test::Arrays arrays;
  arrays.floats("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0}, 3);
  arrays.floats("VEC4", {1, 1, 1, 0.5f, 1, 1, 1, 0.5f, 1, 1, 1, 0.5f}, 3);
  const Imported file(gltf(arrays.json() + R"(, "materials": [{}, {"alphaMode": "BLEND"}], "meshes": [{"primitives": [
      {"attributes": {"POSITION": 0, "COLOR_0": 1}, "material": 0}, {"attributes": {"POSITION": 0, "COLOR_0": 1}, "material": 1}]}],
      "nodes": [{"mesh": 0}])"));
  ASSERT_THAT(file.scene.meshes, SizeIs(2));
  EXPECT_EQ(file.scene.meshes[0].colors[0].w, 1);
  EXPECT_EQ(file.scene.meshes[1].colors[0].w, 0.5f);
}

}  // namespace
}  // namespace simulacra
