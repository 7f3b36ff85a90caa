// SPDX-License-Identifier: Apache-2.0
#include "dataset/generate/src/view_judge.h"

#include <algorithm>
#include <map>

#include "dataset/store/tone_map.h"
#include "render/camera/camera.h"
#include "render/session/session.h"

namespace simulacra {
namespace {

// Few pixels, but many samples: dark corners must not look black for lack of samples.
constexpr int kWidth = 32, kSpp = 32, kMaxDepth = 8;
constexpr double kMaxOneColorShare = 0.25;   // readers allow 0.3 of the whole image
constexpr int kMinRange = 25;                // grey levels; readers ask for 10

std::optional<Rejection> judge(const Frame& frame) {
  std::vector<std::uint8_t> valid;
  for (const std::int32_t id : frame.plane(Label::render_entity_id).i) valid.push_back(id != -1);
  const std::vector<float>& color = frame.plane(Label::color).f;
  const double scale = tone_map_scale(color, valid);
  if (scale == 0) return Rejection::refused;
  const std::vector<std::uint8_t> rgb = tone_mapped(color, scale);
  const auto [lo, hi] = std::minmax_element(rgb.begin(), rgb.end());
  if (*hi - *lo < kMinRange) return Rejection::refused;
  std::map<int, int> pixels_of;
  int most = 0;
  for (std::size_t i = 0; i + 2 < rgb.size(); i += 3)
    most = std::max(most, ++pixels_of[rgb[i] << 16 | rgb[i + 1] << 8 | rgb[i + 2]]);
  if (most > kMaxOneColorShare * static_cast<double>(valid.size())) return Rejection::refused;
  return std::nullopt;
}

}  // namespace

ViewProbe probe_of(const Scene& scene) {
  return [&scene](Vec3d origin, Vec3d direction) -> std::optional<ProbeHit> {
    const auto hit = scene.probe(origin, direction);
    if (!hit) return std::nullopt;
    return ProbeHit{static_cast<double>(hit->distance_m), hit->object, hit->back_side, hit->glass};
  };
}

ViewJudge judge_by_rendering(const Scene& scene, const GenerateOptions& options, int threads,
                             const std::atomic<bool>* cancel) {
  RenderOptions render_options;
  render_options.spp = kSpp;
  render_options.max_depth = kMaxDepth;
  render_options.threads = threads;
  const int height = std::max(1, kWidth * options.dataset.height / options.dataset.width);
  const double fov = options.cameras.fov_x_deg * kPiD / 180;
  return [=, &scene](const Affine3d& world_from_cam) {
    CameraDescription description = Camera::canonical(world_from_cam);
    description.fov_rad = fov;
    return judge(render(scene, Camera(description, kWidth, height), render_options, {{}, cancel}));
  };
}

}  // namespace simulacra
