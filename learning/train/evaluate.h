// SPDX-License-Identifier: Apache-2.0
// How good a dense model is on frames that it has not seen.
#pragma once

#include <torch/torch.h>

#include <optional>
#include <string>
#include <vector>

#include "learning/metrics/metrics.h"
#include "learning/nn/model.h"
#include "learning/record/scalar_log.h"
#include "dataset/frames/frame_index.h"
#include "learning/train/options.h"

namespace simulacra::learning {

struct Scores {
  std::optional<DepthScore> depth;
  std::optional<NormalScore> normals;
  std::optional<SemanticScore> semantics;
  std::optional<IntrinsicScore> albedo, shading;
  std::size_t frames = 0;
  double seconds = 0;

  /// "depth/abs_rel" …, for curves and JSON.
  NamedScalars scalars() const;
};

/// Runs the model, without gradients and in its evaluation mode, over every frame once.
Scores evaluate(nn::Model& model, const FrameIndex& frames, const TrainOptions& options);

/// What evaluation shows of one frame.
struct ShownFrame {
  FrameName name;
  torch::Tensor image;                        ///< [3, H, W] as the model saw it
  std::map<std::string, torch::Tensor> predicted, target;  ///< by task, [C, H, W]: metres, unit normals, classes 1 … 40, linear layers
  std::map<std::string, torch::Tensor> mask;  ///< [1, H, W]
};
std::vector<ShownFrame> predict_some(nn::Model& model, const FrameIndex& frames, const TrainOptions& options, std::size_t count);

}  // namespace simulacra::learning
