// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dataset/trajectory/views.h"

namespace simulacra {
namespace {

constexpr int kAcross = 32, kDown = 24;   // rays of the grid
constexpr double kNearM = 0.1;

}  // namespace

ViewContent look(const SceneDescription& scene, const ViewProbe& probe, const Affine3d& world_from_cam,
                 double fov_x_rad, double aspect) {
  const double half_width = std::tan(0.5 * fov_x_rad), half_height = half_width / aspect;
  std::map<int, int> rays_of;
  std::vector<double> distances;
  int near = 0;
  for (int row = 0; row < kDown; ++row)
    for (int column = 0; column < kAcross; ++column) {
      const double u = 2 * (column + 0.5) / kAcross - 1, v = 1 - 2 * (row + 0.5) / kDown;
      const auto hit =
          probe(world_from_cam.translation, world_from_cam.vector({u * half_width, v * half_height, -1}));
      if (!hit) continue;
      ++rays_of[hit->object];
      distances.push_back(hit->distance_m);
      near += hit->distance_m < kNearM;
    }
  constexpr double all = kAcross * kDown;
  ViewContent content;
  content.empty_share = 1 - static_cast<double>(distances.size()) / all;
  content.near_share = near / all;
  for (const auto& [object, rays] : rays_of) {
    content.largest_share = std::max(content.largest_share, rays / all);
    if (rays < 2) continue;
    ++content.objects;
    content.furniture += scene.objects[static_cast<std::size_t>(object)].instance > 0;
  }
  if (distances.empty()) return content;
  std::sort(distances.begin(), distances.end());
  content.depth_range_m = distances.back() - distances.front();
  content.median_m = distances[distances.size() / 2];
  return content;
}

std::string_view name_of(Rejection reason) {
  switch (reason) {
    case Rejection::no_floor: return "not above a floor";
    case Rejection::outside: return "outside of the rooms";
    case Rejection::too_close: return "too close to geometry";
    case Rejection::inside_geometry: return "inside an object";
    case Rejection::blocked: return "blocked by something near";
    case Rejection::blank: return "blank (few objects, or one that fills the view)";
    case Rejection::emptiness: return "too much emptiness in view";
    case Rejection::flat: return "too little depth";
    case Rejection::refused: return "too dark, too bright or one color";
    case Rejection::upside_down: return "upside down";
  }
  return "";
}

}  // namespace simulacra
