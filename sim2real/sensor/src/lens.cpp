// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "render/base/error.h"

namespace simulacra::sensor {
namespace {

bool has_distortion(const LensOptions& lens) {
  return lens.k1 != 0 || lens.k2 != 0 || lens.k3 != 0 || lens.p1 != 0 || lens.p2 != 0;
}

/// d(r * factor)/dr of the radial part: negative where the image turns back.
double radial_slope(const LensOptions& lens, double r2) {
  return 1 + r2 * (3 * lens.k1 + r2 * (5 * lens.k2 + r2 * 7 * lens.k3));
}

struct Jacobian {
  double xx, xy, yy;  ///< symmetric
  double determinant() const { return xx * yy - xy * xy; }
};

Jacobian jacobian(const LensOptions& lens, Point2 p) {
  const double r2 = p.x * p.x + p.y * p.y;
  const double factor = 1 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3));
  const double slope = 2 * (lens.k1 + r2 * (2 * lens.k2 + r2 * 3 * lens.k3));
  return {factor + p.x * p.x * slope + 2 * lens.p1 * p.y + 6 * lens.p2 * p.x,
          p.x * p.y * slope + 2 * lens.p1 * p.x + 2 * lens.p2 * p.y,
          factor + p.y * p.y * slope + 6 * lens.p1 * p.y + 2 * lens.p2 * p.x};
}

/// No fold lies between the axis and p.
bool unfolded(const LensOptions& lens, Point2 p) {
  const double r2 = p.x * p.x + p.y * p.y;
  for (int i = 1; i <= 16; ++i)
    if (radial_slope(lens, r2 * i * i / 256) <= 0) return false;
  return jacobian(lens, p).determinant() > 0;
}

std::optional<Point2> source_of(const LensOptions& lens, const Warp& warp, Point2 pixel) {
  const auto ideal = undistort(lens, warp.picture.normalised(pixel));
  if (!ideal) return std::nullopt;
  return warp.render.pixel(*ideal);
}

bool inside(const Warp& warp, Point2 p) { return p.x >= 0 && p.y >= 0 && p.x < warp.width && p.y < warp.height; }

bool border_is_inside(const LensOptions& lens, Warp& warp, double zoom) {
  warp.picture.focal_px = warp.render.focal_px * zoom;
  const auto good = [&](double x, double y) {
    const auto source = source_of(lens, warp, {x, y});
    return source && inside(warp, *source);
  };
  for (int column = 0; column < warp.width; ++column)
    if (!good(column + 0.5, 0.5) || !good(column + 0.5, warp.height - 0.5)) return false;
  for (int row = 0; row < warp.height; ++row)
    if (!good(0.5, row + 0.5) || !good(warp.width - 0.5, row + 0.5)) return false;
  return true;
}

/// By bisection between a quarter and eight, to 1e-4.
double smallest_zoom(const LensOptions& lens, Warp warp) {
  double lo = 0.25, hi = 8;
  if (!border_is_inside(lens, warp, hi)) fail("the lens distortion is so strong that no zoom up to 8 shows the render alone");
  while (hi - lo > 1e-4) {
    const double middle = 0.5 * (lo + hi);
    (border_is_inside(lens, warp, middle) ? hi : lo) = middle;
  }
  return hi;
}

/// Weights of Catmull and Rom for the samples at -1, 0, 1, 2.
void cubic_weights(float t, float* w) {
  w[0] = t * (-0.5f + t * (1 - 0.5f * t));
  w[1] = 1 + t * t * (-2.5f + 1.5f * t);
  w[2] = t * (0.5f + t * (2 - 1.5f * t));
  w[3] = t * t * (-0.5f + 0.5f * t);
}

float cubic_lookup(const Plane& image, double x, double y, int channel) {
  const double column = std::clamp(x - 0.5, 0.0, image.width - 1.0), row = std::clamp(y - 0.5, 0.0, image.height - 1.0);
  const int c0 = static_cast<int>(column), r0 = static_cast<int>(row);
  float wx[4], wy[4];
  cubic_weights(static_cast<float>(column - c0), wx);
  cubic_weights(static_cast<float>(row - r0), wy);
  float sum = 0, lo = std::numeric_limits<float>::max(), hi = std::numeric_limits<float>::lowest();
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      const int r = std::clamp(r0 + j - 1, 0, image.height - 1), c = std::clamp(c0 + i - 1, 0, image.width - 1);
      const float value = image.f[image.at(r, c, channel)];
      sum += wy[j] * wx[i] * value;
      const bool nearest = (i == 1 || i == 2) && (j == 1 || j == 2);
      if (nearest) lo = std::min(lo, value), hi = std::max(hi, value);
    }
  return std::clamp(sum, lo, hi);
}

}  // namespace

Point2 distort(const LensOptions& lens, Point2 p) {
  const double r2 = p.x * p.x + p.y * p.y;
  const double factor = 1 + r2 * (lens.k1 + r2 * (lens.k2 + r2 * lens.k3));
  return {p.x * factor + 2 * lens.p1 * p.x * p.y + lens.p2 * (r2 + 2 * p.x * p.x),
          p.y * factor + lens.p1 * (r2 + 2 * p.y * p.y) + 2 * lens.p2 * p.x * p.y};
}

std::optional<Point2> undistort(const LensOptions& lens, Point2 distorted) {
  Point2 p = distorted;
  for (int i = 0; i < 50; ++i) {
    const Point2 at = distort(lens, p);
    const double ex = at.x - distorted.x, ey = at.y - distorted.y;
    if (std::abs(ex) + std::abs(ey) < 1e-12) return unfolded(lens, p) ? std::optional(p) : std::nullopt;
    const Jacobian j = jacobian(lens, p);
    const double determinant = j.determinant();
    if (!(std::abs(determinant) > 1e-12)) return std::nullopt;
    p.x -= (j.yy * ex - j.xy * ey) / determinant;
    p.y -= (j.xx * ey - j.xy * ex) / determinant;
  }
  return std::nullopt;
}

Warp make_warp(const LensOptions& lens, int width, int height, const ParallelFor& parallel) {
  SIM_CHECK(width > 0 && height > 0);
  Warp warp;
  warp.width = width, warp.height = height;
  warp.render.focal_px = 0.5 * width / std::tan(lens.fov_x_deg * std::numbers::pi / 360);
  warp.render.center = {0.5 * width + lens.center_offset_px[0], 0.5 * height + lens.center_offset_px[1]};
  warp.picture = warp.render;
  const double zoom = lens.zoom > 0 ? lens.zoom : has_distortion(lens) ? smallest_zoom(lens, warp) : 1;
  warp.picture.focal_px = warp.render.focal_px * zoom;
  warp.identity = !has_distortion(lens) && zoom == 1;

  const std::size_t count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  warp.x.resize(count), warp.y.resize(count), warp.valid.resize(count);
  parallel(static_cast<std::size_t>(height), [&](std::size_t row) {
    for (std::size_t column = 0; column < static_cast<std::size_t>(width); ++column) {
      const std::size_t i = row * static_cast<std::size_t>(width) + column;
      const Point2 pixel{static_cast<double>(column) + 0.5, static_cast<double>(row) + 0.5};
      const auto source = warp.identity ? std::optional(pixel) : source_of(lens, warp, pixel);
      warp.valid[i] = source && inside(warp, *source);
      warp.x[i] = static_cast<float>(source ? source->x : pixel.x);
      warp.y[i] = static_cast<float>(source ? source->y : pixel.y);
    }
  });
  if (std::ranges::count(warp.valid, 1) == 0) fail("the lens shows nothing of a render of {} x {} pixels", width, height);
  return warp;
}

Point2 picture_from_render(const LensOptions& lens, const Warp& warp, Point2 in_render) {
  return warp.picture.pixel(distort(lens, warp.render.normalised(in_render)));
}

Plane warp_labels(const Plane& labels, const Warp& warp, std::int32_t none) {
  SIM_CHECK(labels.width == warp.width && labels.height == warp.height);
  Plane out{labels.width, labels.height, labels.channels, {}, {}};
  out.f.assign(labels.f.size(), std::numeric_limits<float>::quiet_NaN());
  out.i.assign(labels.i.size(), none);
  for (int row = 0; row < warp.height; ++row)
    for (int column = 0; column < warp.width; ++column) {
      const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(warp.width) + static_cast<std::size_t>(column);
      if (!warp.valid[pixel]) continue;
      const int r = std::min(static_cast<int>(warp.y[pixel]), warp.height - 1), c = std::min(static_cast<int>(warp.x[pixel]), warp.width - 1);
      for (int channel = 0; channel < labels.channels; ++channel) {
        if (!labels.f.empty()) out.f[out.at(row, column, channel)] = labels.f[labels.at(r, c, channel)];
        if (!labels.i.empty()) out.i[out.at(row, column, channel)] = labels.i[labels.at(r, c, channel)];
      }
    }
  return out;
}

Plane warp_color(const Plane& color, const LensOptions& lens, const Warp& warp, const ParallelFor& parallel) {
  SIM_CHECK(color.channels == 3 && color.width == warp.width && color.height == warp.height);
  const double corner = corner_distance_px(warp.render, warp.width, warp.height);
  const double shrink[3] = {1 - lens.red_px_at_corner / corner, 1, 1 - lens.blue_px_at_corner / corner};
  Plane out{color.width, color.height, 3, std::vector<float>(color.f.size()), {}};
  parallel(static_cast<std::size_t>(warp.height), [&](std::size_t r) {
    const int row = static_cast<int>(r);
    for (int column = 0; column < warp.width; ++column) {
      const std::size_t pixel = color.at(row, column) / 3;
      for (int channel = 0; channel < 3; ++channel) {
        if (warp.identity && shrink[channel] == 1) {
          out.f[out.at(row, column, channel)] = color.f[color.at(row, column, channel)];
          continue;
        }
        const Point2 c = warp.render.center;
        out.f[out.at(row, column, channel)] = cubic_lookup(color, c.x + (static_cast<double>(warp.x[pixel]) - c.x) * shrink[channel],
                                                           c.y + (static_cast<double>(warp.y[pixel]) - c.y) * shrink[channel], channel);
      }
    }
  });
  return out;
}

double relative_illumination(const LensOptions& lens, const Pinhole& pinhole, double corner_px, Point2 pixel, int channel) {
  const Point2 n = pinhole.normalised(pixel);
  const double dx = pixel.x - pinhole.center.x, dy = pixel.y - pinhole.center.y;
  const double cos2 = 1 / (1 + n.x * n.x + n.y * n.y), rho2 = (dx * dx + dy * dy) / (corner_px * corner_px);
  return std::pow(cos2, 2 * lens.cos4) * (1 - lens.corner_loss[static_cast<std::size_t>(channel)] * rho2);
}

double corner_distance_px(const Pinhole& pinhole, int width, int height) {
  const double x = std::max(pinhole.center.x, width - pinhole.center.x), y = std::max(pinhole.center.y, height - pinhole.center.y);
  return std::hypot(x, y);
}

}  // namespace simulacra::sensor
