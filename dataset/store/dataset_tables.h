// SPDX-License-Identifier: Apache-2.0
// Tables of the whole data set, and the pages that explain it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/schema/canonical.h"
#include "dataset/store/output_file.h"

namespace simulacra {

/// What the tables say of one scene.
struct SceneSummary {
  std::string name;                    ///< "ai_900_001"
  std::string scene_type;              ///< "Living room"; never empty
  std::vector<std::string> cameras;
  int frames_per_camera = 0;
  CameraParameters camera;
};

/// metadata_camera_parameters.csv, analysis/*.csv, CONVENTIONS.md, conventions.json. `scenes` is not empty. A single
/// scene is train; else a hash of its name decides.
std::vector<OutputFile> dataset_tables(std::span<const SceneSummary> scenes);

}  // namespace simulacra
