// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/canonical.h"

#include <gmock/gmock.h>

#include "dataset/schema/tables.h"

namespace simulacra {
namespace {

TEST(Canonical, FocalLengthIsTheOneThatReadersHardCode) {
  EXPECT_NEAR(focal_length_px(1024), 886.8100134752652, 1e-9);
}

TEST(Canonical, MatricesAreThoseOfThePublicTable) {
  const Mat3d m = pinhole_cam_from_uv(1024, 768);
  EXPECT_NEAR(m(0, 0), 0.5773502691896257, 1e-15);
  EXPECT_NEAR(m(1, 1), 0.4330127018922193, 1e-15);
  EXPECT_EQ(m(2, 2), -1);
  const Matrix4 p = projection_matrix(m, 1024, 768);
  EXPECT_NEAR(p[0][0], 1.7320508, 1e-7);
  EXPECT_NEAR(p[1][1], 2.3094011, 1e-7);
  EXPECT_NEAR(p[2][2], -1.002002, 1e-6);
  EXPECT_NEAR(p[2][3], -2.002002, 1e-6);
  EXPECT_EQ(p[3][2], -1);
  EXPECT_EQ(p[3][3], 0);
}

// A camera with lens shift: the clip position of a point on the ray of (u, v) is (u, v) again.
TEST(Canonical, ProjectionUndoesTheRayMatrix) {
  Mat3d shifted = pinhole_cam_from_uv(1024, 768);
  shifted(0, 2) = -0.07;
  shifted(1, 2) = 0.09;
  shifted(2, 1) = 0.004;
  const Matrix4 p = projection_matrix(shifted, 1024, 768);
  for (const Vec2d uv : {Vec2d{0, 0}, Vec2d{0.5, -0.25}, Vec2d{-1, 1}}) {
    const Vec3d ray = shifted * Vec3d{uv.x, uv.y, 1} * 3.0;
    const auto row = [&](std::size_t i) { return p[i][0] * ray.x + p[i][1] * ray.y + p[i][2] * ray.z + p[i][3]; };
    EXPECT_NEAR(row(0) / row(3), uv.x, 1e-12);
    EXPECT_NEAR(row(1) / row(3), uv.y, 1e-12);
  }
}

TEST(Canonical, ParameterRowFillsWhatReadersLookUp) {
  CameraParameters parameters;
  parameters.scene = "ai_900_001";
  const CsvTable table{metadata_camera_parameters_columns(), {camera_parameters_row(parameters)}};
  const auto value = [&](const char* column) { return table.rows[0][table.column(column)]; };
  ASSERT_EQ(table.rows[0].size(), 87u);
  EXPECT_EQ(value("scene_name"), "ai_900_001");
  EXPECT_EQ(value("settings_output_img_width"), "1024.0");
  EXPECT_EQ(value("use_camera_physical"), "False");
  EXPECT_EQ(value("camera_physical_ISO"), "");
  EXPECT_EQ(std::stod(value("settings_camera_fov")), kPiD / 3);
  EXPECT_EQ(value("M_proj_32"), "-1.0");
  EXPECT_EQ(value("M_cam_from_uv_01"), "0.0");
}

}  // namespace
}  // namespace simulacra
