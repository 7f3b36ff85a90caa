// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/canonical.h"

#include "dataset/schema/tables.h"
#include "render/base/error.h"

namespace simulacra {

Mat3d pinhole_cam_from_uv(int width, int height, double fov_x_rad) {
  SIM_CHECK(width > 0 && height > 0);
  const double t = std::tan(0.5 * fov_x_rad);
  return Mat3d::diagonal(t, t * height / width, -1);
}

Matrix4 projection_matrix(const Mat3d& cam_from_uv, int width, int height, double fov_x_rad) {
  constexpr double near = 1, far = 1000;
  const double t = std::tan(0.5 * fov_x_rad);
  const Mat3d warp = pinhole_cam_from_uv(width, height, fov_x_rad) * inverse(cam_from_uv);
  const Matrix4 pinhole = {{{1 / t, 0, 0, 0},
                            {0, width / (t * height), 0, 0},
                            {0, 0, -(far + near) / (far - near), -2 * far * near / (far - near)},
                            {0, 0, -1, 0}}};
  Matrix4 result{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[i][j] += pinhole[i][k] * warp(k, j);
    result[i][3] = pinhole[i][3];
  }
  return result;
}

std::vector<std::string> camera_parameters_row(const CameraParameters& p) {
  CsvTable table;
  table.header = metadata_camera_parameters_columns();
  std::vector<std::string> row(table.header.size());
  const auto set = [&](const std::string& column, const std::string& value) { row[table.column(column)] = value; };
  set("scene_name", p.scene);
  set("settings_output_img_height", csv_number(p.height));
  set("settings_output_img_width", csv_number(p.width));
  set("settings_units_info_meters_scale", csv_number(p.meters_per_asset_unit));
  set("use_camera_physical", csv_bool(false));
  set("settings_camera_fov", csv_number(p.fov_x_rad));
  set("settings_camera_type", csv_number(0));
  const Matrix4 proj = projection_matrix(p.cam_from_uv, p.width, p.height, p.fov_x_rad);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      set(fmt::format("M_cam_from_uv_{}{}", i, j), csv_number(p.cam_from_uv(i, j) + 0.0));
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) set(fmt::format("M_proj_{}{}", i, j), csv_number(proj[i][j] + 0.0));
  return row;
}

}  // namespace simulacra
