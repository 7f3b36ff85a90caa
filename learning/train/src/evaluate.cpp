// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/evaluate.h"

#include <algorithm>
#include <chrono>

#include "learning/tensors/loader.h"
#include "learning/train/task_losses.h"

namespace simulacra::learning {
namespace {

using torch::Tensor;

LoaderOptions evaluation_loader(const TrainOptions& options) {
  LoaderOptions loader = for_evaluation(options.loader);
  loader.labels = task_names(options.tasks);
  return loader;
}

/// A head's output as the quantity that its label is.
Tensor as_label(const std::string& task, const Tensor& output) {
  if (task == "depth" || task == "shading") return output.exp();
  if (task == "normals") return torch::nn::functional::normalize(output, torch::nn::functional::NormalizeFuncOptions().dim(1));
  if (task == "semantics") return output.argmax(1) + 1;
  return output;
}

struct Meters {
  DepthMeter depth;
  NormalMeter normals;
  SemanticMeter semantics{40};
  IntrinsicMeter albedo, shading;

  void add(const std::string& task, const Tensor& predicted, const LabelTensor& label) {
    if (task == "depth") depth.add(predicted, label.values, label.mask);
    if (task == "normals") normals.add(predicted, label.values, label.mask);
    if (task == "semantics") semantics.add(predicted - 1, label.values - 1);
    if (task == "albedo") albedo.add(predicted, label.values, label.mask);
    if (task == "shading") shading.add(predicted, label.values, label.mask);
  }
};

/// Calls body(batch, outputs as labels) for every batch of all frames once.
template <typename Body>
void for_each_batch(nn::Model& model, const FrameIndex& frames, const TrainOptions& options, std::uint64_t limit, const Body& body) {
  const torch::NoGradGuard no_gradients;
  const bool was_training = model->is_training();
  model->eval();
  Loader loader(frames, evaluation_loader(options));
  const std::uint64_t batches = std::min(limit, loader.batches_per_epoch());
  for (std::uint64_t b = 0; b < batches; ++b) {
    const Batch batch = loader.next();
    Outputs outputs = model->forward(batch.image);
    for (auto& [task, output] : outputs) output = as_label(task, output);
    body(batch, outputs);
  }
  model->train(was_training);
}

}  // namespace

NamedScalars Scores::scalars() const {
  NamedScalars s;
  if (depth) {
    s.insert(s.end(), {{"depth/abs_rel", depth->abs_rel}, {"depth/rmse_m", depth->rmse_m}, {"depth/delta1", depth->delta1},
                       {"depth/abs_rel_aligned", depth->abs_rel_aligned}, {"depth/delta1_aligned", depth->delta1_aligned}});
  }
  if (normals) {
    s.insert(s.end(), {{"normals/mean_deg", normals->mean_deg}, {"normals/median_deg", normals->median_deg},
                       {"normals/within_11.25", normals->within_11_25}, {"normals/within_22.5", normals->within_22_5},
                       {"normals/within_30", normals->within_30}});
  }
  if (semantics) s.insert(s.end(), {{"semantics/mean_iou", semantics->mean_iou}, {"semantics/pixel_accuracy", semantics->pixel_accuracy}});
  const auto intrinsic = [&](const char* name, const std::optional<IntrinsicScore>& score) {
    if (!score) return;
    s.insert(s.end(), {{std::string(name) + "/mse", score->mse}, {std::string(name) + "/scale_invariant_mse", score->scale_invariant},
                       {std::string(name) + "/lmse", score->local}});
  };
  intrinsic("albedo", albedo);
  intrinsic("shading", shading);
  return s;
}

Scores evaluate(nn::Model& model, const FrameIndex& frames, const TrainOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Meters meters;
  for_each_batch(model, frames, options, ~std::uint64_t{0}, [&](const Batch& batch, const Outputs& predicted) {
    for (const auto& [task, values] : predicted) meters.add(task, values, batch.at(target_of_task(task)));
  });
  Scores scores;
  for (const std::string& task : task_names(options.tasks)) {
    if (task == "depth") scores.depth = meters.depth.score();
    if (task == "normals") scores.normals = meters.normals.score();
    if (task == "semantics") scores.semantics = meters.semantics.score();
    if (task == "albedo") scores.albedo = meters.albedo.score();
    if (task == "shading") scores.shading = meters.shading.score();
  }
  scores.frames = frames.size();
  scores.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return scores;
}

std::vector<ShownFrame> predict_some(nn::Model& model, const FrameIndex& frames, const TrainOptions& options, std::size_t count) {
  // Frames spread over the set, one a scene as far as there are scenes.
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, frames.size()); ++i) chosen.push_back(i * frames.size() / std::min(count, frames.size()));
  std::vector<ShownFrame> shown;
  for_each_batch(model, with_frames(frames, chosen), options, ~std::uint64_t{0}, [&](const Batch& batch, const Outputs& predicted) {
    for (std::int64_t n = 0; n < batch.image.size(0); ++n) {
      ShownFrame f;
      f.name = batch.frames[static_cast<std::size_t>(n)];
      f.image = batch.image[n].clone();
      for (const auto& [task, values] : predicted) {
        const LabelTensor& label = batch.at(target_of_task(task));
        f.predicted[task] = values[n].clone();
        f.target[task] = label.values[n].clone();
        f.mask[task] = label.mask[n].clone();
      }
      shown.push_back(std::move(f));
    }
  });
  return shown;
}

}  // namespace simulacra::learning
