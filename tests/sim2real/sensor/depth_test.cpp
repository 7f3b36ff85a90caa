// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/depth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "render/base/error.h"
#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

using test::constant_plane;
using test::plane_of;

constexpr int kWidth = 120, kHeight = 90;

/// A box at 1 m before a wall at 3 m.
bool on_box(int row, int column) { return row >= 30 && row < 60 && column >= 50 && column < 80; }
Plane box_scene() {
  return plane_of(kWidth, kHeight, 1, [](int r, int c, int) { return on_box(r, c) ? 1 : 3; });
}

DepthOptions of_kind(const char* kind) {
  DepthOptions options;
  options.kind = kind;
  options.step_m = 0;
  return options;
}

TEST(Depth, PlanesOfAnySlantHaveNoEdges) {
  const Plane slanted = plane_of(kWidth, kHeight, 1, [](int r, int c, int) { return 1 / (0.2 + 0.012 * c + 0.003 * r); });
  for (const auto e : depth_edges(slanted, 1e-4)) EXPECT_EQ(e, 0);
  const auto edges = depth_edges(box_scene(), 0.03);
  for (int r = 1; r + 1 < kHeight; ++r)
    for (int c = 1; c + 1 < kWidth; ++c) {
      const bool jump = on_box(r, c) != on_box(r - 1, c) || on_box(r, c) != on_box(r + 1, c) || on_box(r, c) != on_box(r, c - 1) ||
                        on_box(r, c) != on_box(r, c + 1);
      ASSERT_EQ(edges[static_cast<std::size_t>(r * kWidth + c)], jump) << r << " " << c;
    }
}

TEST(Depth, DepthIsMissingAtEdgesOnly) {
  for (const char* kind : {"structured_light", "time_of_flight"}) {
    DepthOptions options = of_kind(kind);
    options.structured_light.shadow = false;
    options.edge_dropout = 0.7;
    const Plane scene = box_scene(), measured = measure_depth(scene, options, 3, 0);
    const auto edges = depth_edges(scene, options.edge_jump);
    double missing = 0, num_edges = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i]) missing += std::isnan(measured.f[i]), ++num_edges;
      else EXPECT_FALSE(std::isnan(measured.f[i])) << kind << " " << i;
    }
    EXPECT_NEAR(missing / num_edges, 0.7, 5 * std::sqrt(0.21 / num_edges)) << kind;   // 5 standard errors
  }
}

TEST(Depth, TheShadowIsAsWideAsTheParallaxAndLeftOfTheBox) {
  const double focal = focal_px(of_kind("structured_light"), kWidth), baseline = 0.075;
  const auto shadow = projector_shadow(box_scene(), focal, baseline);
  const double parallax = focal * baseline * (1.0 / 1 - 1.0 / 3);
  ASSERT_GT(parallax, 3);
  for (int r = 0; r < kHeight; ++r) {
    int width = 0;
    for (int c = 0; c < kWidth; ++c)
      if (shadow[static_cast<std::size_t>(r * kWidth + c)]) {
        ++width;
        ASSERT_TRUE(c < 50 && c >= 50 - parallax - 1) << c;
      }
    ASSERT_NEAR(width, r >= 30 && r < 60 ? parallax : 0, 1) << r;
  }
  const Plane slanted = plane_of(kWidth, kHeight, 1, [](int, int c, int) { return 1 / (0.3 + 0.008 * c); });
  for (const auto s : projector_shadow(slanted, focal, baseline)) ASSERT_EQ(s, 0);
}

TEST(Depth, DisparitiesComeInSteps) {
  DepthOptions options = of_kind("structured_light");
  options.structured_light.disparity_sigma_px = 0, options.structured_light.lateral_sigma_px = 0;
  const Plane ramp = plane_of(kWidth, kHeight, 1, [](int, int c, int) { return 1 + 0.01 * c; });   // finer than the steps
  const Plane measured = structured_light(ramp, options, 1, 0);
  const double triangle = focal_px(options, kWidth) * 0.075;
  std::set<long> steps;
  for (std::size_t i = 0; i < ramp.f.size(); ++i) {
    const double d = 8 * triangle / static_cast<double>(measured.f[i]);
    ASSERT_NEAR(d, std::round(d), 1e-4);
    steps.insert(std::lround(d));
    ASSERT_LE(std::abs(d - 8 * triangle / static_cast<double>(ramp.f[i])), 0.5001);
  }
  // From 1 m to 2.19 m: each step between the two disparities.
  EXPECT_EQ(steps.size(), static_cast<std::size_t>(std::lround(8 * triangle) - std::lround(8 * triangle / 2.19) + 1));
}

TEST(Depth, TriangulationNoiseGrowsWithTheSquareOfDepth) {
  DepthOptions options = of_kind("structured_light");
  options.structured_light = {.baseline_m = 0.075, .disparity_sigma_px = 0.02, .disparity_steps_per_px = 0, .lateral_sigma_px = 0, .shadow = false};
  const double triangle = focal_px(options, kWidth) * 0.075;
  for (const double z : {0.8, 1.6, 3.2}) {
    const auto m = test::moments(structured_light(constant_plane(kWidth, kHeight, 1, z), options, 2, 0).f);
    const double expected = z * z / triangle * 0.02;
    // 5 standard errors, and the second order of z = f b / d: a few (sigma_d / d)^2.
    EXPECT_NEAR(std::sqrt(m.variance), expected, expected * (5 / std::sqrt(2.0 * kWidth * kHeight) + 3 * std::pow(expected / z, 2))) << z;
  }
}

TEST(Depth, FlightNoiseGrowsWithTheSquareOfDistance) {
  DepthOptions options = of_kind("time_of_flight");
  options.fov_x_deg = 1;   // all rays are parallel to the axis to 1e-4
  options.time_of_flight.mixing_radius_px = 0;
  for (const double z : {0.5, 2.0, 5.0}) {
    const auto m = test::moments(time_of_flight(constant_plane(kWidth, kHeight, 1, z), options, 2, 0).f);
    const double expected = 0.002 + 0.001 * z * z, count = kWidth * kHeight;
    EXPECT_NEAR(m.mean, z, 5 * expected / std::sqrt(count)) << z;
    EXPECT_NEAR(std::sqrt(m.variance), expected, 5 * expected / std::sqrt(2 * count)) << z;
  }
}

DepthOptions noiseless_flight() {
  DepthOptions options = of_kind("time_of_flight");
  options.time_of_flight.sigma_m = options.time_of_flight.sigma_per_m2 = 0;
  return options;
}

TEST(Depth, PixelsAtEdgesFlyBetweenTheSurfaces) {
  const Plane measured = time_of_flight(box_scene(), noiseless_flight(), 1, 0);
  int flying = 0;
  for (int r = 32; r < 58; ++r)
    flying += measured.f[measured.at(r, 49)] > 1.02f && measured.f[measured.at(r, 49)] < 2.98f;
  EXPECT_EQ(flying, 26);
  EXPECT_GT(measured.f[measured.at(45, 50)], 1.001f);   // the near return is the stronger one
  for (int r = 32; r < 58; ++r) EXPECT_NEAR(measured.f[measured.at(r, 60)], 1, 1e-3);
}

TEST(Depth, DistancesBeyondTheRangeWrapOrAreMissing) {
  DepthOptions options = noiseless_flight();
  options.fov_x_deg = 1;
  const double range = 299792458 / 40e6;
  EXPECT_NEAR(time_of_flight(constant_plane(5, 5, 1, range + 1), options, 1, 0).f[12], 1, 1e-3);
  options.time_of_flight.wrap = false;
  EXPECT_TRUE(std::isnan(time_of_flight(constant_plane(5, 5, 1, range + 1), options, 1, 0).f[12]));
}

TEST(Depth, MultipathMakesSurfacesFarther) {
  DepthOptions options = noiseless_flight();
  options.fov_x_deg = 1;
  options.time_of_flight.multipath_share = 0.2, options.time_of_flight.multipath_extra_m = 0.8;
  const float z = time_of_flight(constant_plane(5, 5, 1, 2), options, 1, 0).f[12];
  const double delay = 4 * M_PI * 20e6 * 0.8 / 299792458;
  const double extra = std::atan2(0.2 * std::sin(delay), 1 + 0.2 * std::cos(delay)) / (4 * M_PI * 20e6 / 299792458);
  EXPECT_NEAR(z, 2 + extra, 1e-4);
  EXPECT_GT(extra, 0.1);
}

TEST(Depth, TheSameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  for (const char* kind : {"structured_light", "time_of_flight"}) {
    DepthOptions options = of_kind(kind);
    const auto bits = [](const Plane& p) {
      std::vector<float> v = p.f;
      for (float& x : v) if (std::isnan(x)) x = -1;
      return v;
    };
    const auto one = bits(measure_depth(box_scene(), options, 4, 1));
    EXPECT_EQ(one, bits(measure_depth(box_scene(), options, 4, 1, test::on_threads(3))));
    EXPECT_NE(one, bits(measure_depth(box_scene(), options, 4, 2)));
    EXPECT_NE(one, bits(measure_depth(box_scene(), options, 5, 1)));
  }
}

TEST(Depth, RangeStepsAndHolesOfTheInputAreKept) {
  DepthOptions options = of_kind("time_of_flight");
  options.min_m = 1.5, options.step_m = 0.25;
  Plane scene = box_scene();
  scene.f[0] = NAN;
  const Plane measured = measure_depth(scene, options, 1, 0);
  EXPECT_TRUE(std::isnan(measured.f[0]));
  EXPECT_TRUE(std::isnan(measured.f[measured.at(45, 65)]));
  for (const float z : measured.f)
    EXPECT_TRUE(std::isnan(z) || z * 4 == std::round(z * 4)) << z;
  scene.f[1] = -1;
  EXPECT_THROW(measure_depth(scene, options, 1, 0), Error);
  EXPECT_THROW(measure_depth(constant_plane(4, 4, 3, 1), options, 1, 0), Error);
  EXPECT_EQ(measure_depth(box_scene(), of_kind("none"), 1, 0).f, box_scene().f);
}

}  // namespace
}  // namespace simulacra::sensor
