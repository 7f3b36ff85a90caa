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
