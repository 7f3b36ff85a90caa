// SPDX-License-Identifier: Apache-2.0
// A layer around any hard function h, after Ramapuram and Webb, "Differentiable approximation bridges" (2019): h in the
// forward pass, the Jacobian of a small network g, trained to imitate h, in the backward pass.
//
//   y = h(z)                       the value, bit for bit
//   dL/dz = J_g(z)^T dL/dy         weights of g get nothing from the task
//   loss = mean over samples of the sum over features of (g(z) - h(z))^2: weights of g only; z and h get nothing
//
// Two passes of g: one with frozen weights for the route of the gradient, one with z cut off for the loss. So g is to
// have no dropout and no batch statistics. Dim 0 of z counts samples; all others are features.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "learning/dab/hard.h"

namespace simulacra::learning {

/// What one use of a bridge gives. Nothing is kept in the layer, so it can be used several times in a step.
struct BridgeOutput {
  torch::Tensor y;         ///< h(z)
  torch::Tensor loss;      ///< a scalar to be added to the task's loss, times a weight; undefined without grad mode
  torch::Tensor residual;  ///< its value, detached; undefined as the loss
  torch::Tensor variance;  ///< sum over features of the variance of y over samples, detached; undefined as the loss
};

class BridgeImpl : public torch::nn::Module {
 public:
  /// `surrogate` is g: from z to a tensor of h(z)'s shape.
  BridgeImpl(HardFunction hard, torch::nn::Sequential surrogate);

  /// Throws Error when g and h give different shapes. Without grad mode this is h alone: g is not needed for inference.
  /// While it runs it freezes the weights of g: one layer is to be used by one thread at a time.
  BridgeOutput forward(const torch::Tensor& z);

  /// How well g follows h on z now, without a graph: residual and variance are defined, loss is not.
  BridgeOutput measure(const torch::Tensor& z);

  torch::nn::Sequential surrogate() const { return surrogate_; }

 private:
  HardFunction hard_;
  torch::nn::Sequential surrogate_;
};
TORCH_MODULE(Bridge);

/// Mean of the losses of several uses or layers.
torch::Tensor mean_bridge_loss(std::span<const BridgeOutput> uses);

/// residual / variance: 0 when g follows h, 1 when a constant would do as well, and above 0.5 the gradient is mostly noise.
/// nullopt when y does not vary.
std::optional<double> relative_residual(const BridgeOutput& use);

/// Watches the relative residual, averaged over a window of steps.
class ResidualMonitor {
 public:
  struct Options {
    double threshold = 0.5;
    int window = 50;  ///< uses that are averaged, and that a warning takes at least
  };
  explicit ResidualMonitor(std::string name) : ResidualMonitor(std::move(name), Options{}) {}
  ResidualMonitor(std::string name, Options options);

  /// Adds one use, and logs a warning that says what helps when the average has passed the threshold; then again only
  /// after it has been below. Returns whether it warned.
  bool observe(const BridgeOutput& use);
  /// Residual over variance, both averaged exponentially over the window; nullopt before the first use that varies.
  std::optional<double> rho() const;

 private:
  std::string name_;
  Options options_;
  double residual_ = 0, variance_ = 0;
  std::int64_t uses_ = 0;
  bool warned_ = false;
};

/// Weights of a model apart: those of its bridges' surrogates are for an optimiser group of their own.
struct ParameterGroups {
  std::vector<torch::Tensor> network;
  std::vector<torch::Tensor> surrogates;
};
ParameterGroups parameter_groups(const torch::nn::Module& model);

}  // namespace simulacra::learning
