// SPDX-License-Identifier: Apache-2.0
#include "render/light/light_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "render/sampling/sampler.h"
#include "render/sampling/warp.h"

namespace simulacra {
namespace {

std::vector<LightBounds> scattered(std::uint32_t count) {
  std::vector<LightBounds> lights;
  for (std::uint32_t i = 0; i < count; ++i) {
    Sampler s(11, i, 0);
    const Vec2 a = s.next2(), b = s.next2(), c = s.next2();
    LightBounds l;
    const Vec3 p{10 * a.x - 5, 10 * a.y - 5, 3 * b.x};
    l.box.add(p);
    l.box.add(p + Vec3{0.1f, 0.05f, 0.02f});
    l.axis = sphere_from_square(c);
    l.power = 0.1f + b.y;
    l.two_sided = i % 3 == 0;
    lights.push_back(l);
  }
  return lights;
}

TEST(LightTree, ProbabilitiesOfAllLightsSumToOne) {
  auto lights = scattered(500);
  for (LightBounds& l : lights) l.two_sided = true;
  const LightTree tree(lights);
  for (std::uint32_t k = 0; k < 50; ++k) {
    Sampler s(5, k, 0);
    const Vec2 a = s.next2(), b = s.next2();
    const Vec3 point{12 * a.x - 6, 12 * a.y - 6, 3 * b.x};
    const Vec3 normal = k % 2 == 0 ? Vec3{} : sphere_from_square(s.next2());
    double sum = 0;
    for (std::uint32_t i = 0; i < lights.size(); ++i) sum += static_cast<double>(tree.probability(point, normal, i));
    // A branch in which nothing can contribute gives up its share; with both sides open nothing is lost.
    if (k % 2 == 0) {
      EXPECT_NEAR(sum, 1, 1e-4) << "point " << k;
    } else {
      EXPECT_LE(sum, 1 + 1e-4);
    }
  }
}

TEST(LightTree, PickReportsTheProbabilityItUsed) {
  const auto lights = scattered(200);
  const LightTree tree(lights);
  const Vec3 point{0.3f, -1, 1}, normal{0, 0, 1};
  for (int i = 0; i < 1000; ++i) {
    const auto pick = tree.pick(point, normal, (static_cast<float>(i) + 0.5f) / 1000);
    if (!pick) continue;
    EXPECT_NEAR(pick->probability, tree.probability(point, normal, pick->light), 1e-6f * pick->probability + 1e-9f);
  }
}

// What can contribute must have a chance: brute force over lights in front of and facing the receiver.
TEST(LightTree, NoContributingLightIsLost) {
  const auto lights = scattered(300);
  const LightTree tree(lights);
  for (std::uint32_t k = 0; k < 100; ++k) {
    Sampler s(9, k, 0);
    const Vec2 a = s.next2(), b = s.next2();
    const Vec3 point{12 * a.x - 6, 12 * a.y - 6, 3 * b.x}, normal = sphere_from_square(s.next2());
    for (std::uint32_t i = 0; i < lights.size(); ++i) {
      const Vec3 to_light = lights[i].box.center() - point;
      float facing = -dot(to_light, lights[i].axis);
      if (lights[i].two_sided) facing = std::abs(facing);
      if (dot(to_light, normal) > 1e-3f && facing > 1e-3f) {
        EXPECT_GT(tree.probability(point, normal, i), 0) << "light " << i << " at point " << k;
      }
    }
  }
}

TEST(LightTree, NearAndStrongLightsArePreferred) {
  std::vector<LightBounds> lights(2);
  for (int i = 0; i < 2; ++i) {
    lights[static_cast<std::size_t>(i)].box.add({i == 0 ? 1.0f : -4.0f, 0, 0});
    lights[static_cast<std::size_t>(i)].cos_theta_o = -1;
    lights[static_cast<std::size_t>(i)].power = 1;
  }
  const LightTree tree(lights);
  EXPECT_GT(tree.probability({0, 0, 0}, {}, 0), 0.9f);  // 16 times the irradiance
}

TEST(LightTree, ManyLightsAtOnePlaceStayWithinTheTrail) {
  std::vector<LightBounds> lights(5000);
  for (LightBounds& l : lights) l.box.add({1, 2, 3}), l.power = 1;
  const LightTree tree(lights);
  EXPECT_NEAR(tree.probability({0, 0, 4}, {}, 4321) * 5000, 1, 0.7);
}

}  // namespace
}  // namespace simulacra
