// SPDX-License-Identifier: Apache-2.0
// What a refinement did, as one HTML page without other resources: pictures before and after, real ones, losses, drift.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim2real/refinery/drift_meter.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

struct PageFacts {
  RefineOptions options;
  std::filesystem::path run;                       ///< its scalars.csv gives the curves
  DriftReading drift;
  std::string verdict;                             ///< which limit broke; empty when none did
  std::vector<std::pair<torch::Tensor, torch::Tensor>> pairs;   ///< before and after, [C, H, W] in [-1, 1]
  std::vector<torch::Tensor> real;
};

std::string refinement_page(const PageFacts& facts);

}  // namespace simulacra::sim2real
