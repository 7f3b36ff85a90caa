// SPDX-License-Identifier: Apache-2.0
// Ways to make synthetic pictures look real, trained step by step, left at any step and taken up again.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "learning/record/scalar_log.h"
#include "sim2real/refinery/options.h"

namespace simulacra::sim2real {

using NamedTensors = std::map<std::string, torch::Tensor>;

class Method {
 public:
  virtual ~Method() = default;
  virtual std::int64_t steps() const = 0;
  /// Steps before the labels could move: what comes before them is warm-up.
  virtual std::int64_t warmup() const = 0;
  /// Step `step`, from 0; returns its losses by name. Throws Error when one is not finite.
  virtual NamedScalars step(std::int64_t step, const Batches& synthetic, const Batches& real) = 0;
  /// [B, C, H, W] in [-1, 1] to the same. After steps() steps, or whenever one wants to see.
  virtual torch::Tensor refine(const torch::Tensor& images) = 0;
  /// What refine() depends on.
  virtual NamedTensors weights() const = 0;
  /// Everything that later steps depend on, beside the batches.
  virtual NamedTensors state() const = 0;
  /// What state() gave after some step. Throws Error naming `file` when it does not fit.
  virtual void restore(const NamedTensors& state, const std::string& file) = 0;
};

/// rows, columns: of the crops. Throws UsageError where check() does.
std::unique_ptr<Method> make_method(const RefineOptions& options, std::int64_t rows, std::int64_t columns);

}  // namespace simulacra::sim2real
