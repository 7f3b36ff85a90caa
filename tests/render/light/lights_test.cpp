// SPDX-License-Identifier: Apache-2.0
#include "render/light/lights.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/sampling/sampler.h"
#include "render/sampling/warp.h"
#include "render/scene/interaction.h"
#include "tests/support/scenes.h"

namespace simulacra {
namespace {

SceneDescription lit_scene() {
  SceneDescription scene;
  const int dark = test::add_diffuse(scene, Rgb{0.5f});
  const int lamp = test::add_diffuse(scene, Rgb{0.5f}, Rgb{3.0f, 2.0f, 1.0f});
  scene.materials[static_cast<std::size_t>(lamp)].emission_two_sided = false;
  const int glow = test::add_diffuse(scene, Rgb{0.5f}, Rgb{1.0f});
  test::add_rectangle(scene, {-2, -2, 0}, {4, 0, 0}, {0, 4, 0}, dark);
  test::add_rectangle(scene, {-0.5f, -0.5f, 2}, {0, 1, 0}, {1, 0, 0}, lamp);
  test::add_sphere(scene, {1.2f, 0.3f, 1}, 0.3f, glow);
  return scene;
}

/// Irradiance at a point with normal +z by sampling lights, without visibility, and by uniform directions.
struct Estimates {
  double by_lights = 0, by_directions = 0;
};

Estimates estimate(const Scene::State& scene, Vec3 point, std::uint32_t samples) {
  Estimates e;
  const Vec3 normal{0, 0, 1};
  for (std::uint32_t i = 0; i < samples; ++i) {
    Sampler s(21, 77, i);
    const float choice = s.next1();
    if (const auto l = scene.lights.sample(point, normal, choice, s.next2()); l && l->wi.z > 0) {
      const Rgb t = scene.accel.transmittance({point + normal * 1e-4f, l->wi, 0, l->distance * 0.999f});
      e.by_lights += static_cast<double>(l->radiance.g * t.g * l->wi.z / l->pdf) / samples;
    }
    const Vec3 wi = cosine_hemisphere_from_square(s.next2());
    const Ray ray{point + normal * 1e-4f, wi};
    const auto hit = scene.accel.closest(ray);
    Rgb arriving = hit ? Rgb{} : scene.lights.environment(wi);
    if (hit) {
      const Interaction it = scene.interact(ray, *hit);
      arriving = scene.materials.emission(it.material, it.at);
    }
    e.by_directions += static_cast<double>(arriving.g * kPi) / samples;
  }
  return e;
}

// Two estimators of one integral; the tolerance is 1 %, several standard errors of the worse one at this many
// low-discrepancy samples.
TEST(Lights, SamplingLightsAgreesWithSamplingDirections) {
  Diagnostics d;
  const Scene scene(lit_scene(), {}, d);
  for (const Vec3 p : {Vec3{0, 0, 0}, Vec3{1, 1, 0}, Vec3{-1.5f, 0.2f, 0}}) {
    const Estimates e = estimate(scene.state(), p, 1 << 18);
    EXPECT_NEAR(e.by_lights / e.by_directions, 1, 0.01) << "at " << p.x << ", " << p.y;
  }
}

TEST(Lights, AConstantEnvironmentIsSeenByBoth) {
  SceneDescription description = lit_scene();
  description.environment = EnvironmentDescription{Rgb{0.7f}, -1, {}};
  Diagnostics d;
  const Scene scene(description, {}, d);
  const Estimates e = estimate(scene.state(), {0.5f, 0, 0}, 1 << 18);
  EXPECT_NEAR(e.by_lights / e.by_directions, 1, 0.01);
}

// A closed room with one pane: portals change where samples go, never the mean.
TEST(Lights, LightThroughAPaneAgreesToo) {
  SceneDescription description;
  const int wall = test::add_diffuse(description, Rgb{0.5f});
  test::add_rectangle(description, {-2, -2, 0}, {4, 0, 0}, {0, 4, 0}, wall);
  test::add_rectangle(description, {-2, -2, 0}, {0, 4, 0}, {0, 0, 3}, wall);
  test::add_rectangle(description, {2, -2, 0}, {0, 0, 3}, {0, 4, 0}, wall);
  test::add_rectangle(description, {-2, -2, 3}, {0, 4, 0}, {4, 0, 0}, wall);
  test::add_rectangle(description, {-2, -2, 0}, {0, 0, 3}, {4, 0, 0}, wall);
  test::add_rectangle(description, {-2, 2, 0}, {4, 0, 0}, {0, 0, 1}, wall);
  test::add_rectangle(description, {-2, 2, 2}, {4, 0, 0}, {0, 0, 1}, wall);
  test::add_rectangle(description, {-2, 2, 1}, {1, 0, 0}, {0, 0, 1}, wall);
  test::add_rectangle(description, {1, 2, 1}, {1, 0, 0}, {0, 0, 1}, wall);
  MaterialDescription pane;
  pane.name = "pane";
  pane.kind = MaterialKind::thin_dielectric;
  description.materials.push_back(pane);
  test::add_rectangle(description, {-1, 2, 1}, {2, 0, 0}, {0, 0, 1}, 1);
  description.environment = EnvironmentDescription{Rgb{0.7f}, -1, {}};
  Diagnostics d;
  const Scene scene(description, {}, d);
  const auto portals = find_portals(scene.state().description, scene.state().materials);
  ASSERT_EQ(portals.size(), 1u);
  EXPECT_NEAR(length(cross(portals[0].edge_u, portals[0].edge_v)), 2, 1e-6);
  // By directions one sees the pane itself, so the comparison is with the table alone: a scene whose environment
  // is sampled without portals is the same scene with a pane that passes by its opacity.
  SceneDescription without = description;
  without.materials[1].kind = MaterialKind::null;
  const Scene open(without, {}, d);
  const Estimates through = estimate(scene.state(), {0.3f, 0.5f, 0}, 1 << 18);
  const Estimates freely = estimate(open.state(), {0.3f, 0.5f, 0}, 1 << 18);
  // A thin pane of 1.5046 keeps 0.85 to 0.92 of the light up to 60 degrees.
  EXPECT_GT(through.by_lights / freely.by_lights, 0.84);
  EXPECT_LT(through.by_lights / freely.by_lights, 0.93);
}

TEST(Portals, TheDensityIsThatOfTheSamples) {
  const PortalSet portals({{{-1, 2, 1}, {2, 0, 0}, {0, 0, 1}}, {{3, -1, 0.5}, {0, 1.5, 0}, {0, 0, 2}}});
  // The density integrates to 1 over the sphere, and every sample lies where it is positive.
  for (const Vec3 point : {Vec3{0, 0, 0}, Vec3{0.9f, 1.9f, 1.5f}, Vec3{-3, -2, 1}}) {
    double mass = 0;
    constexpr std::uint32_t kN = 1 << 18;
    for (std::uint32_t i = 0; i < kN; ++i) {
      Sampler s(4, 9, i);
      mass += static_cast<double>(portals.pdf(point, sphere_from_square(s.next2())) / kSpherePdf) / kN;
    }
    EXPECT_NEAR(mass, 1, 0.02);
    Vec3d mean{}, expected{};
    for (std::uint32_t i = 0; i < kN; ++i) {
      Sampler s(5, 11, i);
      const float choice = s.next1();
      const auto w = portals.sample(point, choice, s.next2());
      ASSERT_TRUE(w);
      ASSERT_GT(portals.pdf(point, *w), 0);
      mean += Vec3d(*w) * (1.0 / kN);
      const Vec3 v = sphere_from_square(s.next2());
      expected += Vec3d(v) * (static_cast<double>(portals.pdf(point, v) / kSpherePdf) / kN);
    }
    // First moments of samples and density agree: 2 % is several standard errors of the uniform estimate.
    EXPECT_LT(length(mean - expected), 0.02);
  }
}

TEST(Lights, TheDensityOfAFoundLightIsTheSampledOne) {
  Diagnostics d;
  const Scene scene(lit_scene(), {}, d);
  const auto& s = scene.state();
  const Vec3 point{0.2f, -0.4f, 0}, normal{0, 0, 1};
  int compared = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    Sampler sampler(2, 5, i);
    const float choice = sampler.next1();
    const auto l = s.lights.sample(point, normal, choice, sampler.next2());
    if (!l) continue;
    const Ray ray{point + normal * 1e-4f, l->wi};
    const auto hit = s.accel.closest(ray);
    if (!hit || std::abs(hit->t - l->distance) > 1e-2f * l->distance) continue;  // something else lies before it
    Hit seen = *hit;
    seen.t = l->distance;
    const float pdf = s.lights.pdf_surface(point, normal, seen, l->wi);
    EXPECT_NEAR(pdf / l->pdf, 1, 2e-3);
    ++compared;
  }
  EXPECT_GT(compared, 1500);
}

TEST(Lights, AnEnvironmentMapIsSampledByItsDensity) {
  SceneDescription description;
  test::add_rectangle(description, {-1, -1, 0}, {2, 0, 0}, {0, 2, 0}, test::add_diffuse(description, Rgb{0.5f}));
  TextureDescription t;
  t.kind = TextureDescription::Kind::checkerboard;
  t.color0 = Rgb{4.0f};
  t.color1 = Rgb{0.1f};
  description.textures.push_back(t);
  description.environment = EnvironmentDescription{Rgb{1.0f}, 0, rotation({1, 0, 0}, 0.5 * kPiD).linear};
  Diagnostics d;
  const Scene scene(description, {}, d);
  const EnvironmentLight light(*description.environment, scene.state().textures);
  // ∫ pdf = 1 and E[L/pdf] = ∫ L, both against a uniform estimate (1 %: many standard errors at 2^17 samples).
  double mass = 0, uniform = 0, sampled = 0;
  constexpr std::uint32_t kN = 1 << 17;
  for (std::uint32_t i = 0; i < kN; ++i) {
    Sampler s(4, 9, i);
    const Vec3 w = sphere_from_square(s.next2());
    mass += static_cast<double>(light.pdf(w) / kSpherePdf) / kN;
    uniform += static_cast<double>(light.radiance(w).g / kSpherePdf) / kN;
    if (const auto x = light.sample(s.next2())) sampled += static_cast<double>(x->radiance.g / x->pdf) / kN;
  }
  EXPECT_NEAR(mass, 1, 0.01);
  EXPECT_NEAR(sampled / uniform, 1, 0.01);
}

}  // namespace
}  // namespace simulacra
