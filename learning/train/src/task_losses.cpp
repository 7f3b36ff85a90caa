// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/task_losses.h"

#include "render/base/error.h"

namespace simulacra::learning {

Target target_of_task(const std::string& task) { return target_from_name(task); }

DenseLoss task_loss(const std::string& task, const Outputs& coarse, const Batch& batch, const TaskWeights& tasks) {
  const torch::Tensor& map = coarse.at(task);
  const LabelTensor& label = batch.at(target_of_task(task));
  if (task == "depth") return scale_invariant_log_loss_of_coarse(map, label.values, label.mask, tasks.depth_scale_invariance);
  if (task == "normals") return angular_loss_of_coarse(map, label.values, label.mask);
  if (task == "semantics") return semantic_loss_of_coarse(map, label.values, label.mask);
  const torch::Tensor prediction = nn::predictions_of_coarse(task, map, label.values.size(-2), label.values.size(-1));
  if (task == "albedo") return scale_invariant_l1_loss(prediction, label.values, label.mask);
  if (task == "shading") return log_l1_loss(prediction, label.values, label.mask);
  fail("no task is called {}", task);
}

double weight_of_task(const std::string& task, const TaskWeights& t) {
  if (task == "depth") return t.depth;
  if (task == "normals") return t.normals;
  if (task == "semantics") return t.semantics;
  if (task == "albedo") return t.albedo;
  if (task == "shading") return t.shading;
  fail("no task is called {}", task);
}

torch::Tensor valid_pixels(const std::vector<std::string>& tasks, const Batch& batch) {
  torch::Tensor counts = torch::zeros({static_cast<std::int64_t>(tasks.size())}, torch::kFloat64);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    counts[static_cast<std::int64_t>(i)] = batch.at(target_of_task(tasks[i])).mask.sum().to(torch::kFloat64);
  return counts;
}

}  // namespace simulacra::learning
