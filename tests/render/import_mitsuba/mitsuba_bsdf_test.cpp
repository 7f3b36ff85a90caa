// SPDX-License-Identifier: Apache-2.0
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
using test::on_sphere;
using test::refusal;
using testing::HasSubstr;

/// Imports without a warning.
Imported clean(const std::string& bsdf) {
  Imported s = import_body(on_sphere(bsdf));
  EXPECT_EQ(s.warning_text(), "") << bsdf;
  return s;
}

TEST(MitsubaBsdf, AShapeWithoutBsdfIsGrayDiffuseAndBlackFromBehind) {
  const auto m = clean("").material();
  EXPECT_EQ(m.kind, MaterialKind::diffuse);
  EXPECT_EQ(m.base_color.factor, Rgb{0.5f});
  EXPECT_FALSE(m.two_sided);
}

TEST(MitsubaBsdf, DiffuseHasItsReflectance) {
  const auto m = clean("<bsdf type=\"diffuse\" id=\"wall\"><rgb name=\"reflectance\" value=\"0.6, 0.25, 0.2\"/></bsdf>").material();
  EXPECT_EQ(m.name, "wall");
  EXPECT_EQ(m.base_color.factor, (Rgb{0.6f, 0.25f, 0.2f}));
}

TEST(MitsubaBsdf, ConductorsAreNamedOrGivenByNumbers) {
  const auto gold = clean("<bsdf type=\"conductor\"><string name=\"material\" value=\"Au\"/></bsdf>").material();
  EXPECT_EQ(gold.kind, MaterialKind::conductor);
  EXPECT_EQ(gold.eta, (Rgb{0.143f, 0.3753f, 1.442f}));
  EXPECT_EQ(gold.k, (Rgb{3.983f, 2.3856f, 1.6034f}));
  EXPECT_EQ(gold.alpha_u.factor, 0.0f);
  const auto mirror = clean("<bsdf type=\"conductor\"/>").material();
  EXPECT_EQ(mirror.eta, Rgb{0.0f});
  EXPECT_EQ(mirror.k, Rgb{1.0f});
  const auto own = clean("<bsdf type=\"roughconductor\"><rgb name=\"eta\" value=\"1 2 3\"/><rgb name=\"k\" value=\"4 5 6\"/>"
                         "<float name=\"alpha\" value=\"0.3\"/><string name=\"distribution\" value=\"ggx\"/></bsdf>").material();
  EXPECT_EQ(own.eta, (Rgb{1, 2, 3}));
  EXPECT_EQ(own.k, (Rgb{4, 5, 6}));
  EXPECT_EQ(own.alpha_u.factor, 0.3f);
  EXPECT_EQ(own.alpha_v.factor, 0.3f);
  EXPECT_EQ(own.microfacet, MicrofacetKind::ggx);
  EXPECT_THAT(refusal(in_scene(on_sphere("<bsdf type=\"conductor\"><string name=\"material\" value=\"Unobtainium\"/></bsdf>"))),
              HasSubstr("scene.xml:2: bsdf 'conductor': material = 'Unobtainium', expected one of none, Ag, Al"));
}

TEST(MitsubaBsdf, OldFilesHaveCopperByDefaultAndAnOutsideIndex) {
  const auto copper = import_text(in_scene(on_sphere("<bsdf type=\"conductor\"/>"), "0.6.0")).material();
  EXPECT_EQ(copper.eta, (Rgb{0.201f, 0.9237f, 1.1022f}));
  const auto wet = import_text(in_scene(on_sphere("<bsdf type=\"conductor\"><rgb name=\"eta\" value=\"2\"/><rgb name=\"k\" value=\"4\"/>"
                                                  "<float name=\"extEta\" value=\"2\"/></bsdf>"), "0.6.0")).material();
  EXPECT_EQ(wet.eta, Rgb{1.0f});
  EXPECT_EQ(wet.k, Rgb{2.0f});
}

TEST(MitsubaBsdf, RoughModelsHaveMitsubasDefaults) {
  for (const char* type : {"roughconductor", "roughdielectric", "roughplastic"}) {
    const auto m = clean(fmt::format("<bsdf type=\"{}\"/>", type)).material();
    EXPECT_EQ(m.alpha_u.factor, 0.1f) << type;
    EXPECT_EQ(m.microfacet, MicrofacetKind::beckmann) << type;
    EXPECT_TRUE(m.sample_visible) << type;
  }
  const auto anisotropic = clean("<bsdf type=\"roughconductor\"><float name=\"alpha_u\" value=\"0.05\"/><float name=\"alpha_v\" value=\"0\"/>"
                                 "<boolean name=\"sample_visible\" value=\"false\"/></bsdf>").material();
  EXPECT_EQ(anisotropic.alpha_u.factor, 0.05f);
  EXPECT_EQ(anisotropic.alpha_v.factor, 1e-4f);  // Mitsuba's least
  EXPECT_FALSE(anisotropic.sample_visible);
  EXPECT_THAT(import_body(on_sphere("<bsdf type=\"roughconductor\"><string name=\"distribution\" value=\"phong\"/></bsdf>")).warning_text(),
              HasSubstr("distribution: 'phong' is not supported; beckmann instead"));
}

TEST(MitsubaBsdf, DielectricsTakeIndicesByNumberOrName) {
  const auto glass = clean("<bsdf type=\"dielectric\"/>").material();
  EXPECT_EQ(glass.kind, MaterialKind::dielectric);
  EXPECT_EQ(glass.int_ior, 1.5046f);
  EXPECT_EQ(glass.ext_ior, 1.000277f);
  EXPECT_EQ(glass.alpha_u.factor, 0.0f);
  const auto bowl = clean("<bsdf type=\"roughdielectric\"><string name=\"int_ior\" value=\"diamond\"/><string name=\"ext_ior\" value=\"water\"/>"
                          "<rgb name=\"specular_transmittance\" value=\"0.5\"/></bsdf>").material();
  EXPECT_EQ(bowl.int_ior, 2.419f);
  EXPECT_EQ(bowl.ext_ior, 1.333f);
  EXPECT_EQ(bowl.specular_transmittance.factor, Rgb{0.5f});
  EXPECT_EQ(clean("<bsdf type=\"thindielectric\"/>").material().kind, MaterialKind::thin_dielectric);
  EXPECT_THAT(refusal(in_scene(on_sphere("<bsdf type=\"dielectric\"><string name=\"int_ior\" value=\"jelly\"/></bsdf>"))),
              HasSubstr("int_ior = 'jelly', expected a number or one of vacuum"));
  EXPECT_THAT(refusal(in_scene(on_sphere("<bsdf type=\"dielectric\"><float name=\"int_ior\" value=\"0\"/></bsdf>"))),
              HasSubstr("int_ior = 0, expected more than 0"));
}

TEST(MitsubaBsdf, PlasticHasItsOwnDefaults) {
  const auto m = clean("<bsdf type=\"plastic\"/>").material();
  EXPECT_EQ(m.kind, MaterialKind::plastic);
  EXPECT_EQ(m.int_ior, 1.49f);
  EXPECT_EQ(m.base_color.factor, Rgb{0.5f});
  EXPECT_FALSE(m.nonlinear);
  EXPECT_EQ(m.alpha_u.factor, 0.0f);
  const auto rough = clean("<bsdf type=\"roughplastic\"><boolean name=\"nonlinear\" value=\"true\"/><rgb name=\"specular_reflectance\" value=\".2\"/></bsdf>").material();
  EXPECT_TRUE(rough.nonlinear);
  EXPECT_EQ(rough.specular_reflectance.factor, Rgb{0.2f});
}

TEST(MitsubaBsdf, TwosidedHasOneOrTwoSides) {
  const auto one = clean("<bsdf type=\"twosided\" id=\"wall\"><bsdf type=\"diffuse\"/></bsdf>");
  EXPECT_TRUE(one.material().two_sided);
  EXPECT_EQ(one.material().back_material, -1);
  EXPECT_EQ(one.material().name, "wall");
  EXPECT_EQ(one.scene.materials.size(), 1u);  // the inner one is only a part
  const auto two = clean("<bsdf type=\"twosided\"><bsdf type=\"diffuse\"/><bsdf type=\"plastic\"/></bsdf>");
  ASSERT_GE(two.material().back_material, 0);
  EXPECT_EQ(two.scene.materials.at(static_cast<std::size_t>(two.material().back_material)).kind, MaterialKind::plastic);
  EXPECT_THAT(refusal(in_scene(on_sphere("<bsdf type=\"twosided\"/>"))), HasSubstr("bsdf 'twosided': 0 nested bsdfs, expected 1 or 2"));
}

TEST(MitsubaBsdf, MaskGivesOpacityToWhatItWraps) {
  const auto half = clean("<bsdf type=\"mask\"><bsdf type=\"twosided\"><bsdf type=\"diffuse\"/></bsdf></bsdf>").material();
  EXPECT_EQ(half.opacity.factor, 0.5f);
  EXPECT_TRUE(half.two_sided);
  const auto product = clean("<bsdf type=\"mask\"><float name=\"opacity\" value=\"0.5\"/><bsdf type=\"mask\"><float name=\"opacity\" value=\"0.25\"/>"
                             "<bsdf type=\"diffuse\"/></bsdf></bsdf>").material();
  EXPECT_EQ(product.opacity.factor, 0.125f);
  const auto holes = clean("<bsdf type=\"mask\"><texture type=\"checkerboard\" name=\"opacity\"><float name=\"color0\" value=\"0\"/>"
                           "<float name=\"color1\" value=\"1\"/></texture><bsdf type=\"diffuse\"/></bsdf>");
  EXPECT_EQ(holes.material().opacity.channel, 4);
  // As Mitsuba 3 evaluates it: the colors swap where a checkerboard stands for a number.
  const TextureDescription& board = holes.scene.textures[static_cast<std::size_t>(holes.material().opacity.texture)];
  EXPECT_EQ(board.color0, Rgb{1.0f});
  EXPECT_EQ(board.color1, Rgb{0.0f});
}

TEST(MitsubaBsdf, BumpAndNormalMapsKeepWhatTheyWrap) {
  const auto bump = clean("<bsdf type=\"bumpmap\"><texture type=\"checkerboard\"/><float name=\"scale\" value=\"0.25\"/>"
                          "<bsdf type=\"plastic\"/></bsdf>").material();
  EXPECT_EQ(bump.kind, MaterialKind::plastic);
  EXPECT_EQ(bump.bump_texture, 0);
  EXPECT_EQ(bump.bump_scale, 0.25f);
  const auto normal = clean("<bsdf type=\"normalmap\"><texture type=\"checkerboard\" name=\"normalmap\"/><bsdf type=\"plastic\"/></bsdf>");
  EXPECT_EQ(normal.material().normal_texture, 0);
  EXPECT_FALSE(normal.mesh().tangents.empty());  // Mitsuba's bitangent does not follow v
}

TEST(MitsubaBsdf, BlendWeighsTheSecond) {
  for (const char* type : {"blendbsdf", "blend"}) {
    const auto s = clean(fmt::format("<bsdf type=\"{}\"><float name=\"weight\" value=\"0.25\"/><bsdf type=\"diffuse\"/><bsdf type=\"conductor\"/></bsdf>", type));
    EXPECT_EQ(s.material().kind, MaterialKind::blend);
    EXPECT_EQ(s.material().blend_weight.factor, 0.25f);
    EXPECT_EQ(s.scene.materials.at(static_cast<std::size_t>(s.material().blend_a)).kind, MaterialKind::diffuse);
    EXPECT_EQ(s.scene.materials.at(static_cast<std::size_t>(s.material().blend_b)).kind, MaterialKind::conductor);
  }
}

TEST(MitsubaBsdf, PrincipledBecomesTheStandardMaterialWithAWarning) {
  const auto s = import_body(on_sphere("<bsdf type=\"principled\"><rgb name=\"base_color\" value=\"0.8 0.1 0.1\"/><float name=\"metallic\" value=\"0.7\"/>"
                                       "<float name=\"roughness\" value=\"0.3\"/><float name=\"anisotropic\" value=\"1\"/></bsdf>"));
  const auto m = s.material();
  EXPECT_EQ(m.kind, MaterialKind::standard);
  EXPECT_EQ(m.base_color.factor, (Rgb{0.8f, 0.1f, 0.1f}));
  EXPECT_EQ(m.metallic.factor, 0.7f);
  EXPECT_EQ(m.roughness.factor, 0.3f);
  EXPECT_NEAR(m.ior, 1.5f, 1e-6f);
  EXPECT_THAT(s.warning_text(), HasSubstr("anisotropic: has no counterpart"));
  EXPECT_THAT(s.warning_text(), HasSubstr("principled: rendered with the standard material"));
}

TEST(MitsubaBsdf, OtherModelsAreReplacedWithAWarning) {
  const auto rough = import_body(on_sphere("<bsdf type=\"roughdiffuse\"><rgb name=\"reflectance\" value=\"0.3\"/><float name=\"alpha\" value=\"0.2\"/></bsdf>"));
  EXPECT_EQ(rough.material().base_color.factor, Rgb{0.3f});
  EXPECT_EQ(rough.warning_text(), "roughdiffuse: not supported; diffuse instead\n");
  const auto ward = import_body(on_sphere("<bsdf type=\"ward\"><float name=\"alphaU\" value=\"0.2\"/></bsdf>"));
  EXPECT_EQ(ward.warning_text(), "ward: bsdf not supported; a gray diffuse of 0.5 instead\n");
  EXPECT_EQ(clean("<bsdf type=\"null\"/>").material().kind, MaterialKind::null);
}

}  // namespace
}  // namespace simulacra
