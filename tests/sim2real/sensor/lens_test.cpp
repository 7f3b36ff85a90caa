// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/lens.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "render/base/error.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

using test::plane_of;

LensOptions barrel() {
  LensOptions lens;
  lens.k1 = -0.21, lens.k2 = 0.06, lens.k3 = -0.004, lens.p1 = 0.0012, lens.p2 = -0.0008;
  lens.center_offset_px = {3.5, -2};
  return lens;
}

TEST(Lens, UndistortIsTheInverseOfDistortEverywhereInTheImage) {
  for (const double strength : {1.0, -0.6}) {   // barrel and pincushion
    LensOptions lens = barrel();
    lens.k1 *= strength, lens.k2 *= strength;
    const Warp warp = make_warp(lens, 640, 480);
    double worst_px = 0;
    for (double y = 0; y <= 480; y += 12)
      for (double x = 0; x <= 640; x += 16) {
        const Point2 n = warp.picture.normalised({x, y});
        const auto ideal = undistort(lens, n);
        ASSERT_TRUE(ideal) << x << " " << y;
        const Point2 back = warp.picture.pixel(distort(lens, *ideal));
        worst_px = std::max(worst_px, std::hypot(back.x - x, back.y - y));
        const Point2 there = distort(lens, n);
        const auto again = undistort(lens, there);
        ASSERT_TRUE(again);
        worst_px = std::max(worst_px, std::hypot(again->x - n.x, again->y - n.y) * warp.picture.focal_px);
      }
    EXPECT_LT(worst_px, 1e-8);   // the iteration stops at 1e-12 of about 600 px
  }
}

TEST(Lens, AFoldHasNoInverse) {
  LensOptions lens;
  lens.k1 = -0.5;   // r (1 - r^2/2) turns back at r = 0.816, where it is 0.544
  EXPECT_TRUE(undistort(lens, {0.5, 0}));
  EXPECT_NEAR(undistort(lens, {0.5, 0})->x * (1 - 0.5 * std::pow(undistort(lens, {0.5, 0})->x, 2)), 0.5, 1e-12);
  EXPECT_LT(undistort(lens, {0.5, 0})->x, 0.8165);
  EXPECT_FALSE(undistort(lens, {0.56, 0}));
  EXPECT_FALSE(undistort(lens, {0, 0.9}));
}

TEST(Lens, WithoutDistortionEveryPixelShowsItself) {
  const Warp warp = make_warp({}, 5, 4);
  EXPECT_TRUE(warp.identity);
  const Plane color = plane_of(5, 4, 3, [](int r, int c, int k) { return 100 * r + 10 * c + k; });
  EXPECT_EQ(warp_color(color, {}, warp).f, color.f);
  EXPECT_EQ(warp_labels(color, warp).f, color.f);
}

TEST(Lens, LabelsMoveWithTheColors) {
  // Color is affine in the position, so the cubic lookup returns the position that a pixel shows; the label of the nearest
  // pixel lies within half a pixel of it.
  const int width = 160, height = 120;
  const LensOptions lens = barrel();
  const Warp warp = make_warp(lens, width, height);
  const Plane color = plane_of(width, height, 3, [](int r, int c, int k) { return k == 0 ? c + 0.5 : r + 0.5; });
  Plane ids{width, height, 1, {}, {}};
  for (int i = 0; i < width * height; ++i) ids.i.push_back(i);
  const Plane moved = warp_color(color, lens, warp), labels = warp_labels(ids, warp, -7);
  int num_invalid = 0;
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      const std::size_t pixel = labels.at(row, column);
      if (!warp.valid[pixel]) {
        ++num_invalid;
        EXPECT_EQ(labels.i[pixel], -7);
        continue;
      }
      const int id = labels.i[pixel];
      ASSERT_LE(std::abs(static_cast<float>(id % width) + 0.5f - warp.x[pixel]), 0.5001f);
      ASSERT_LE(std::abs(static_cast<float>(id / width) + 0.5f - warp.y[pixel]), 0.5001f);
      const bool interior = warp.x[pixel] > 2 && warp.x[pixel] < width - 2 && warp.y[pixel] > 2 && warp.y[pixel] < height - 2;
      if (!interior) continue;
      ASSERT_NEAR(moved.f[moved.at(row, column, 0)], warp.x[pixel], 1e-3);
      ASSERT_NEAR(moved.f[moved.at(row, column, 1)], warp.y[pixel], 1e-3);
      // The forward map, for boxes and keypoints, leads back.
      const Point2 back = picture_from_render(lens, warp, {static_cast<double>(warp.x[pixel]), static_cast<double>(warp.y[pixel])});
      ASSERT_NEAR(back.x, column + 0.5, 1e-3);
      ASSERT_NEAR(back.y, row + 0.5, 1e-3);
    }
  EXPECT_GT(num_invalid, 100);   // a barrel looks beyond the render
}

TEST(Lens, FloatLabelsAreNotANumberWhereNothingWasRendered) {
  const Warp warp = make_warp(barrel(), 64, 48);
  const Plane depth = warp_labels(test::constant_plane(64, 48, 1, 2), warp);
  for (std::size_t i = 0; i < depth.f.size(); ++i)
    EXPECT_TRUE(warp.valid[i] ? depth.f[i] == 2.0f : std::isnan(depth.f[i]));
}

TEST(Lens, AutomaticZoomIsTheSmallestThatShowsTheRenderAlone) {
  LensOptions lens = barrel();
  lens.zoom = 0;
  const Warp warp = make_warp(lens, 160, 120);
  EXPECT_EQ(std::ranges::count(warp.valid, 0), 0);
  lens.zoom = warp.picture.focal_px / warp.render.focal_px;
  EXPECT_GT(lens.zoom, 1);
  lens.zoom -= 0.003;
  EXPECT_GT(std::ranges::count(make_warp(lens, 160, 120).valid, 0), 0);
}

TEST(Lens, ChromaticAberrationShiftsRedAndBlueByTheirPixelsAtTheCorner) {
  const int width = 200, height = 150;
  LensOptions lens;
  lens.red_px_at_corner = 1.5, lens.blue_px_at_corner = -1;
  const Warp warp = make_warp(lens, width, height);
  const Plane position = plane_of(width, height, 3, [](int, int c, int) { return c + 0.5; });
  const Plane shifted = warp_color(position, lens, warp);
  const int column = 170;
  const double radius_share = (column + 0.5 - 100) / 125;   // the corner is 125 px from the center
  const double green = column + 0.5;
  EXPECT_NEAR(shifted.f[shifted.at(75, column, 0)], green - 1.5 * radius_share, 1e-3);   // red content lies outside
  EXPECT_EQ(shifted.f[shifted.at(75, column, 1)], static_cast<float>(green));
  EXPECT_NEAR(shifted.f[shifted.at(75, column, 2)], green + 1.0 * radius_share, 1e-3);
}

TEST(Lens, FallOffIsCosToTheFourthAndTheLossAtTheCorner) {
  LensOptions lens;
  lens.cos4 = 1, lens.corner_loss = {0.3, 0.2, 0.25};
  const Warp warp = make_warp(lens, 640, 480);
  const double corner = corner_distance_px(warp.picture, 640, 480);
  EXPECT_DOUBLE_EQ(corner, 400);
  EXPECT_DOUBLE_EQ(relative_illumination(lens, warp.picture, corner, {320, 240}, 1), 1);
  const double tangent = 320 / warp.picture.focal_px;
  EXPECT_NEAR(tangent, std::tan(30 * std::numbers::pi / 180), 1e-12);
  EXPECT_NEAR(relative_illumination(lens, warp.picture, corner, {640, 240}, 0), std::pow(std::cos(std::numbers::pi / 6), 4) * (1 - 0.3 * 0.64), 1e-12);
}

TEST(Lens, ImpossibleLensesAreRefused) {
  LensOptions lens;
  lens.fov_x_deg = 120, lens.k1 = -1, lens.zoom = 0;
  EXPECT_NO_THROW(make_warp(lens, 64, 48));   // zoom finds the unfolded middle
  lens.k1 = -3;
  EXPECT_THROW(make_warp(lens, 64, 48), Error);
  lens.zoom = 0.25, lens.k1 = -5, lens.center_offset_px = {400, 400};
  EXPECT_THROW(make_warp(lens, 64, 48), Error);
}

}  // namespace
}  // namespace simulacra::sensor
