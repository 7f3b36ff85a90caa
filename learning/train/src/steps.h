// SPDX-License-Identifier: Apache-2.0
// What train() and pretrain() share around their steps.
#pragma once

#include <torch/torch.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "learning/optim/optimizer.h"
#include "learning/optim/schedule.h"
#include "learning/train/checkpoint.h"
#include "learning/train/train.h"

namespace simulacra::learning {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Adds speed and time left to a report.
class Pace {
 public:
  Pace(std::int64_t first_step, std::int64_t images_per_step) : first_step_(first_step), images_per_step_(images_per_step) {}
  /// wait_seconds: spent waiting for data since construction.
  void fill(StepReport& report, double wait_seconds) const;

 private:
  std::int64_t first_step_, images_per_step_;
  Stopwatch watch_;
};

inline bool due(std::int64_t step, int every) { return every > 0 && step % every == 0; }

/// The sum over processes; of one, the tensor itself.
torch::Tensor summed(Collective* peers, const torch::Tensor& local);
/// The same answer in all processes: whether any of them was asked to stop.
bool stop_asked(const TrainControl& control, Collective* peers);

/// The end of a step, once this process's gradients lie in the buffer: sums them over processes and updates the parameters.
/// `done` steps were before. Throws Error, before any parameter changes, when `loss`, that of all processes, is not finite.
StepReport update(optim::FlatParameters& parameters, optim::Optimizer& optimizer, const optim::LearningRate& schedule, Collective* peers,
                  double loss, std::int64_t done);

/// "model.…", "optimizer.…" and "random.cpu".
void add_run_state(Checkpoint& checkpoint, const torch::nn::Module& model, const optim::Optimizer& optimizer);
void restore_run_state(const Checkpoint& checkpoint, const std::filesystem::path& file, const torch::nn::Module& model, optim::Optimizer& optimizer);
/// Throws UsageError that says what differs.
void need_same_run(const Checkpoint& checkpoint, const std::filesystem::path& file, const std::string& config, const std::string& fingerprint,
                   const std::string& data, int processes);

/// Throw UsageError before anything is written: when the loader's images are no whole patches, or the model cannot fit into
/// this machine's memory.
void need_whole_patches(const LoaderOptions& loader, const FrameIndex& frames, const nn::VitOptions& vit);
void need_memory(const nn::VitOptions& vit);

}  // namespace simulacra::learning
