// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/dataset_tables.h"

#include "dataset/schema/conventions.h"
#include "dataset/schema/csv.h"
#include "dataset/schema/layout.h"
#include "dataset/schema/tables.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

// The column tells on which machine a job of the public set ran; ours run where the program was started.
constexpr const char* kInstanceType = "local";

std::vector<std::string> trajectory_row(const SceneSummary& scene, const std::string& camera) {
  return {trajectory_name(scene.name, camera),
          rendering_job_name(scene.name, camera, "geometry"), kInstanceType,
          "", "",  // there is no pre-pass
          rendering_job_name(scene.name, camera, "final"), kInstanceType,
          scene.scene_type, "", ""};
}

}  // namespace

std::vector<OutputFile> dataset_tables(std::span<const SceneSummary> scenes) {
  SIM_CHECK(!scenes.empty());
  CsvTable images{metadata_images_columns(), {}}, split{metadata_images_split_columns(), {}};
  CsvTable trajectories{metadata_camera_trajectories_columns(), {}}, parameters{metadata_camera_parameters_columns(), {}};
  for (const SceneSummary& scene : scenes) {
    SIM_CHECK(!scene.scene_type.empty());
    const std::string partition(scenes.size() == 1 ? "train" : split_partition(scene.name));
    parameters.rows.push_back(camera_parameters_row(scene.camera));
    for (const std::string& camera : scene.cameras) {
      trajectories.rows.push_back(trajectory_row(scene, camera));
      for (int frame = 0; frame < scene.frames_per_camera; ++frame) {
        std::vector<std::string> row = {scene.name, camera, std::to_string(frame), csv_bool(true), ""};
        images.rows.push_back(row);
        row.push_back(partition);
        split.rows.push_back(std::move(row));
      }
    }
  }
  const CameraParameters& camera = scenes.front().camera;
  const Conventions conventions{camera.width, camera.height, camera.meters_per_asset_unit, camera.fov_x_rad};
  const std::string folder = std::string(kAnalysisFolder) + "/";
  return {text_file("metadata_camera_parameters.csv", csv_text(parameters)),
          text_file(folder + "metadata_images.csv", csv_text(images)),
          text_file(folder + "metadata_images_split_scene_v1.csv", csv_text(split)),
          text_file(folder + "metadata_camera_trajectories.csv", csv_text(trajectories)),
          text_file("CONVENTIONS.md", conventions_markdown(conventions)),
          text_file("conventions.json", conventions_json(conventions))};
}

}  // namespace simulacra
