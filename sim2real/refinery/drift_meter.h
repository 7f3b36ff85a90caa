// SPDX-License-Identifier: Apache-2.0
// Whether refinement moved labels, on some whole frames: shifts of edges (sim2real/refine/drift.h) around three kinds of
// borders: of depth, of ids (entity, instance, class), and the strongest edges of the picture itself.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/record/scalar_log.h"
#include "dataset/frames/frame_index.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

inline constexpr std::array<std::string_view, 3> kBorderKinds = {"edges", "depth", "ids"};

struct DriftReading {
  struct Kind {
    std::int64_t tiles = 0;           ///< with enough borders; the rest is 0 without any
    double median_px = 0, tail_px = 0, correlation = 0;
  };
  std::array<Kind, kBorderKinds.size()> kinds;   ///< in the order of kBorderKinds
  /// "drift/edges_median_px" and so on, of kinds with tiles.
  NamedScalars scalars() const;
};

/// Empty, or one line that says which limit does not hold. Kinds with fewer than kLeastTiles tiles are not judged.
inline constexpr std::int64_t kLeastTiles = 8;
std::string broken_limit(const DriftReading& reading, const DriftOptions& options);

class DriftMeter {
 public:
  /// Reads options.drift.frames of the frames, evenly spread, with their depth and ids where there are such.
  DriftMeter(const FrameIndex& frames, const RefineOptions& options);

  using Refine = std::function<torch::Tensor(const torch::Tensor& images)>;
  DriftReading measure(const Refine& refine) const;
  /// The frames, [1, C, H, W] each in [-1, 1].
  const std::vector<torch::Tensor>& images() const { return images_; }

 private:
  DriftOptions options_;
  std::vector<torch::Tensor> images_;
  std::array<std::vector<torch::Tensor>, kBorderKinds.size()> borders_;   ///< [1, H, W] each, of 0 and 1
};

}  // namespace simulacra::sim2real
