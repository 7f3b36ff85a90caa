// SPDX-License-Identifier: Apache-2.0
#include "render/session/default_view.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/core.h>

namespace simulacra {
namespace {

constexpr double kEyeHeight = 1.5;  // metres above the floor, or 60 % of a lower space
constexpr double kTallest = 30;     // metres; a higher space is no building in metres, and its middle says more
constexpr double kFlattest = 0.15;  // least extent over the largest of what one can stand in

Affine3d look_at(Vec3d eye, Vec3d target) {
  const Vec3d back = normalize(eye - target);
  const Vec3d up = std::abs(back.z) > 0.999 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  const Vec3d right = normalize(cross(up, back));
  return {Mat3d::from_columns(right, cross(back, right), back), eye};
}

/// Share of directions around `p` in which something stands.
double enclosure(const Scene& scene, Vec3d p) {
  int hits = 0, all = 0;
  for (int i = 0; i < 8; ++i)
    for (const double z : {-0.7, 0.0, 0.7}) {
      const double phi = kPiD * (i + 0.5) / 4;
      ++all;
      if (scene.probe(p, {std::cos(phi), std::sin(phi), z})) ++hits;
    }
  return static_cast<double>(hits) / all;
}

struct Score {
  double value = -1;
  bool inside_something = false;
};

/// Deep views of many objects are good; a near wall or a back side is not.
Score score_view(const Scene& scene, const Affine3d& world_from_cam, double size) {
  constexpr int kAcross = 16, kDown = 12;
  double depth = 0;
  int near = 0, back = 0, empty = 0;
  std::set<int> objects;
  for (int r = 0; r < kDown; ++r)
    for (int c = 0; c < kAcross; ++c) {
      const double u = 2 * (c + 0.5) / kAcross - 1, v = 1 - 2 * (r + 0.5) / kDown;
      const auto hit = scene.probe(world_from_cam.translation, world_from_cam.vector({0.577 * u, 0.433 * v, -1}));
      if (!hit) {
        ++empty;
        continue;
      }
      const double d = static_cast<double>(hit->distance_m);
      depth += std::log1p(d / (0.1 * size));
      if (d < 0.05 * size) ++near;
      if (hit->back_side) ++back;
      objects.insert(hit->object);
    }
  const double n = kAcross * kDown;
  Score s;
  s.value = depth / n + 0.05 * std::min<double>(static_cast<double>(objects.size()), 20) - 3.0 * near / n - 2.0 * empty / n;
  s.inside_something = back > 0.5 * n;
  return s;
}

}  // namespace

CameraDescription default_view(const Scene& scene, std::string& why) {
  CameraDescription camera;
  camera.name = "default view";
  const Box3d box = world_box(scene.description());
  const Vec3d size = box.size(), center = box.center();
  const double largest = std::max({size.x, size.y, size.z, 1e-9});
  const double eye_z = box.lo.z + (size.z > kTallest ? 0.45 * size.z : std::min(kEyeHeight, 0.6 * size.z));
  const bool is_flat = std::min({size.x, size.y, size.z}) < kFlattest * largest;

  if (!is_flat && enclosure(scene, {center.x, center.y, eye_z}) > 0.75) {
    double best = -1e9;
    for (int i = 0; i < 25; ++i) {
      const double fx = 0.1 + 0.2 * (i % 5), fy = 0.1 + 0.2 * (i / 5);
      const Vec3d eye{box.lo.x + fx * size.x, box.lo.y + fy * size.y, eye_z};
      if (enclosure(scene, eye) < 0.75) continue;
      for (int k = 0; k < 8; ++k) {
        const double phi = kPiD * k / 4;
        const Affine3d pose = look_at(eye, eye + Vec3d{std::cos(phi), std::sin(phi), -0.12});
        const Score s = score_view(scene, pose, std::hypot(size.x, size.y));
        if (!s.inside_something && s.value > best) best = s.value, camera.world_from_cam = pose;
      }
    }
    if (best > -1e9) {
      const Vec3d p = camera.world_from_cam.translation;
      why = fmt::format("from inside, at ({:.2f}, {:.2f}, {:.2f}) m", p.x, p.y, p.z);
      return camera;
    }
  }
  // From outside: the sphere around the box fills the smaller side of the view.
  const Vec3d direction = normalize(Vec3d{0.55, -0.75, 0.4});
  const double distance = 0.5 * length(size) / std::sin(0.5 * 46.8 / 180 * kPiD);
  camera.world_from_cam = look_at(center + direction * std::max(distance, 1e-6 * largest), center);
  why = fmt::format("the whole scene from outside, {:.3g} m away", distance);
  return camera;
}

}  // namespace simulacra
