// SPDX-License-Identifier: Apache-2.0
// The tasks of a dense model: what each output means, its loss, and its target in a batch.
//
//   depth      [N, 1, H, W]   logarithm of the distance in metres
//   normals    [N, 3, H, W]   camera frame
//   semantics  [N, 40, H, W]  logits, class c at c - 1
//   albedo     [N, 3, H, W]   reflectance
//   shading    [N, 3, H, W]   logarithm of the illumination
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "learning/losses/dense.h"
#include "learning/tensors/loader.h"
#include "learning/train/options.h"

namespace simulacra::learning {

using Outputs = nn::Predictions;

/// The loader's target of a task: its name is the task's.
Target target_of_task(const std::string& task);
/// Of one batch, a mean over its counted pixels. `coarse` is what ModelImpl::coarse() gives.
DenseLoss task_loss(const std::string& task, const Outputs& coarse, const Batch& batch, const TaskWeights& tasks);
double weight_of_task(const std::string& task, const TaskWeights& tasks);
/// Pixels of the batch that count for each task, [tasks] float64.
torch::Tensor valid_pixels(const std::vector<std::string>& tasks, const Batch& batch);

}  // namespace simulacra::learning
