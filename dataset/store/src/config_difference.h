// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "dataset/schema/manifest.h"

namespace simulacra {

/// Says in one line how the request of a data set on disk and a new one differ: "dataset.frames is 10 there, 20
/// here". `config_file` is the configuration beside the data set; it may be absent.
std::string difference(const DatasetRecord& there, const DatasetRecord& here, const std::filesystem::path& config_file,
                       const std::string& config_yaml_here);

}  // namespace simulacra
