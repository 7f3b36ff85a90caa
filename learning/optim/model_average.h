// SPDX-License-Identifier: Apache-2.0
// An exponential average of a model, and what happens to hyper-parameters when the batch becomes k times as large
// [Busbridge et al. 2023].
#pragma once

#include <torch/torch.h>

#include <string>
#include <utility>
#include <vector>

#include "learning/optim/flat_parameters.h"

namespace simulacra::optim {

/// mean = rho mean + (1 - rho) theta, from the values at construction. Updated after the optimizer's step it takes the new
/// values, before it the old ones: their steady lags behind a ramp are rho / (1 - rho) and 1 / (1 - rho) updates.
class ModelAverage {
 public:
  /// What is done with buffers, such as the statistics of batch normalisation. Integers are copied always.
  enum class Buffers { average, copy };

  explicit ModelAverage(const FlatParameters& parameters, std::vector<torch::Tensor> buffers = {}, Buffers policy = Buffers::average);

  void update(const FlatParameters& parameters, double rho);
  /// Exchanges the average and the model's values and buffers: once to evaluate the average, once more to train on.
  void swap_with(FlatParameters& parameters);

  torch::Tensor& values() { return mean_; }              ///< (size), laid out as FlatParameters::values
  const torch::Tensor& values() const { return mean_; }
  const std::vector<torch::Tensor>& buffers() const { return buffer_means_; }

 private:
  torch::Tensor mean_;
  std::vector<torch::Tensor> buffers_, buffer_means_;
  Buffers policy_;
};

enum class OptimizerKind { sgd, adam };

/// What depends on the size of a batch.
struct HyperParameters {
  double batch = 256;
  double lr = 1e-3;
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;  ///< Adam; SGD leaves them as they are
  double rho = 0.999;                                               ///< of the model average
};

struct Scaled {
  HyperParameters values;
  bool second_moment_short = false;  ///< k (1 - beta2) >= 1/2: the squares remember two batches at most
  bool average_short = false;        ///< k (1 - rho) > 1/2
  bool beta1_valid = true;           ///< k (1 - beta1) < 1
  std::vector<std::string> warnings; ///< one line for each that holds
};

/// Batch times k: SGD lr k; Adam lr sqrt(k), 1 - beta times k, eps / sqrt(k), decay sqrt(k); averages rho^k. Updates and
/// schedules shrink to 1/k of the steps: they are functions of the samples seen. A batch changed during training uses the
/// ratio of the sizes from that step on, without a new start. The form is returned also where a warning says that it does
/// not hold: beta1 may then be negative. Throws UsageError unless k > 0.
Scaled scale_hyperparameters(const HyperParameters& base, double k, OptimizerKind kind);

/// batch ln 0.5 / ln rho, which the rule keeps.
double half_life_in_samples(const HyperParameters& h);

/// Momentum that rises from rho to 1 over `total` samples: 1 - (1 - rho)(1 + cos(pi samples / total)) / 2. For a batch k
/// times as large take its k-th power at the same number of samples.
double cosine_momentum(double rho, double samples, double total);

}  // namespace simulacra::optim
