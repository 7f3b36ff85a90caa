// SPDX-License-Identifier: Apache-2.0
// Contrastive pretraining of the encoder on views without labels (losses: learning/losses/poly_view.h).
#pragma once

#include <string>

#include "learning/losses/poly_view.h"
#include "learning/train/train.h"

namespace simulacra::learning {

struct ContrastOptions {
  std::string objective = "geometric";  ///< of poly_view_from_name()
  double temperature = 0.1;
  int hidden = 1024, out = 128;         ///< widths of the projector, a perceptron of two layers on the mean token
};
void fields(config::Fields& f, ContrastOptions& o);

struct PretrainOptions {
  std::string data;
  SplitOptions split;                   ///< what a training would hold back takes no part here either
  LoaderOptions loader;                 ///< `views` of each frame; no labels
  nn::VitOptions model;
  ContrastOptions contrast;
  optim::OptimizerOptions optimizer;
  optim::LearningRate schedule;         ///< `total` is the number of steps
  RunOptions run;                       ///< `accumulate` is 1: a contrast needs its whole batch at once
};
void fields(config::Fields& f, PretrainOptions& o);
void check(const PretrainOptions& o);

struct PretrainResult {
  bool took_steps = false;              ///< false when the run had ended before: then there is no loss to tell
  double loss = 0;                      ///< of the last step
  double share_right = 0;               ///< of its anchors, those whose nearest other row is a view of their sample
};

/// Writes OUT/encoder.safetensors, which `run.start_from` of a training takes. Everything else as train().
PretrainResult pretrain(const PretrainOptions& options, const TrainControl& control);

}  // namespace simulacra::learning
