// SPDX-License-Identifier: Apache-2.0
#include "dataset/trajectory/views.h"

#include <array>
#include <cmath>

#include "dataset/trajectory/src/sampler.h"
#include "dataset/trajectory/src/variations.h"
#include "render/base/error.h"
#include "render/base/log.h"

namespace simulacra {
namespace {

constexpr std::array<std::string_view, 4> kSources = {"auto", "poses", "scene", "sampler"};

Vec3d vector_of(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

/// Poses that were given for one camera, from wherever.
using GivenPoses = std::vector<Pose>;

std::vector<GivenPoses> poses_from_options(const ViewOptions& o) {
  std::vector<GivenPoses> cameras(static_cast<std::size_t>(o.count));
  for (std::size_t i = 0; i < o.poses.size(); ++i) {
    const PoseOptions& p = o.poses[i];
    const Vec3d eye = vector_of(p.position), target = vector_of(p.look_at);
    cameras[static_cast<std::size_t>(p.camera)].push_back({looking_at(eye, target), target, fmt::format("pose {}", i)});
  }
  return cameras;
}

/// The nearest rotation that keeps the viewing axis: files hold matrices of few digits.
Mat3d orthonormal(const Mat3d& m) {
  const Vec3d z = normalize(m.column(2)), x = normalize(cross(m.column(1), z));
  return Mat3d::from_columns(x, cross(z, x), z);
}

std::vector<GivenPoses> poses_from_scene(const ViewRequest& request) {
  const std::size_t count = static_cast<std::size_t>(request.options.count);
  std::vector<GivenPoses> cameras(count);
  for (std::size_t i = 0; i < request.scene.cameras.size() && i < count; ++i) {
    const CameraDescription& camera = request.scene.cameras[i];
    const Affine3d pose{orthonormal(camera.world_from_cam.linear), camera.world_from_cam.translation};
    if (pose.linear(2, 1) < -1e-6)
      fail("{}: camera '{}' stands on its head, which the format's readers do not expect; give cameras.poses",
           request.scene.name, camera.name);
    const ViewContent content = look(request.scene, request.probe, pose, request.options.fov_x_deg * kPiD / 180,
                                     request.aspect);
    const double ahead = content.median_m > 0 ? content.median_m : 1;
    cameras[i].push_back({pose, pose.translation - ahead * pose.linear.column(2),
                          fmt::format("scene camera {}", camera.name.empty() ? std::to_string(i) : camera.name)});
  }
  return cameras;
}

std::vector<GivenPoses> given_poses(const ViewRequest& request) {
  const ViewOptions& o = request.options;
  if (o.from == "scene" && request.scene.cameras.empty())
    fail_usage("cameras.from: 'scene', but {} has no camera; use sampler or poses", request.scene.name);
  if (o.from == "poses" || (o.from == "auto" && !o.poses.empty())) return poses_from_options(o);
  if (o.from != "sampler") return poses_from_scene(request);
  return std::vector<GivenPoses>(static_cast<std::size_t>(o.count));
}

std::string counts_as_text(const RejectionCounts& counts) {
  std::string text;
  for (const auto& [reason, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(reason));
  return text;
}

Random stream(const ViewRequest& request, std::size_t camera, int frame) {
  const std::array<std::uint64_t, 3> parts{request.seed, camera, static_cast<std::uint64_t>(frame)};
  return Random(mix_seed(parts));
}

std::vector<Pose> sampled(const ViewRequest& request, std::size_t camera) {
  ViewSampler sampler(request);
  std::vector<Pose> poses;
  for (int frame = 0; frame < request.options.frames; ++frame) {
    Random random = stream(request, camera, frame);
    const std::optional<Pose> pose = sampler.find(random);
    if (!pose)
      fail("{}: found {} of {} views in {} tries each; turned down: {}. Give cameras.poses, or allow more by "
           "cameras.attempts, cameras.clearance_m, cameras.min_objects or cameras.max_empty_share",
           request.scene.name, poses.size(), request.options.frames, request.options.attempts,
           counts_as_text(sampler.rejections()));
    poses.push_back(*pose);
  }
  return poses;
}

std::vector<Pose> from_given(const ViewRequest& request, const GivenPoses& given, std::size_t camera) {
  std::vector<Pose> poses;
  RejectionCounts rejections;
  int repeated = 0;
  for (int frame = 0; frame < request.options.frames; ++frame) {
    const std::size_t i = static_cast<std::size_t>(frame);
    if (i < given.size()) {
      poses.push_back(given[i]);
      continue;
    }
    Random random = stream(request, camera, frame);
    poses.push_back(vary(request, given[i % given.size()], random, rejections));
    repeated += poses.back().origin.ends_with("repeated");
  }
  if (repeated > 0)
    log_warning("{}: {} frames of camera {} repeat their pose, since nothing near it is as good; turned down: {}",
                request.scene.name, repeated, camera, counts_as_text(rejections));
  return poses;
}

}  // namespace

void fields(config::Fields& f, PoseOptions& o) {
  f.field("position", o.position, "of the camera, metres in the world frame (z up)", 3);
  f.field("look_at", o.look_at, "a point it looks at", 3);
  f.field("camera", o.camera, "which of the scene's cameras the pose belongs to", {0, 99});
}

void fields(config::Fields& f, ViewOptions& o) {
  f.field("count", o.count, "cameras per scene", {1, 100});
  f.field("frames", o.frames, "frames per camera", {1, 10000});
  f.field("from", o.from, "where poses come from; auto: poses, else the scene's cameras, else the sampler", kSources);
  f.list("poses", o.poses, "poses to look from, in the order of frames");
  f.field("fov_x_deg", o.fov_x_deg, "horizontal field of view; readers of the format expect 60", {5, 150});
  f.field("min_height_m", o.min_height_m, "sampler: least height of the eye above the floor", {0.01, 100});
  f.field("max_height_m", o.max_height_m, "sampler: greatest height of the eye above the floor", {0.01, 100});
  f.field("clearance_m", o.clearance_m, "sampler: distance to the nearest surface", {0, 10});
  f.field("roll_deg", o.roll_deg, "sampler: largest roll", {0, 45});
  f.field("attempts", o.attempts, "sampler: tries per view", {1, 1000000});
  f.field("variation_m", o.variation_m, "frames beyond the given poses: largest step away from them", {0, 10});
  f.field("variation_deg", o.variation_deg, "frames beyond the given poses: largest turn away from them", {0, 90});
  f.field("max_empty_share", o.max_empty_share, "share of a view that may show nothing", {0, 1});
  f.field("max_object_share", o.max_object_share, "share of a view that one object may fill", {0, 1});
  f.field("min_depth_range_m", o.min_depth_range_m, "least difference between nearest and farthest point", {0, 1000});
  f.field("min_objects", o.min_objects, "least number of objects in view", {1, 1000});
}

void check_view_options(const ViewOptions& o) {
  if (o.min_height_m > o.max_height_m)
    fail_usage("cameras.min_height_m: {} is above cameras.max_height_m {}", o.min_height_m, o.max_height_m);
  if (o.from == "poses" && o.poses.empty()) fail_usage("cameras.from: 'poses', but cameras.poses is empty");
  for (std::size_t i = 0; i < o.poses.size(); ++i) {
    const PoseOptions& p = o.poses[i];
    if (p.position.size() != 3) fail_usage("cameras.poses[{}].position: missing; expected [x, y, z] in metres", i);
    if (p.look_at.size() != 3) fail_usage("cameras.poses[{}].look_at: missing; expected [x, y, z] in metres", i);
    if (p.position == p.look_at) fail_usage("cameras.poses[{}]: position and look_at are the same point", i);
    if (p.camera >= o.count)
      fail_usage("cameras.poses[{}].camera: {}, but there are {} cameras (cameras.count), numbered from 0", i, p.camera,
                 o.count);
  }
}

Affine3d looking_at(Vec3d eye, Vec3d target, double roll_rad) {
  const Vec3d z = normalize(eye - target);
  const Vec3d up = std::abs(z.z) > 0.9999 ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
  const Vec3d x = normalize(cross(up, z));
  const Mat3d upright = Mat3d::from_columns(x, cross(z, x), z);
  return {upright * rotation({0, 0, 1}, roll_rad).linear, eye};
}

std::vector<std::vector<Pose>> make_views(const ViewRequest& request) {
  const ViewOptions& o = request.options;
  check_view_options(o);
  const std::vector<GivenPoses> given = given_poses(request);
  std::vector<std::vector<Pose>> cameras;
  for (std::size_t camera = 0; camera < given.size(); ++camera)
    cameras.push_back(given[camera].empty() ? sampled(request, camera) : from_given(request, given[camera], camera));
  return cameras;
}

}  // namespace simulacra
