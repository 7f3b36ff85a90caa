// SPDX-License-Identifier: Apache-2.0
// From descriptions, textures and hits to scattering, opacity, emission and normals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/material/material.h"
#include "tests/support/shared_data.h"

namespace simulacra {
namespace {

using ::testing::HasSubstr;

// One scene's materials over textures; `textures` are in the order of their indices.
struct BoundMaterials {
  explicit BoundMaterials(std::vector<MaterialDescription> materials, std::vector<TextureDescription> pictures = {})
      : textures(pictures, std::uint64_t{1} << 24, diagnostics), set(materials, textures) {}
  Diagnostics diagnostics;
  TextureSet textures;
  MaterialSet set;
};

MaterialDescription diffuse(Rgb albedo) {
  MaterialDescription m;
  m.kind = MaterialKind::diffuse;
  m.base_color.factor = albedo;
  return m;
}

// color0 in the lower left quarter.
TextureDescription checkerboard(Rgb color0, Rgb color1, int uv_set = 0) {
  TextureDescription t;
  t.kind = TextureDescription::Kind::checkerboard;
  t.color0 = color0;
  t.color1 = color1;
  t.uv_set = uv_set;
  return t;
}

SurfacePoint flat_point(Vec2 uv = {0.25f, 0.25f}) {
  SurfacePoint at;
  at.geometric_normal = at.shading_normal = {0, 0, 1};
  at.dpdu = {1, 0, 0};
  at.dpdv = {0, 1, 0};
  at.uv[0] = at.uv[1] = uv;
  return at;
}

Rgb albedo(const BoundMaterials& s, int material, const SurfacePoint& at) {
  return diffuse_albedo(s.set.bsdf(material, at), {0, 0, at.back_side ? -1.0f : 1.0f});
}

std::string refusal(std::vector<MaterialDescription> materials) {
  try {
    const BoundMaterials s(std::move(materials));
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MaterialSet, TexturesMultiplyTheFactorInTheirOwnUvSet) {
  MaterialDescription m = diffuse({0.5f, 1, 1});
  m.base_color.texture = 0;
  const BoundMaterials s({m}, {checkerboard({0.8f, 0.4f, 0.2f}, Rgb{0.1f}, 1)});
  SurfacePoint at = flat_point();
  at.uv[1] = {0.25f, 0.75f};
  EXPECT_EQ(albedo(s, 0, flat_point()), (Rgb{0.4f, 0.4f, 0.2f}));
  EXPECT_EQ(albedo(s, 0, at), (Rgb{0.05f, 0.1f, 0.1f}));
}

TEST(MaterialSet, VertexColorsTintTheBaseAndThinTheSurface) {
  MaterialDescription m;
  m.base_color.factor = Rgb{0.5f};
  m.use_vertex_color = true;
  const BoundMaterials s({m});
  SurfacePoint at = flat_point();
  at.vertex_color = {1, 0.5f, 0, 0.25f};
  EXPECT_EQ(albedo(s, 0, at), (Rgb{0.5f, 0.25f, 0}));
  EXPECT_FLOAT_EQ(s.set.opacity(0, at), 0.25f);
  EXPECT_FALSE(s.set.always_opaque(0));
}

TEST(MaterialSet, CutoffsMakeOpacityZeroOrOne) {
  MaterialDescription m;
  m.opacity = {1, 0, 0, 0.0f};
  m.alpha_cutoff = 0.5f;
  const BoundMaterials s({m}, {checkerboard(Rgb{0.49f}, Rgb{0.51f})});
  EXPECT_EQ(s.set.opacity(0, flat_point({0.25f, 0.25f})), 0);
  EXPECT_EQ(s.set.opacity(0, flat_point({0.75f, 0.25f})), 1);
  EXPECT_TRUE(s.set.may_pass_straight(0));
}

TEST(MaterialSet, OpacityIsAskedOnlyWhereItMayBeBelowOne) {
  MaterialDescription solid, alpha_of_opaque_picture, faint, cut, nothing;
  alpha_of_opaque_picture.opacity = {1, 0, 3, 0.0f};
  faint.opacity.factor = 0.9f;
  cut.opacity.factor = 0.9f, cut.alpha_cutoff = 0.5f;
  nothing.kind = MaterialKind::null;
  const BoundMaterials s({solid, alpha_of_opaque_picture, faint, cut, nothing}, {checkerboard(Rgb{0.2f}, Rgb{0.4f})});
  EXPECT_TRUE(s.set.always_opaque(0));
  EXPECT_TRUE(s.set.always_opaque(1));
  EXPECT_FALSE(s.set.always_opaque(2));
  EXPECT_TRUE(s.set.always_opaque(3));
  EXPECT_FALSE(s.set.always_opaque(4));
  EXPECT_EQ(s.set.opacity(4, flat_point()), 0);
}

TEST(MaterialSet, TheBackMayShowAnotherMaterial) {
  MaterialDescription front = diffuse(Rgb{0.8f}), back = diffuse(Rgb{0.2f});
  front.back_material = 1;
  back.two_sided = false;
  const BoundMaterials s({front, back});
  SurfacePoint at = flat_point();
  EXPECT_EQ(albedo(s, 0, at), Rgb{0.8f});
  at.back_side = true;
  EXPECT_EQ(albedo(s, 0, at), Rgb{0.2f});
  EXPECT_GT(eval(s.set.bsdf(0, at), {0, 0, -1}, {0, 0.6f, -0.8f}).total.r, 0);
}

TEST(MaterialSet, AOneSidedReflectorIsBlackFromBehind) {
  MaterialDescription m = diffuse(Rgb{0.8f});
  m.two_sided = false;
  const BoundMaterials s({m});
  EXPECT_TRUE(is_black(eval(s.set.bsdf(0, flat_point()), {0, 0, -1}, {0, 0.6f, -0.8f}).total));
}

TEST(MaterialSet, BlendsMixByTheirWeight) {
  MaterialDescription blend;
  blend.kind = MaterialKind::blend;
  blend.blend_a = 1, blend.blend_b = 2;
  blend.blend_weight = {1, 0, 4, 0.0f};
  const BoundMaterials s({blend, diffuse(Rgb{0.2f}), diffuse(Rgb{0.6f})}, {checkerboard(Rgb{0.25f}, Rgb{1})});
  EXPECT_NEAR(albedo(s, 0, flat_point({0.25f, 0.25f})).r, 0.3f, 1e-6);
  EXPECT_FLOAT_EQ(albedo(s, 0, flat_point({0.75f, 0.25f})).r, 0.6f);
  EXPECT_EQ(s.set.bsdf(0, flat_point({0.75f, 0.25f})).count, 1);
}

TEST(MaterialSet, AWrappedBlendIsTwoSidedInAllParts) {
  MaterialDescription blend, part = diffuse(Rgb{0.4f});
  part.two_sided = false;
  blend.kind = MaterialKind::blend;
  blend.blend_a = blend.blend_b = 1;
  const BoundMaterials wrapped({blend, part});
  blend.two_sided = false;
  const BoundMaterials bare({blend, part});
  SurfacePoint behind = flat_point();
  behind.back_side = true;
  EXPECT_FLOAT_EQ(albedo(wrapped, 0, behind).r, 0.4f);
  EXPECT_EQ(albedo(bare, 0, behind).r, 0);
}

TEST(MaterialSet, AMaskedPartOfABlendLetsLightPass) {
  MaterialDescription blend, part = diffuse(Rgb{1});
  part.opacity.factor = 0.4f;
  blend.kind = MaterialKind::blend;
  blend.blend_a = blend.blend_b = 1;
  const BoundMaterials s({blend, part});
  const Bsdf bsdf = s.set.bsdf(0, flat_point());
  EXPECT_NEAR(straight_transmittance(bsdf, {0, 0, 1}).g, 0.6f, 1e-6);
  EXPECT_NEAR(diffuse_albedo(bsdf, {0, 0, 1}).g, 0.4f, 1e-6);
  EXPECT_TRUE(s.set.may_pass_straight(0));
}

TEST(MaterialSet, EmissionKnowsItsSideAndItsMean) {
  MaterialDescription lamp;
  lamp.emission = {{2, 4, 8}, 0};
  lamp.emission_two_sided = false;
  const BoundMaterials s({lamp, MaterialDescription{}}, {checkerboard(Rgb{1}, Rgb{0.5f})});
  SurfacePoint at = flat_point({0.75f, 0.25f});
  EXPECT_EQ(s.set.emission(0, at), (Rgb{1, 2, 4}));
  at.back_side = true;
  EXPECT_EQ(s.set.emission(0, at), Rgb{});
  EXPECT_EQ(s.set.mean_emission(0), (Rgb{1.5f, 3, 6}));
  EXPECT_TRUE(s.set.emits(0) && s.set.emission_textured(0));
  EXPECT_FALSE(s.set.emits(1));
  EXPECT_EQ(s.set.mean_emission(1), Rgb{});
}

TEST(MaterialSet, UnlitSurfacesEmitTheirBaseColorAndScatterNothing) {
  MaterialDescription m;
  m.unlit = true;
  m.base_color.factor = {0.1f, 0.2f, 0.3f};
  const BoundMaterials s({m});
  const Bsdf bsdf = s.set.bsdf(0, flat_point());
  EXPECT_EQ(s.set.emission(0, flat_point()), (Rgb{0.1f, 0.2f, 0.3f}));
  EXPECT_TRUE(s.set.emits(0));
  EXPECT_TRUE(is_black(diffuse_albedo(bsdf, {0, 0, 1})));
  EXPECT_FALSE(sample(bsdf, {0, 0, 1}, 0.5f, {0.5f, 0.5f}));
}

TEST(MaterialSet, GlassIsFlagged) {
  MaterialDescription glass, pane, vase, wall, blend;
  glass.kind = MaterialKind::dielectric;
  pane.transmission.factor = 1, pane.roughness.factor = 0;
  vase.transmission.factor = 1, vase.thin_walled = false;
  blend.kind = MaterialKind::blend, blend.blend_a = 3, blend.blend_b = 0;
  const BoundMaterials s({glass, pane, vase, wall, blend});
  for (const int i : {0, 1, 2, 4}) EXPECT_TRUE(s.set.transmits(i)) << i;
  EXPECT_FALSE(s.set.transmits(3));
  EXPECT_TRUE(s.set.may_pass_straight(1));
  for (const int i : {0, 2, 3, 4}) EXPECT_FALSE(s.set.may_pass_straight(i)) << i;
}

TEST(MaterialSet, SenselessDescriptionsAreRefusedByName) {
  MaterialDescription itself, stranger, many, glass, back, lacquer;
  itself.kind = many.kind = stranger.kind = MaterialKind::blend;
  itself.name = "ouroboros", itself.blend_a = itself.blend_b = 0;
  EXPECT_THAT(refusal({itself}), HasSubstr("'ouroboros'"));
  stranger.name = "stranger", stranger.blend_a = 7, stranger.blend_b = 0;
  EXPECT_THAT(refusal({stranger}), HasSubstr("'stranger': its first part is material 7, there are 1"));
  many.name = "many", many.blend_a = many.blend_b = 1;
  MaterialDescription pair = many, leaf = diffuse(Rgb{0.5f});
  pair.blend_a = pair.blend_b = 2;
  MaterialDescription quad = pair;
  quad.blend_a = quad.blend_b = 3;
  EXPECT_THAT(refusal({many, pair, quad, leaf}), HasSubstr("'many': it blends 8 materials, expected at most 4"));
  glass.kind = MaterialKind::dielectric, glass.name = "odd glass", glass.int_ior = 0;
  EXPECT_THAT(refusal({glass}), HasSubstr("'odd glass': indices of refraction are 0 inside"));
  back.name = "coin", back.back_material = 4;
  EXPECT_THAT(refusal({back}), HasSubstr("'coin': its back is material 4"));
  lacquer.kind = MaterialKind::plastic, lacquer.name = "lacquer", lacquer.alpha_u.factor = 0.2f;
  EXPECT_THAT(refusal({lacquer}), HasSubstr("'lacquer': a plastic has alpha_u 0.2"));
}

TEST(MaterialSet, NormalMapsTurnTheNormalInTheTangentFrame) {
  MaterialDescription m;
  m.normal_texture = 0;
  // (0.6, 0.48, 0.64) as a color.
  const BoundMaterials s({m}, {checkerboard({0.8f, 0.74f, 0.82f}, Rgb{0.5f})});
  const Vec3 n = s.set.bumped_normal(0, flat_point());
  EXPECT_LT(length(n - Vec3{0.6f, 0.48f, 0.64f}), 1e-5f);

  SurfacePoint mirrored = flat_point();
  mirrored.dpdu = {-2, 0, 0};
  EXPECT_LT(length(s.set.bumped_normal(0, mirrored) - Vec3{-0.6f, 0.48f, 0.64f}), 1e-5f);

  SurfacePoint with_tangent = flat_point();
  with_tangent.tangent = {0, 1, 0};
  with_tangent.tangent_sign = -1;
  EXPECT_LT(length(s.set.bumped_normal(0, with_tangent) - Vec3{0.48f, 0.6f, 0.64f}), 1e-5f);
}

TEST(MaterialSet, NormalMapsAreScaled) {
  MaterialDescription m;
  m.normal_texture = 0;
  m.normal_scale = 0;
  const BoundMaterials s({m}, {checkerboard({0.8f, 0.74f, 0.82f}, Rgb{0.5f})});
  EXPECT_LT(length(s.set.bumped_normal(0, flat_point()) - Vec3{0, 0, 1}), 1e-6f);
}

TEST(MaterialSet, MappedNormalsStayOutside) {
  MaterialDescription m;
  m.normal_texture = 0;
  const BoundMaterials s({m}, {checkerboard({1, 0.5f, 0.4f}, Rgb{0.5f})});  // below the surface
  const Vec3 n = s.set.bumped_normal(0, flat_point());
  EXPECT_GT(n.z, 0);
  EXPECT_NEAR(length(n), 1, 1e-5);
}

TEST(MaterialSet, BumpMapsFollowTheSlopeOfTheHeights) {
  // 10 of 255 higher by column, 5 by row from the top.
  std::vector<std::uint8_t> heights;
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 8; ++column) heights.push_back(static_cast<std::uint8_t>(100 + 10 * column + 5 * row));
  const test::TempDir dir;
  write_file_atomically(dir.path() / "heights.png", encode_png(8, 8, 1, heights));
  TextureDescription picture;
  picture.file = dir.path() / "heights.png";
  picture.name = "heights";
  MaterialDescription m;
  m.bump_texture = 0;
  m.bump_scale = 0.5f;

  const BoundMaterials s({m}, {picture});
  ASSERT_TRUE(s.diagnostics.warnings().empty());
  const Vec3 n = s.set.bumped_normal(0, flat_point({0.44f, 0.53f}));

  // Eight columns are a unit of u; rows grow downwards, against v.
  const float along_u = 0.5f * 8 * 10 / 255, along_v = -0.5f * 8 * 5 / 255;
  EXPECT_LT(length(n - normalize(Vec3{-along_u, -along_v, 1})), 1e-4f);

  SurfacePoint larger = flat_point({0.44f, 0.53f});
  larger.dpdu = {2, 0, 0};  // the same picture over twice the width
  EXPECT_LT(length(s.set.bumped_normal(0, larger) - normalize(Vec3{-along_u / 2, -along_v, 1})), 1e-4f);

  SurfacePoint left_handed = flat_point({0.44f, 0.53f});
  left_handed.dpdu = {-1, 0, 0};
  EXPECT_LT(length(s.set.bumped_normal(0, left_handed) - normalize(Vec3{along_u, -along_v, 1})), 1e-4f);
}

TEST(MaterialSet, WithoutTextureCoordinatesTheNormalStays) {
  MaterialDescription m;
  m.normal_texture = m.bump_texture = 0;
  const BoundMaterials s({m}, {checkerboard({0.8f, 0.74f, 0.82f}, Rgb{0.5f})});
  SurfacePoint at = flat_point();
  at.dpdu = at.dpdv = {};
  EXPECT_EQ(s.set.bumped_normal(0, at), (Vec3{0, 0, 1}));
  EXPECT_TRUE(s.set.has_bump(0));
}

TEST(ShadingFrame, FollowsTheTextureWhereThereIsOne) {
  SurfacePoint at = flat_point();
  at.dpdu = {3, 3, 5};
  const Vec3 n = normalize(Vec3{0.1f, -0.2f, 1});
  const ShadingFrame f = shading_frame(n, at);
  EXPECT_EQ(f.z, n);
  EXPECT_NEAR(dot(f.x, f.z), 0, 1e-6);
  EXPECT_NEAR(length(f.x), 1, 1e-6);
  EXPECT_LT(length(cross(f.z, f.x) - f.y), 1e-6f);
  EXPECT_NEAR(dot(f.y, at.dpdu), 0, 1e-5);
  at.dpdu = {};
  EXPECT_NEAR(length(shading_frame(n, at).x), 1, 1e-6);
}

}  // namespace
}  // namespace simulacra
