// SPDX-License-Identifier: Apache-2.0
// Headers of the CSV files of the Hypersim layout, one function a file.
#pragma once

#include <string>
#include <vector>

namespace simulacra {

using CsvHeader = std::vector<std::string>;

// scene: _detail/
CsvHeader metadata_scene_columns();
CsvHeader metadata_camera_columns();        ///< _detail/cam_XX/metadata_camera.csv
CsvHeader metadata_cameras_columns();
CsvHeader metadata_nodes_columns();
CsvHeader metadata_node_strings_columns();
CsvHeader metadata_objects_columns();       ///< _detail/mesh/
CsvHeader metadata_materials_columns();     ///< _detail/mesh/; row = material_id
/// _detail/mesh/metadata_instances.csv, our own: one row an instance.
CsvHeader metadata_instances_columns();

// data set: analysis/, and camera parameters beside the scenes
CsvHeader metadata_images_columns();
CsvHeader metadata_images_split_columns();
CsvHeader metadata_camera_trajectories_columns();
CsvHeader metadata_camera_parameters_columns();   ///< 87 columns

}  // namespace simulacra
