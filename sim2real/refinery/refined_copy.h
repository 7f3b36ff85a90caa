// SPDX-License-Identifier: Apache-2.0
// A copy of a data set with refined color, or with refined depth beside the exact one; see dataset/derive for what else is in a
// copy, and for how color keeps its split.
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <string>

#include "dataset/derive/derived_set.h"
#include "sim2real/refinery/drift_meter.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

inline constexpr const char* kRefinementConfig = "refinement.yaml";
inline constexpr const char* kRefinementFacts = "refinement.json";
/// HDF5 file suffix of what a depth refinement writes: float32 metres along the viewing axis, at most input.far_m.
inline constexpr const char* kRefinedDepth = "depth_planar_refined_meters";

/// What refinement.json tells beside the configuration.
struct RefinementFacts {
  std::string version;                          ///< of the program
  std::string weights_sha256;                   ///< of what the method had learned
  std::string real, real_sha256;                ///< name of the folder of real pictures, and what was read there
  DriftReading drift;
};

class RefinedCopy {
 public:
  /// Throws UsageError as DerivedSet does, and when the source is itself refined.
  static void check_request(const FrameIndex& source, const std::filesystem::path& out);

  RefinedCopy(const FrameIndex& source, std::filesystem::path out, const RefineOptions& options, std::string config, RefinementFacts facts);
  /// Frame `frame_idx` of the source: [1, C, H, W] in [-1, 1], as WholeFrames gives it, refined.
  void put(std::size_t frame_idx, const torch::Tensor& refined);
  /// The copy is there, complete.
  void finish();

 private:
  void put_color(std::size_t frame_idx, const torch::Tensor& refined);
  void put_depth(std::size_t frame_idx, const torch::Tensor& refined);

  RefineOptions options_;
  std::string config_;
  RefinementFacts facts_;
  DerivedSet copy_;
};

}  // namespace simulacra::sim2real
