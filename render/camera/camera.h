// SPDX-License-Identifier: Apache-2.0
// Pixel grid: pixel (column c, row r) covers [c, c+1) x [r, r+1), row 0 on top; its center is at +0.5.
// uv of a point (x, y) in pixels: u = 2x/W - 1, v = 1 - 2y/H (v up). Camera frame: +x right, +y up, looks along -z.
#pragma once

#include <optional>

#include "render/base/vec.h"
#include "render/description/description.h"

namespace simulacra {

struct Ray {
  Vec3 origin;
  Vec3 direction;          ///< unit
  float t_min = 0;
  float t_max = INFINITY;
};

/// A camera of a given film size: perspective (with optional thin lens) or orthographic.
class Camera {
 public:
  /// Throws UsageError when the description makes no camera (size, field of view, degenerate pose).
  Camera(const CameraDescription& description, int width, int height);

  /// The canonical pinhole of the Hypersim format: fov_x 60°.
  static CameraDescription canonical(const Affine3d& world_from_cam);

  int width() const { return width_; }
  int height() const { return height_; }
  const Affine3d& world_from_cam() const { return world_from_cam_; }
  Vec3d position() const { return world_from_cam_.translation; }
  /// Camera-frame ray direction (not unit) of uv: cam_from_uv * (u, v, 1). Canonical: diag(0.57735, 0.43301, -1).
  const Mat3d& cam_from_uv() const { return cam_from_uv_; }
  bool has_lens() const { return aperture_radius_ > 0; }

  /// World-frame ray through a film point in pixels; `lens` in [0,1)² is used by a thin lens only.
  Ray ray(Vec2d pixel, Vec2 lens) const;
  /// The ray through a pixel's center and the lens's center: labels are measured along it.
  Ray center_ray(int column, int row) const;
  /// Film point in pixels of a world point in front of the camera.
  std::optional<Vec2d> project(Vec3d p_in_world) const;

 private:
  int width_, height_;
  Affine3d world_from_cam_;
  Mat3d cam_from_uv_;
  double aperture_radius_, focus_distance_;
  std::optional<double> orthographic_height_;
  double aspect_;
};

}  // namespace simulacra
