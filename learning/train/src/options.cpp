// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/options.h"

#include <array>
#include <string_view>

#include "render/base/error.h"

namespace simulacra::learning {

void fields(config::Fields& f, SplitOptions& o) {
  static constexpr std::array<std::string_view, 4> kWays = {"scene", "frame", "table", "none"};
  f.field("by", o.by, "scene: whole rooms are held back; frame: single frames; table: train and val of the data set's split table; none: nothing, in pretraining", kWays);
  f.field("held_back", o.held_back, "share of scenes or frames for evaluation", {0.01, 0.99});
  f.field("labelled", o.labelled, "share of the training frames that is used", {0.001, 1});
  f.field("seed", o.seed, "of the split");
}

void fields(config::Fields& f, TaskWeights& o) {
  f.field("depth", o.depth, "weight of the scale-invariant log loss of the distance; 0 = no head", {0, 1000});
  f.field("normals", o.normals, "weight of the angle between normals, radians; 0 = no head", {0, 1000});
  f.field("semantics", o.semantics, "weight of the cross entropy over NYU40; 0 = no head", {0, 1000});
  f.field("albedo", o.albedo, "weight of the scale-invariant L1 loss; 0 = no head", {0, 1000});
  f.field("shading", o.shading, "weight of the L1 loss of logarithms; 0 = no head", {0, 1000});
  f.field("depth_scale_invariance", o.depth_scale_invariance, "lambda of the depth loss: 0 sees the scale, 1 does not", {0, 1});
}

void fields(config::Fields& f, AverageOptions& o) {
  f.field("rho", o.rho, "what the average keeps each step; 0 = no average", {0, 0.9999999});
  f.field("reference_batch", o.reference_batch, "samples a step that rho is meant for; 0 = those of this run", {0, 1 << 24});
}

void fields(config::Fields& f, RunOptions& o) {
  static constexpr std::array<std::string_view, 3> kPrecisions = {"auto", "float32", "bfloat16"};
  f.field("seed", o.seed, "of the initial weights");
  f.field("accumulate", o.accumulate, "batches a step", {1, 65536});
  f.field("weight_decay", o.weight_decay, "of kernels and matrices, decoupled", {0, 10});
  f.field("log_every", o.log_every, "steps between rows of the curves", {1, 1 << 30});
  f.field("evaluate_every", o.evaluate_every, "steps between evaluations; 0 = only at the end", {0, 1 << 30});
  f.field("checkpoint_every", o.checkpoint_every, "steps between checkpoints; 0 = only at the end", {0, 1 << 30});
  f.field("keep", o.keep, "newest checkpoints that stay", {1, 1000});
  f.field("threads", o.threads, "of tensor operations; 0 = all cores", {0, 1024});
  f.field("precision", o.precision, "of matrix products: float32, bfloat16, or auto", kPrecisions);
  f.field("start_from", o.start_from, "safetensors file whose encoder the model begins with");
}

void fields(config::Fields& f, TrainOptions& o) {
  f.field("data", o.data, "folder of the data set");
  f.group("split", o.split, "which frames train and which are held back");
  f.group("loader", o.loader, "how batches are made");
  f.group("model", o.model, "the encoder, and what makes pixels of its tokens");
  f.group("tasks", o.tasks, "weights of the losses");
  f.group("optimizer", o.optimizer, "the update");
  f.group("schedule", o.schedule, "learning rate by step; total is the number of steps");
  f.group("average", o.average, "model average");
  f.group("run", o.run, "the run");
}

std::vector<std::string> task_names(const TaskWeights& t) {
  const std::pair<const char*, double> all[] = {
      {"depth", t.depth}, {"normals", t.normals}, {"semantics", t.semantics}, {"albedo", t.albedo}, {"shading", t.shading}};
  std::vector<std::string> names;
  for (const auto& [name, weight] : all)
    if (weight > 0) names.emplace_back(name);
  return names;
}

void check(const TrainOptions& o) {
  if (task_names(o.tasks).empty()) fail_usage("tasks: every weight is 0; give one of depth, normals, semantics, albedo, shading a weight");
  if (o.split.by == "none") fail_usage("split.by: none leaves nothing to evaluate on; it is for pretraining");
  if (o.schedule.total < 1) fail_usage("schedule.total: {} steps; give the number of steps", o.schedule.total);
  if (!o.loader.labels.empty()) fail_usage("loader.labels: they follow from the tasks; leave the key out");
  if (!o.model.tasks.empty()) fail_usage("model.tasks: they follow from the weights of `tasks`; leave the key out");
  if (o.model.vit.channels != 3) fail_usage("model.vit.channels: {}; images have 3", o.model.vit.channels);
  if (o.model.semantic_classes != 40) fail_usage("model.semantic_classes: {}; the labels are NYU40's 40", o.model.semantic_classes);
  if (o.model.image_classes != 0) fail_usage("model.image_classes: {}; frames have no class as a whole; leave the key out", o.model.image_classes);
  if (o.loader.views != 1) fail_usage("loader.views: {}; training on labels takes one view of a frame", o.loader.views);
}

}  // namespace simulacra::learning
