// SPDX-License-Identifier: Apache-2.0
// What holds for every model, point by point.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/render/material/examples.h"
#include "tests/support/chi_square.h"

namespace simulacra {
namespace {

using test::BsdfExample;
using test::RandomNumbers;

Vec3 random_direction(RandomNumbers& random) {
  const Vec2 u = random.next2();
  const float z = 1 - 2 * u.x, r = std::sqrt(std::max(0.0f, 1 - z * z)), phi = 2 * kPi * u.y;
  return {r * std::cos(phi), r * std::sin(phi), z};
}

std::string text(Vec3 v) { return fmt::format("({} {} {})", v.x, v.y, v.z); }

// Calls body(example, bsdf, wo, sample) for samples of every example seen from random directions.
template <typename Body>
void for_samples(int count, Body body) {
  for (const BsdfExample& example : test::example_materials().examples()) {
    const Bsdf bsdf = test::example_materials().bsdf(example.name);
    RandomNumbers random(7);
    for (int i = 0; i < count; ++i) {
      const Vec3 wo = random_direction(random);
      const float u_lobe = random.next();
      const auto s = sample(bsdf, wo, u_lobe, random.next2());
      if (s) body(example, bsdf, wo, *s);
    }
  }
}

// weight * pdf is formed from the same float expressions as eval(), through a direction that was rounded;
// the narrowest lobe (alpha 0.1) turns a rounding of 1e-7 into 1e-5 on its flank.
constexpr float kRounding = 2e-3f;

bool near(float a, float b, float relative = kRounding) {
  return std::abs(a - b) <= relative * (std::abs(a) + std::abs(b)) + 1e-6f;
}
bool near(Rgb a, Rgb b, float relative = kRounding) {
  return near(a.r, b.r, relative) && near(a.g, b.g, relative) && near(a.b, b.b, relative);
}

TEST(Bsdf, SampledDirectionsAreUnit) {
  for_samples(2000, [](const BsdfExample& e, const Bsdf&, Vec3 wo, const BsdfSample& s) {
    ASSERT_NEAR(length(s.wi), 1, 1e-5) << e.name << " from " << text(wo);
    ASSERT_TRUE(is_finite(s.weight)) << e.name << " from " << text(wo);
    ASSERT_GT(s.pdf, 0) << e.name << " from " << text(wo);
  });
}

TEST(Bsdf, WeightTimesPdfIsTheValue) {
  for_samples(4000, [](const BsdfExample& example, const Bsdf& bsdf, Vec3 wo, const BsdfSample& s) {
    if (s.delta) return;
    const BsdfEval e = eval(bsdf, wo, s.wi);
    ASSERT_TRUE(near(s.pdf, e.pdf)) << example.name << " from " << text(wo) << " to " << text(s.wi) << ": " << s.pdf
                                    << " and " << e.pdf;
    ASSERT_TRUE(near(s.weight * s.pdf, e.total)) << example.name << " from " << text(wo) << " to " << text(s.wi);
    ASSERT_TRUE(near(s.diffuse_weight * s.pdf, e.diffuse)) << example.name << " from " << text(wo);
  });
}

TEST(Bsdf, DeltaSamplesHaveNoDensityAndNoDiffusePart) {
  int deltas = 0;
  for_samples(500, [&](const BsdfExample& example, const Bsdf&, Vec3 wo, const BsdfSample& s) {
    if (!s.delta) return;
    ++deltas;
    ASSERT_TRUE(is_black(s.diffuse_weight)) << example.name;
    ASSERT_LE(s.pdf, 1.000001f) << example.name;
    if (s.straight) {
      ASSERT_LT(length(s.wi + wo), 1e-6f) << example.name;
    }
  });
  EXPECT_GT(deltas, 1000);
}

TEST(Bsdf, SmoothSamplesNeverClaimToPassStraight) {
  for_samples(500, [](const BsdfExample& example, const Bsdf&, Vec3, const BsdfSample& s) {
    ASSERT_TRUE(s.delta || !s.straight) << example.name;
  });
}

TEST(Bsdf, OnlyTransmittersReachTheOtherSide) {
  for (const BsdfExample& example : test::example_materials().examples()) {
    const Bsdf bsdf = test::example_materials().bsdf(example.name);
    bool crossed = false;
    RandomNumbers random(3);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 wo = random_direction(random);
      const float u_lobe = random.next();
      const auto s = sample(bsdf, wo, u_lobe, random.next2());
      if (s) crossed |= s->wi.z * wo.z < 0;
      const Vec3 wi = random_direction(random);
      const BsdfEval e = eval(bsdf, wo, wi);
      const bool dark_from_here = wo.z < 0 && !example.from_behind;
      ASSERT_TRUE(!dark_from_here || !s) << example.name;
      ASSERT_TRUE((is_black(e.total) && e.pdf == 0) || (!dark_from_here && (example.passes || wo.z * wi.z > 0)))
          << example.name << " from " << text(wo) << " to " << text(wi);
    }
    EXPECT_EQ(crossed, example.passes) << example.name;
    EXPECT_EQ(transmits(bsdf), example.passes) << example.name;
  }
}

TEST(Bsdf, ScatteringIsReciprocal) {
  for (const BsdfExample& example : test::example_materials().examples()) {
    const Bsdf bsdf = test::example_materials().bsdf(example.name);
    const float inside2 = example.inside_ior * example.inside_ior;
    RandomNumbers random(11);
    for (int i = 0; i < 4000; ++i) {
      const Vec3 a = random_direction(random);
      const Vec3 b = random_direction(random);
      // Near grazing the cosines' own rounding shows.
      if (std::abs(a.z) < 0.02f || std::abs(b.z) < 0.02f) continue;
      if (!example.from_behind && a.z * b.z > 0 && a.z < 0) continue;
      const Rgb ab = eval(bsdf, a, b).total / (std::abs(b.z) * (a.z < 0 ? inside2 : 1));
      const Rgb ba = eval(bsdf, b, a).total / (std::abs(a.z) * (b.z < 0 ? inside2 : 1));
      // Refraction next to the critical angle: the cosine is the root of a difference.
      ASSERT_TRUE(near(ab, ba, a.z * b.z > 0 ? kRounding : 0.02f))
          << example.name << " between " << text(a) << " and " << text(b) << ": " << ab.r
                                << " and " << ba.r;
    }
  }
}

TEST(Bsdf, TheDiffusePartIsALambertLobeUnderAColorlessInterface) {
  for (const BsdfExample& example : test::example_materials().examples()) {
    const Bsdf bsdf = test::example_materials().bsdf(example.name);
    RandomNumbers random(5);
    for (int i = 0; i < 500; ++i) {
      const Vec3 wo = random_direction(random), wi = random_direction(random);
      const Rgb albedo = diffuse_albedo(bsdf, wo);
      const BsdfEval e = eval(bsdf, wo, wi);
      for (std::size_t c = 0; c < 3; ++c) {
        ASSERT_GE(albedo[c], 0) << example.name;
        ASSERT_LE(albedo[c], 1) << example.name;
        ASSERT_GE(e.diffuse[c], 0) << example.name;
        ASSERT_LE(e.diffuse[c], e.total[c] * 1.00001f + 1e-7f) << example.name;
        ASSERT_TRUE(albedo[c] > 0 || e.diffuse[c] == 0) << example.name;
      }
      const bool one_model = example.material.kind != MaterialKind::blend && !example.material.nonlinear;
      if (one_model && !is_black(albedo) && !is_black(e.diffuse)) {
        const Rgb ratio = e.diffuse / albedo;
        ASSERT_TRUE(near(ratio.r, ratio.g) && near(ratio.g, ratio.b)) << example.name;
      }
    }
  }
}

TEST(Bsdf, TheReflectanceOfTheStandardModelIsItsBaseLobe) {
  const Rgb everything = diffuse_albedo(test::example_materials().bsdf("standard_everything"), {0, 0, 1});
  EXPECT_FLOAT_EQ(everything.r, 0.8f * 0.7f * 0.6f);
  EXPECT_TRUE(is_black(diffuse_albedo(test::example_materials().bsdf("standard_metal"), {0, 0, 1})));
  const Rgb plastic = diffuse_albedo(test::example_materials().bsdf("plastic_nonlinear"), {0, 0, 1});
  EXPECT_FLOAT_EQ(plastic.r, 0.5f);
  EXPECT_TRUE(is_black(diffuse_albedo(test::example_materials().bsdf("diffuse_one_sided"), {0, 0, -1})));
}

TEST(Bsdf, StraightTransmittanceIsWhatStraightSamplesCarry) {
  for (const BsdfExample& example : test::example_materials().examples()) {
    const Bsdf bsdf = test::example_materials().bsdf(example.name);
    for (const float z : {1.0f, 0.5f, 0.1f, -0.7f}) {
      const Vec3 wo{std::sqrt(1 - z * z), 0, z};
      Rgb carried;
      constexpr int count = 4000;
      for (int i = 0; i < count; ++i) {
        const float u = (static_cast<float>(i) + 0.5f) / count;
        const auto s = sample(bsdf, wo, u, {0.3f, 0.7f});
        if (s && s->straight) carried += s->weight / count;
      }
      const Rgb stated = straight_transmittance(bsdf, wo);
      // The lobe choice is sampled in steps of 1 / count.
      EXPECT_NEAR(carried.g, stated.g, 2.0 / count) << example.name << " at " << z;
    }
  }
}

TEST(Bsdf, ModelsWithOnlyDeltasSaySo) {
  for (const char* name : {"conductor_smooth", "dielectric_smooth", "thin_dielectric", "null",
                           "standard_smooth_solid_glass", "standard_thin_glass"})
    EXPECT_FALSE(has_smooth_lobe(test::example_materials().bsdf(name))) << name;
  for (const char* name : {"diffuse", "plastic_smooth", "dielectric_ggx", "standard_polished", "blend_with_delta"})
    EXPECT_TRUE(has_smooth_lobe(test::example_materials().bsdf(name))) << name;
}

TEST(Bsdf, RefractionStatesItsIndex) {
  const Bsdf glass = test::example_materials().bsdf("dielectric_smooth");
  const float eta = 1.5046f / 1.000277f;
  const auto in = sample(glass, {0.6f, 0, 0.8f}, 0.99f, {0.5f, 0.5f});
  ASSERT_TRUE(in);
  EXPECT_NEAR(in->eta, eta, 1e-5);
  EXPECT_NEAR(in->wi.x, -0.6f / eta, 1e-5);
  EXPECT_NEAR(in->weight.r, 1 / (eta * eta), 1e-5);
  const auto out = sample(glass, {0.1f, 0, -std::sqrt(0.99f)}, 0.99f, {0.5f, 0.5f});
  ASSERT_TRUE(out);
  EXPECT_NEAR(out->eta, 1 / eta, 1e-5);
  EXPECT_NEAR(out->wi.x, -0.1f * eta, 1e-5);
}

}  // namespace
}  // namespace simulacra
