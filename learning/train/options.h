// SPDX-License-Identifier: Apache-2.0
// Everything that a training run is a function of, beside the data set and the weights it starts from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "learning/nn/model.h"
#include "learning/optim/optimizer.h"
#include "learning/optim/schedule.h"
#include "learning/tensors/options.h"
#include "render/config/config.h"

namespace simulacra::learning {

/// Which frames train and which are held back.
struct SplitOptions {
  std::string by = "scene";       ///< scene: whole rooms; frame; table: the data set's own split table; none (pretraining)
  double held_back = 0.2;         ///< share of scenes or frames that evaluation gets
  double labelled = 1;            ///< share of the training frames that is used: nested, the same for a seed
  std::uint64_t seed = 0;
};
void fields(config::Fields& f, SplitOptions& o);

/// Weight of each task's loss; 0 leaves the task and its head out.
struct TaskWeights {
  double depth = 1;               ///< scale-invariant log loss of the distance
  double normals = 1;             ///< angle, radians
  double semantics = 1;           ///< cross entropy over NYU40
  double albedo = 0;              ///< scale-invariant L1
  double shading = 0;             ///< L1 of logarithms
  double depth_scale_invariance = 0.5;  ///< lambda of the depth loss: 1 does not see a global scale
};
void fields(config::Fields& f, TaskWeights& o);

struct AverageOptions {
  double rho = 0;                 ///< of the model average, per step of `reference_batch` samples; 0 = no average
  int reference_batch = 0;        ///< the rule rho^k applies for batches k times as large; 0 = as given
};
void fields(config::Fields& f, AverageOptions& o);

struct RunOptions {
  std::uint64_t seed = 0;         ///< initial weights; the loader has its own
  int accumulate = 1;             ///< batches a step
  double weight_decay = 0.05;
  int log_every = 10, evaluate_every = 200, checkpoint_every = 200;  ///< steps; 0 = only at the end
  int keep = 2;                   ///< checkpoints
  int threads = 0;                ///< of tensor operations; 0 = all cores
  std::string precision = "auto"; ///< float32, bfloat16, or auto: bfloat16 where the processor multiplies it fast
  std::string start_from;         ///< a safetensors file whose encoder the model begins with
};
void fields(config::Fields& f, RunOptions& o);

struct TrainOptions {
  std::string data;               ///< the data set's folder
  SplitOptions split;
  LoaderOptions loader;           ///< `labels` follow from the tasks
  nn::ModelOptions model;          ///< `tasks` follow from their weights
  TaskWeights tasks;
  optim::OptimizerOptions optimizer;
  optim::LearningRate schedule;   ///< `total` is the number of steps
  AverageOptions average;
  RunOptions run;
};
void fields(config::Fields& f, TrainOptions& o);

/// Names of the tasks with a weight above 0, in the order of TaskWeights.
std::vector<std::string> task_names(const TaskWeights& tasks);
/// Throws UsageError for combinations that make no sense, naming the keys.
void check(const TrainOptions& o);

}  // namespace simulacra::learning
