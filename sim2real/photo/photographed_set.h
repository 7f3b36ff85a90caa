// SPDX-License-Identifier: Apache-2.0
// A data set as a camera would have taken it: a copy whose color is made of photographs of the source's color. Where the lens
// moves pixels, every label moves with them.
//
//  - color: the photograph's display values d become radiance w d^2.2, where w is the radiance that the camera shows as white; so
//    a reader's tone map (gamma 2.2, see dataset/store/tone_map.h) shows the photograph up to its own exposure.
//  - The split stays exact: see dataset/derive/light.h.
//  - pictures/SCENE_CAMERA_FRAME.png at the copy's root are the photographs themselves.
//  - With a depth sensor: frame.IIII.depth_planar_measured_meters.hdf5 beside the exact labels, float32, NaN where nothing was
//    measured.
//  - label_source.hdf5 of each scene says where labels come from, when they moved: see label_source_path().
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "dataset/frames/frame_index.h"
#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/camera.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sim2real {

/// HDF5 file suffix of what the depth sensor gives.
inline constexpr const char* kMeasuredDepth = "depth_planar_measured_meters";
inline constexpr const char* kPhotographs = "pictures";

struct PhotoRequest {
  std::filesystem::path out;
  std::string version{};                                  ///< of the program
  std::string config{};                                   ///< sensor.yaml of the copy
  bool pictures = true;
  ParallelFor parallel = serial_for;                      ///< within a picture
  std::function<void(double share)> progress{};
};

/// Writes the copy; nothing is left of a failure. The same data set, sensor and seed give the same files. The lens' field of
/// view is the data set's, whatever sensor.camera.lens.fov_x_deg says. Returns the number of frames.
/// Throws UsageError when there is no frame with color, depth is asked for and absent, the source's lens has moved pixels
/// already, or `out` cannot be used.
std::size_t photograph_set(const FrameIndex& source, const sensor::SensorOptions& sensor, const PhotoRequest& request);

/// Color of a frame as a camera takes it: 3 channels, not negative; what is no number is 0.
Plane radiance_of(const Frame& frame);
/// Horizontal angle of the pinhole whose rays are cam_from_uv (u, v, 1), u and v in -1 .. 1.
double fov_x_deg(const Mat3d& cam_from_uv);
/// The camera with the data set's field of view and, where it has none, without blur by depth.
sensor::CameraOptions camera_of(const sensor::SensorOptions& sensor, const Mat3d& cam_from_uv);
/// The radiance that the camera shows as white in this picture.
double white_radiance(const sensor::CameraOptions& camera, const sensor::Photograph& photo);

}  // namespace simulacra::sim2real
