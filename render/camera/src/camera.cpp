// SPDX-License-Identifier: Apache-2.0
#include "render/camera/camera.h"

#include <cmath>

#include "render/base/error.h"
#include "render/sampling/warp.h"

namespace simulacra {
namespace {

/// tan of half the horizontal field of view for a film of the given aspect (width / height).
double tan_half_fov_x(const CameraDescription& d, double aspect) {
  const double t = std::tan(0.5 * d.fov_rad);
  using Axis = CameraDescription::FovAxis;
  switch (d.fov_axis) {
    case Axis::x: return t;
    case Axis::y: return t * aspect;
    case Axis::diagonal: return t * aspect / std::sqrt(1 + aspect * aspect);
    case Axis::smaller: return aspect > 1 ? t * aspect : t;
    case Axis::larger: return aspect > 1 ? t : t * aspect;
  }
  return t;
}

bool is_rigid(const Mat3d& r) {
  const Mat3d rtr = transpose(r) * r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (!(std::abs(rtr(i, j) - (i == j ? 1.0 : 0.0)) < 1e-5)) return false;
  return determinant(r) > 0;
}

}  // namespace

Camera::Camera(const CameraDescription& d, int width, int height)
    : width_(width),
      height_(height),
      world_from_cam_(d.world_from_cam),
      aperture_radius_(d.aperture_radius_m),
      focus_distance_(d.focus_distance_m),
      orthographic_height_(d.orthographic_height_m),
      aspect_(static_cast<double>(width) / height) {
  if (width < 1 || height < 1 || width > 32768 || height > 32768)
    fail_usage("camera '{}': size {}x{}, expected 1 to 32768 pixels a side", d.name, width, height);
  if (!orthographic_height_ && !(d.fov_rad > 0 && d.fov_rad < kPiD))
    fail_usage("camera '{}': field of view {:g} degrees, expected more than 0 and less than 180", d.name,
               d.fov_rad * 180 / kPiD);
  if (!is_rigid(world_from_cam_.linear) || !is_finite(world_from_cam_.translation))
    fail_usage("camera '{}': its pose is no rotation and finite position", d.name);
  const double tx = tan_half_fov_x(d, aspect_), ty = tx / aspect_;
  const double sx = d.mirror_x ? -tx : tx;
  cam_from_uv_ = {};
  cam_from_uv_.m = {{{sx, 0, -2 * d.principal_offset.x * sx}, {0, ty, 2 * d.principal_offset.y * ty}, {0, 0, -1}}};
}

CameraDescription Camera::canonical(const Affine3d& world_from_cam) {
  CameraDescription d;
  d.world_from_cam = world_from_cam;
  return d;
}

Ray Camera::ray(Vec2d pixel, Vec2 lens) const {
  const double u = 2 * pixel.x / width_ - 1, v = 1 - 2 * pixel.y / height_;
  Vec3d origin{}, direction{0, 0, -1};
  if (orthographic_height_) {
    const double half = 0.5 * *orthographic_height_;
    origin = {u * half * aspect_, v * half, 0};
  } else {
    direction = cam_from_uv_ * Vec3d{u, v, 1};
    if (aperture_radius_ > 0) {
      // The plane of focus lies at focus_distance along the axis; direction.z is -1.
      const Vec3d focus = direction * focus_distance_;
      const Vec2 disk = disk_from_square(lens);
      origin = {aperture_radius_ * static_cast<double>(disk.x), aperture_radius_ * static_cast<double>(disk.y), 0};
      direction = focus - origin;
    }
  }
  return {Vec3(world_from_cam_.point(origin)), Vec3(normalize(world_from_cam_.vector(direction)))};
}

Ray Camera::center_ray(int column, int row) const { return ray({column + 0.5, row + 0.5}, {0.5f, 0.5f}); }

std::optional<Vec2d> Camera::project(Vec3d p_in_world) const {
  const Vec3d p = transpose(world_from_cam_.linear) * (p_in_world - world_from_cam_.translation);
  if (!(p.z < 0)) return std::nullopt;
  Vec2d uv;
  if (orthographic_height_) {
    const double half = 0.5 * *orthographic_height_;
    uv = {p.x / (half * aspect_), p.y / half};
  } else {
    const Vec3d h = inverse(cam_from_uv_) * (p * (-1.0 / p.z));
    uv = {h.x / h.z, h.y / h.z};
  }
  return Vec2d{(uv.x + 1) * 0.5 * width_, (1 - uv.y) * 0.5 * height_};
}

}  // namespace simulacra
