// SPDX-License-Identifier: Apache-2.0
#include "dataset/trajectory/src/sampler.h"

#include <algorithm>
#include <cmath>

namespace simulacra {
namespace {

constexpr int kFloor = 2, kFloorMat = 20;              // NYU40
constexpr double kMaxDownRad = 0.6, kMaxUpRad = 0.3;   // how far a person lowers or raises the head
constexpr double kTargetShare = 0.75;                  // of views look at an object, the others just around
constexpr int kBestOf = 3;
constexpr double kMaxOpenShare = 0.4;                  // of directions without anything: out of doors

bool is_floor(const ObjectDescription& object) { return object.semantic == kFloor || object.semantic == kFloorMat; }

Box3d object_box(const SceneDescription& scene, const ObjectDescription& object) {
  Box3d box;
  if (object.sphere) {
    const Vec3d c = object.world_from_object.point(Vec3d(object.sphere->center));
    const double r = static_cast<double>(object.sphere->radius) *
                     std::cbrt(std::abs(determinant(object.world_from_object.linear)));
    box.add(c - Vec3d{r, r, r});
    box.add(c + Vec3d{r, r, r});
    return box;
  }
  for (const Vec3& p : scene.meshes[static_cast<std::size_t>(object.mesh)].positions)
    box.add(object.world_from_object.point(Vec3d(p)));
  return box;
}

double open_share(const ViewProbe& probe, Vec3d position) {
  constexpr int kDirections = 48;
  int open = 0;
  for (int i = 0; i < kDirections; ++i) open += !probe(position, sphere_direction(i, kDirections));
  return static_cast<double>(open) / kDirections;
}

/// Much to see and far to look is better.
double score(const ViewContent& c) {
  return c.furniture + 0.5 * c.objects + 2 * std::log1p(c.median_m) - 4 * c.largest_share;
}

}  // namespace

double scene_size(const Box3d& box) {
  const Vec3d size = box.size();
  return std::min({size.x, size.y, size.z});
}

ViewSampler::ViewSampler(const ViewRequest& request) : request_(request), box_(world_box(request.scene)) {
  const SceneDescription& scene = request.scene;
  clearance_m_ = std::min(request.options.clearance_m, 0.12 * scene_size(box_));
  has_floor_ = std::any_of(scene.objects.begin(), scene.objects.end(), is_floor);
  for (const ObjectDescription& object : scene.objects) {
    if (object.instance < 1) continue;
    const Box3d box = object_box(scene, object);
    if (!box.empty()) targets_.push_back({box, std::sqrt(length(box.size()))});
  }
}

std::optional<Vec3d> ViewSampler::draw_position(Random& random) {
  const ViewOptions& o = request_.options;
  Vec3d p;
  for (std::size_t k = 0; k < 3; ++k) p[k] = random.between(box_.lo[k], box_.hi[k]);
  const auto down = request_.probe(p, {0, 0, -1}), up = request_.probe(p, {0, 0, 1});
  if (!down || (has_floor_ && !is_floor(request_.scene.objects[static_cast<std::size_t>(down->object)]))) {
    reject(Rejection::no_floor);
    return std::nullopt;
  }
  const double floor_z = p.z - down->distance_m;
  const double room_height = (up ? p.z + up->distance_m : box_.hi.z) - floor_z;
  // In low spaces the eye is in their middle.
  const double lo = std::min(o.min_height_m, 0.45 * room_height), hi = std::min(o.max_height_m, 0.7 * room_height);
  p.z = floor_z + random.between(lo, std::max(lo, hi));
  if (open_share(request_.probe, p) > kMaxOpenShare) {
    reject(Rejection::outside);
    return std::nullopt;
  }
  if (clearance(request_.probe, p) < clearance_m_) {
    reject(Rejection::too_close);
    return std::nullopt;
  }
  if (is_inside_object(request_.scene, request_.probe, p)) {
    reject(Rejection::inside_geometry);
    return std::nullopt;
  }
  return p;
}

Vec3d ViewSampler::draw_target(Random& random, Vec3d eye) const {
  Vec3d way;
  if (!targets_.empty() && random.uniform() < kTargetShare) {
    double sum = 0;
    for (const Target& target : targets_) sum += target.weight;
    double at = random.uniform() * sum;
    std::size_t i = 0;
    while (i + 1 < targets_.size() && (at -= targets_[i].weight) >= 0) ++i;
    const Vec3d center = targets_[i].box.center(), size = targets_[i].box.size();
    for (std::size_t k = 0; k < 3; ++k) way[k] = center[k] + random.between(-0.3, 0.3) * size[k] - eye[k];
  } else {
    const double turn = random.between(0, 2 * kPiD);
    way = {std::cos(turn), std::sin(turn), std::tan(random.between(-0.35, 0.1))};
  }
  const double flat = std::max(std::hypot(way.x, way.y), 1e-3 * (std::abs(way.z) + 1e-9));
  if (way.x == 0 && way.y == 0) way.x = flat;
  way.z = std::clamp(way.z, -std::tan(kMaxDownRad) * flat, std::tan(kMaxUpRad) * flat);
  return eye + way;
}

std::optional<Pose> ViewSampler::find(Random& random) {
  const ViewOptions& o = request_.options;
  const ContentLimits limits = content_limits(o, scene_size(box_));
  std::optional<Pose> best;
  double best_score = 0;
  int found = 0;
  for (int attempt = 0; attempt < o.attempts && found < kBestOf; ++attempt) {
    const std::optional<Vec3d> eye = draw_position(random);
    if (!eye) continue;
    const double roll = random.between(-1, 1) * o.roll_deg * kPiD / 180;
    const Affine3d world_from_cam = looking_at(*eye, draw_target(random, *eye), roll);
    const ViewContent content =
        look(request_.scene, request_.probe, world_from_cam, o.fov_x_deg * kPiD / 180, request_.aspect);
    std::optional<Rejection> reason = judge_content(content, limits);
    if (!reason && request_.judge) reason = request_.judge(world_from_cam);
    if (reason) {
      reject(*reason);
      continue;
    }
    ++found;
    if (best && score(content) <= best_score) continue;
    best_score = score(content);
    best = Pose{world_from_cam, *eye - content.median_m * world_from_cam.linear.column(2), "sampler"};
  }
  return best;
}

}  // namespace simulacra
