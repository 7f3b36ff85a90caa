// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/tables.h"

#include <string_view>

#include <fmt/core.h>

namespace simulacra {
namespace {

constexpr std::string_view kPhysicalCamera[] = {
    "anisotropy", "blades_enable", "blades_num", "blades_rotation", "bmpaperture_affects_exposure",
    "bmpaperture_enable", "bmpaperture_resolution", "bmpaperture_tex", "center_bias", "distortion", "distortion_tex",
    "distortion_type", "dof_display_threshold", "dont_affect_settings", "enable_thin_lens_equation", "exposure",
    "f_number", "film_width", "focal_length", "focus_distance", "fov", "horizontal_offset", "horizontal_shift", "ISO",
    "latency", "lens_file", "lens_shift", "optical_vignetting", "rolling_shutter_duration", "rolling_shutter_mode",
    "shutter_angle", "shutter_offset", "shutter_speed", "specify_focus", "specify_fov", "subdivs", "target_distance",
    "targeted", "type", "use_dof", "use_moblur", "vertical_offset", "vignetting", "white_balance", "zoom_factor"};

constexpr std::string_view kSettingsCamera[] = {
    "auto_corrections_mode", "auto_exposure", "auto_exposure_compensation", "auto_fit", "auto_white_balance", "curve",
    "dist", "dont_affect_settings", "fov", "height", "image_planes", "type"};

}  // namespace

CsvHeader metadata_scene_columns() { return {"parameter_name", "parameter_value"}; }
CsvHeader metadata_camera_columns() { return {"parameter_name", "parameter_value"}; }
CsvHeader metadata_cameras_columns() { return {"camera_name"}; }
CsvHeader metadata_nodes_columns() { return {"node_id", "node_name", "object_id", "object_name"}; }
CsvHeader metadata_node_strings_columns() { return {"node_id", "path", "string"}; }
CsvHeader metadata_objects_columns() { return {"object_name"}; }
CsvHeader metadata_materials_columns() { return {"material_name"}; }
CsvHeader metadata_instances_columns() {
  return {"instance_id", "semantic_id", "semantic_name", "name", "num_objects", "has_box", "center_x", "center_y",
          "center_z", "extent_x", "extent_y", "extent_z", "rotation_z_deg", "surface_area_m2"};
}

CsvHeader metadata_images_columns() {
  return {"scene_name", "camera_name", "frame_id", "included_in_public_release", "exclude_reason"};
}
CsvHeader metadata_images_split_columns() {
  CsvHeader columns = metadata_images_columns();
  columns.push_back("split_partition_name");
  return columns;
}
CsvHeader metadata_camera_trajectories_columns() {
  return {"Animation", "Rendering job (geometry)", "Instance type (geometry)", "Rendering job (pre)",
          "Instance type (pre)", "Rendering job (final)", "Instance type (final)", "Scene type", "Notes",
          "Any good views of scene?"};
}

CsvHeader metadata_camera_parameters_columns() {
  CsvHeader columns = {"scene_name", "settings_output_img_height", "settings_output_img_width",
                       "settings_units_info_meters_scale", "use_camera_physical"};
  for (const std::string_view name : kPhysicalCamera) columns.push_back(fmt::format("camera_physical_{}", name));
  for (const std::string_view name : kSettingsCamera) columns.push_back(fmt::format("settings_camera_{}", name));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) columns.push_back(fmt::format("M_cam_from_uv_{}{}", i, j));
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) columns.push_back(fmt::format("M_proj_{}{}", i, j));
  return columns;
}

}  // namespace simulacra
