// SPDX-License-Identifier: Apache-2.0
// Training of a dense model on a labelled data set.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "learning/losses/collective.h"
#include "learning/train/evaluate.h"
#include "learning/train/options.h"

namespace simulacra::learning {

/// What a step tells.
struct StepReport {
  std::int64_t step = 0, steps = 0;       ///< done, in all
  double loss = 0, learning_rate = 0, gradient_norm = 0;
  std::vector<std::pair<std::string, double>> tasks;  ///< each task's mean loss, before its weight
  double images_per_s = 0, seconds_left = 0;
  double wait_share = 0;                  ///< of the time, spent waiting for data
};

struct TrainControl {
  std::filesystem::path out;              ///< folder of the run: config.yaml, scalars.csv, checkpoints/, model.safetensors
  bool dry_run = false;                   ///< prepares everything, measures two steps, writes nothing
  std::shared_ptr<Collective> peers;      ///< other processes; nullptr = none
  const std::atomic<bool>* cancel = nullptr;  ///< set from outside: a checkpoint is written, then Cancelled thrown
  std::function<void(const StepReport&)> progress;      ///< on rank 0, each step
  std::function<void(const std::string&)> say;          ///< on rank 0, a line for people
};

struct TrainResult {
  double loss = 0;                        ///< of the last step
  Scores scores;                          ///< on the held-back frames, of the average where there is one
};

/// A run is a function of options and data set: threads of the loader and kills change no bit of its result. A folder with a
/// checkpoint of the same options goes on from there. Throws UsageError when the folder holds another run (with what
/// differs), or options and data do not fit.
TrainResult train(const TrainOptions& options, const TrainControl& control);

/// The held-back and the training frames. Throws UsageError when there are none.
struct TrainFrames {
  FrameIndex train, held_back;
};
TrainFrames frames_of(const std::string& data, const SplitOptions& split);

/// A model of these options with seeded weights, those of `run.start_from` where that is given.
nn::Model make_model(const TrainOptions& options);

}  // namespace simulacra::learning
