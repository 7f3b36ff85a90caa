// SPDX-License-Identifier: Apache-2.0
// AdamW and AdEMAMix over flat parameters: formulas in learning/kernels/optim.h, schedules in schedule.h.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>

#include "learning/optim/flat_parameters.h"

namespace simulacra::config {
class Fields;
}

namespace simulacra::optim {

struct OptimizerOptions {
  std::string method = "adamw";  ///< adamw | ademamix
  double beta1 = 0.9;            ///< 0 leaves m1 out: AdEMAMix then takes AdamW's memory
  double beta2 = 0.999;
  double eps = 1e-8;
  double clip = 0;               ///< largest norm of the whole gradient; 0 = as it is
  // AdEMAMix
  double beta3 = 0.9999;
  double alpha = 5;
  int alpha_over = 0;            ///< updates until alpha is reached; 0 = from the first
  int beta3_over = 0;            ///< updates until beta3 is reached; 0 = from the first
  double beta3_start = 0;        ///< where beta3 begins; 0 = at beta1, or at 0.9 when beta1 is 0
  int count_from = 1;            ///< the schedules' argument in the first update: 1 or 0
  std::string slow_average = "float32";  ///< how m2 is kept: float32, or bfloat16 rounded at random (float32 parameters on CPUs)
  std::uint64_t seed = 0;        ///< of that rounding
};
void fields(config::Fields& f, OptimizerOptions& o);

class Optimizer {
 public:
  /// What a step did.
  struct Report {
    double gradient_norm = 0;  ///< before clipping; 0 when clip is 0
    double alpha = 0, beta3 = 0;
  };
  using State = std::map<std::string, torch::Tensor>;

  /// Keeps a reference to `parameters`.
  Optimizer(FlatParameters& parameters, const OptimizerOptions& options);

  /// One update from the gradients in the buffer, which stay as they are. `lr` is multiplied by each group's factor.
  /// Throws Error when clipping meets a norm that is not finite, before any parameter changes.
  Report step(double lr);
  /// AdEMAMix from here on: m1, v and the count go on, m2 starts at 0, the schedules count from here. beta1, beta2, eps
  /// and clip are taken from `options` too. Throws UsageError when `options` is not AdEMAMix, or beta1 is 0 in one only.
  void switch_to_ademamix(const OptimizerOptions& options);

  std::int64_t updates() const { return updates_; }
  const OptimizerOptions& options() const { return options_; }
  std::int64_t state_bytes() const;

  /// "updates" and "switched_at" (int64), "v", "m1" unless beta1 = 0, "m2" with AdEMAMix: each as long as the buffer. The
  /// tensors are the optimizer's own, to be written before the next step.
  State state_dict() const;
  /// Copies. Throws Error that names the entry which is missing, unknown, or of another size or type.
  void load_state_dict(const State& state);

 private:
  torch::Tensor new_state(torch::ScalarType type) const;
  torch::Tensor new_slow_average() const;
  double clip_scale(Report& report) const;

  FlatParameters& parameters_;
  OptimizerOptions options_;
  std::int64_t updates_ = 0, switched_at_ = 0;
  torch::Tensor m1_, v_, m2_;
};

namespace detail {
/// The update in tensor operations, for devices without a kernel of ours. `m1` and `m2` may be undefined.
void step_with_tensors(torch::Tensor theta, const torch::Tensor& gradient, torch::Tensor m1, torch::Tensor v, torch::Tensor m2,
                       double lr, double weight_decay, double grad_scale, double alpha, double beta3, std::int64_t t,
                       const OptimizerOptions& o);
}  // namespace detail

}  // namespace simulacra::optim
