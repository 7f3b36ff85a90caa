// SPDX-License-Identifier: Apache-2.0
// Where a lens moves light. Pixel positions have the center of the top left pixel at (0.5, 0.5); normalised positions are
// x/z and y/z of a ray in a frame with x right and y down.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

struct Point2 {
  double x = 0, y = 0;
};

/// Brown-Conrady (Brown 1966, "Decentering distortion of lenses"):
/// p (1 + k1 r^2 + k2 r^4 + k3 r^6) + (2 p1 x y + p2 (r^2 + 2 x^2), p1 (r^2 + 2 y^2) + 2 p2 x y).
Point2 distort(const LensOptions& lens, Point2 ideal);
/// The ideal point that distort() brings there, by Newton's method to 1e-12; nullopt where the polynomial folds the image
/// over itself, so that no point or several arrive.
std::optional<Point2> undistort(const LensOptions& lens, Point2 distorted);

/// Pinhole of an image: position = focal_px * normalised + center.
struct Pinhole {
  double focal_px = 1;
  Point2 center;
  Point2 normalised(Point2 pixel) const { return {(pixel.x - center.x) / focal_px, (pixel.y - center.y) / focal_px}; }
  Point2 pixel(Point2 n) const { return {n.x * focal_px + center.x, n.y * focal_px + center.y}; }
};

/// For each pixel of the picture, the position in the render that it shows.
struct Warp {
  int width = 0, height = 0;
  Pinhole render, picture;          ///< the picture's with the zoom; it needs the distortion beside it
  bool identity = true;             ///< every pixel shows itself
  std::vector<float> x, y;          ///< row major
  std::vector<std::uint8_t> valid;  ///< 1 where the position lies in the render
};

/// Throws Error when nothing of the render can be seen.
Warp make_warp(const LensOptions& lens, int width, int height, const ParallelFor& parallel = serial_for);

/// Where a position in the render comes to lie in the picture: for boxes, keypoints and corners.
Point2 picture_from_render(const LensOptions& lens, const Warp& warp, Point2 in_render);

/// Labels of the picture, each the label of the nearest pixel of the render: nothing is averaged, so ids stay ids. Where the
/// picture shows what was not rendered: NaN or `none`. Values that are positions or motions in pixels move, but do not
/// change here.
Plane warp_labels(const Plane& labels, const Warp& warp, std::int32_t none = -1);

/// Colors of the picture with lateral chromatic aberration: red and blue are looked up nearer to the center by their shift.
/// Cubic interpolation (Catmull and Rom 1974), limited to the range of the four nearest pixels. What was not rendered
/// repeats the border. 3 channels.
Plane warp_color(const Plane& color, const LensOptions& lens, const Warp& warp, const ParallelFor& parallel = serial_for);

/// Light that arrives, relative to the axis: (cos^4)^share * (1 - loss rho^2), rho = 1 at the corner.
double relative_illumination(const LensOptions& lens, const Pinhole& pinhole, double corner_px, Point2 pixel, int channel);
/// Largest distance of an image corner to the principal point.
double corner_distance_px(const Pinhole& pinhole, int width, int height);

}  // namespace simulacra::sensor
