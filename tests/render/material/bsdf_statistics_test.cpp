// SPDX-License-Identifier: Apache-2.0
// Samplers against their densities, and energy.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/render/material/examples.h"
#include "tests/support/chi_square.h"

namespace simulacra {
namespace {

using test::BsdfExample;
using test::ChiSquareResult;
using test::RandomNumbers;

// Toward the pole, in the middle, near grazing.
constexpr float kAngles[] = {0.1f, 0.9f, 1.4f};

struct View {
  BsdfExample example;
  Vec3 wo;
};

// Every example from above, and from below where that is another case.
std::vector<View> views() {
  std::vector<View> result;
  for (const BsdfExample& e : test::example_materials().examples())
    for (const float theta : kAngles)
      for (const float side : {1.0f, -1.0f}) {
        if (side < 0 && !e.passes) continue;
        const float phi = 0.6f;
        const float r = std::sin(theta);
        result.push_back({e, {r * std::cos(phi), r * std::sin(phi), side * std::cos(theta)}});
      }
  return result;
}

std::string text(const View& v) { return fmt::format("{} seen from cos {:.3f}", v.example.name, v.wo.z); }

std::optional<Vec3> smooth_direction(const Bsdf& bsdf, Vec3 wo, RandomNumbers& random) {
  const float u_lobe = random.next();
  const auto s = sample(bsdf, wo, u_lobe, random.next2());
  if (!s || s->delta) return std::nullopt;
  return s->wi;
}

TEST(BsdfStatistics, SamplesFollowTheDensity) {
  const std::vector<View> all = views();
  const double level = test::sidak_level(0.01, static_cast<int>(all.size()));
  for (const View& v : all) {
    const Bsdf bsdf = test::example_materials().bsdf(v.example.name);
    if (!has_smooth_lobe(bsdf)) continue;
    const ChiSquareResult r =
        test::chi_square([&](RandomNumbers& random) { return smooth_direction(bsdf, v.wo, random); },
                         [&](Vec3 wi) { return double{eval(bsdf, v.wo, wi).pdf}; });
    EXPECT_GT(r.p_value, level) << text(v) << ": " << r.text();
    EXPECT_LT(r.mass, 1.001) << text(v);
  }
}

// Negative control: the same machinery notices a density that is a little off.
TEST(BsdfStatistics, AMutatedDensityIsRejected) {
  for (const char* name : {"conductor_ggx", "dielectric_ggx", "plastic_beckmann", "standard"}) {
    const Bsdf bsdf = test::example_materials().bsdf(name);
    const Vec3 wo{0.6f, 0, 0.8f};
    const auto draw = [&](RandomNumbers& random) { return smooth_direction(bsdf, wo, random); };
    const auto tilted = [&](Vec3 wi) { return double{eval(bsdf, wo, wi).pdf} * (1 + 0.05 * double{wi.x}); };
    const auto scaled = [&](Vec3 wi) { return double{eval(bsdf, wo, wi).pdf} * 0.97; };
    EXPECT_LT(test::chi_square(draw, tilted).p_value, 1e-4) << name;
    EXPECT_LT(test::chi_square(draw, scaled).p_value, 1e-4) << name;
  }
}

struct Mean {
  Rgb value, standard_error;
};

// Reflected and transmitted share of the light, the change of radiance by refraction taken out.
Mean albedo(const Bsdf& bsdf, Vec3 wo, int samples) {
  double sum[3] = {}, squares[3] = {};
  RandomNumbers random(17);
  for (int i = 0; i < samples; ++i) {
    const float u_lobe = random.next();
    const auto s = sample(bsdf, wo, u_lobe, random.next2());
    if (!s) continue;
    for (std::size_t c = 0; c < 3; ++c) {
      const double w = double{s->weight[c]} * double{s->eta} * double{s->eta};
      sum[c] += w;
      squares[c] += w * w;
    }
  }
  Mean mean;
  for (std::size_t c = 0; c < 3; ++c) {
    const double m = sum[c] / samples;
    mean.value[c] = static_cast<float>(m);
    mean.standard_error[c] = static_cast<float>(std::sqrt(std::max(0.0, squares[c] / samples - m * m) / samples));
  }
  return mean;
}

TEST(BsdfStatistics, NothingReflectsMoreThanItReceives) {
  for (const View& v : views()) {
    const Mean a = albedo(test::example_materials().bsdf(v.example.name), v.wo, 50'000);
    for (std::size_t c = 0; c < 3; ++c)
      // 1e-3: the albedo tables of the layers are interpolated.
      EXPECT_LT(a.value[c], 1 + 4 * a.standard_error[c] + 1e-3f) << text(v);
  }
}

TEST(BsdfStatistics, LosslessModelsPassTheWhiteFurnace) {
  int lossless = 0;
  for (const View& v : views()) {
    if (!v.example.lossless) continue;
    ++lossless;
    const Mean a = albedo(test::example_materials().bsdf(v.example.name), v.wo, 50'000);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a.value[c], 1, 4 * a.standard_error[c] + 1e-5f) << text(v);
  }
  EXPECT_GE(lossless, 9);
}

// A white base under the standard model's specular lobe gives back all that single scattering between the
// facets does not lose.
TEST(BsdfStatistics, TheStandardModelLosesLittle) {
  for (const float theta : kAngles) {
    const Vec3 wo{std::sin(theta), 0, std::cos(theta)};
    const Mean a = albedo(test::example_materials().bsdf("standard_white"), wo, 200'000);
    EXPECT_GT(a.value.r, 0.985f) << theta;
  }
}

}  // namespace
}  // namespace simulacra
