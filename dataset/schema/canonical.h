// SPDX-License-Identifier: Apache-2.0
// The pinhole that every reader of the Hypersim format knows: horizontal field of view 60°, no lens shift.
#pragma once

#include <array>
#include <cmath>
#include <string>

#include "dataset/schema/csv.h"
#include "render/base/vec.h"

namespace simulacra {

inline constexpr double kCanonicalFovRad = kPiD / 3;  ///< horizontal
inline constexpr int kCanonicalWidth = 1024, kCanonicalHeight = 768;
/// Share of luminance that tonemap.jpg puts at kToneMapTarget, and the exponent of its gamma.
inline constexpr double kToneMapPercentile = 90, kToneMapTarget = 0.8, kToneMapGamma = 2.2;

/// fx = fy of a centered pinhole, in pixels: 886.81 at 1024.
inline double focal_length_px(int width, double fov_x_rad = kCanonicalFovRad) {
  return 0.5 * width / std::tan(0.5 * fov_x_rad);
}

/// Camera-frame ray (not unit) of (u, v, 1) for a centered pinhole.
Mat3d pinhole_cam_from_uv(int width, int height, double fov_x_rad = kCanonicalFovRad);

using Matrix4 = std::array<std::array<double, 4>, 4>;
/// Clip-space matrix (column vectors, near 1 and far 1000 asset units) that belongs to `cam_from_uv`:
/// the pinhole's own matrix times blockdiag(pinhole_cam_from_uv * inverse(cam_from_uv), 1).
Matrix4 projection_matrix(const Mat3d& cam_from_uv, int width, int height, double fov_x_rad = kCanonicalFovRad);

/// What a scene's row of metadata_camera_parameters.csv says.
struct CameraParameters {
  std::string scene;
  int width = kCanonicalWidth, height = kCanonicalHeight;
  double meters_per_asset_unit = 1;
  double fov_x_rad = kCanonicalFovRad;
  Mat3d cam_from_uv = pinhole_cam_from_uv(kCanonicalWidth, kCanonicalHeight);
};
/// 87 fields, in the order of metadata_camera_parameters_columns(); those of the physical camera are empty.
std::vector<std::string> camera_parameters_row(const CameraParameters& parameters);

}  // namespace simulacra
