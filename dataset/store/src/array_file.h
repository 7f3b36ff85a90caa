// SPDX-License-Identifier: Apache-2.0
// Numbers of camera, mesh and box files: contiguous, not compressed, without attributes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataset/store/output_file.h"

namespace simulacra {

OutputFile array_file(std::string path, std::vector<std::size_t> shape, std::span<const std::int64_t> values);
OutputFile array_file(std::string path, std::vector<std::size_t> shape, std::span<const double> values);

}  // namespace simulacra
