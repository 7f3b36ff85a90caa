// SPDX-License-Identifier: Apache-2.0
#include "dataset/trajectory/src/variations.h"

#include <algorithm>
#include <cmath>

#include "dataset/trajectory/src/limits.h"
#include "dataset/trajectory/src/sampler.h"

namespace simulacra {
namespace {

constexpr int kTries = 60;

struct Change {
  Vec3d step_in_cam;           ///< -1..1 per axis
  double yaw, pitch;           ///< -1..1
};

Change draw_change(Random& random) {
  const auto number = [&] { return random.between(-1, 1); };
  Change change;
  change.step_in_cam = {number(), number(), number()};
  change.yaw = number();
  change.pitch = number();
  return change;
}

/// The pose turned about the world's vertical and its own horizontal axis, and moved.
Affine3d changed(const Affine3d& base, const Change& change, double step_m, double angle_rad) {
  const Mat3d yaw = rotation({0, 0, 1}, change.yaw * angle_rad).linear;
  const Mat3d pitch = rotation({1, 0, 0}, 0.5 * change.pitch * angle_rad).linear;
  Affine3d moved;
  moved.linear = yaw * base.linear * pitch;
  const Vec3d step{change.step_in_cam.x, 0.4 * change.step_in_cam.y, change.step_in_cam.z};
  moved.translation = base.translation + base.linear * (step_m * step);
  return moved;
}

bool is_free_way(const ViewProbe& probe, Vec3d from, Vec3d to, double margin_m) {
  const Vec3d way = to - from;
  const double distance = length(way);
  if (distance == 0) return true;
  const auto hit = probe(from, way);
  return !hit || hit->distance_m > distance + margin_m;
}

}  // namespace

Pose vary(const ViewRequest& request, const Pose& base, Random& random, RejectionCounts& rejections) {
  const ViewOptions& o = request.options;
  const double fov = o.fov_x_deg * kPiD / 180;
  const double size = scene_size(world_box(request.scene));
  const Vec3d eye = base.world_from_cam.translation;
  const ViewContent content = look(request.scene, request.probe, base.world_from_cam, fov, request.aspect);
  const ContentLimits limits = relaxed(content_limits(o, size), content);
  const double base_clearance = clearance(request.probe, eye);
  const double min_clearance = std::min(0.5 * base_clearance, std::min(o.clearance_m, 0.12 * size));
  const double scale = std::min(1.0, size / 4);   // small scenes: small steps

  // A scene that is dark or bright everywhere is so by intent.
  const bool judged = request.judge && !request.judge(base.world_from_cam);

  for (int i = 0; i < kTries; ++i) {
    const double strength = 1 - static_cast<double>(i) / kTries;
    const Affine3d pose = changed(base.world_from_cam, draw_change(random), strength * scale * o.variation_m,
                                  strength * o.variation_deg * kPiD / 180);
    std::optional<Rejection> reason;
    if (pose.linear(2, 1) < 0) reason = Rejection::upside_down;
    else if (!is_free_way(request.probe, eye, pose.translation, min_clearance)) reason = Rejection::blocked;
    else if (clearance(request.probe, pose.translation) < min_clearance) reason = Rejection::too_close;
    if (!reason)
      reason = judge_content(look(request.scene, request.probe, pose, fov, request.aspect), limits);
    if (!reason && judged) reason = request.judge(pose);
    if (!reason) {
      const double ahead = content.median_m > 0 ? content.median_m : 1;
      return {pose, pose.translation - ahead * pose.linear.column(2), base.origin + ", varied"};
    }
    ++rejections[*reason];
  }
  // Nothing near it is as good as the pose itself.
  Pose same = base;
  same.origin += ", repeated";
  return same;
}

}  // namespace simulacra
