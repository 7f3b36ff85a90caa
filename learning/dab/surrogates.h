// SPDX-License-Identifier: Apache-2.0
// Networks that imitate hard functions.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "learning/dab/hard.h"

namespace simulacra::learning {

enum class Activation : std::uint8_t { tanh, relu };

/// Linear layers between these widths, an activation between two of them: {32, 64, 64, 32}.
torch::nn::Sequential mlp_surrogate(const std::vector<std::int64_t>& widths, Activation activation = Activation::tanh);
/// One scalar network for every feature: 1 -> hidden -> hidden -> 1. For element-wise hard functions.
torch::nn::Sequential elementwise_surrogate(std::int64_t hidden = 16);
/// g(z) = A z + b.
torch::nn::Sequential affine_surrogate(const torch::Tensor& a, const torch::Tensor& b);
/// g(z) = z: the bridge is straight-through.
torch::nn::Sequential identity_surrogate();

/// The affine map nearest to h in the mean square: y ~ A z + b.
struct AffineFit {
  torch::Tensor a;      ///< [m, n]
  torch::Tensor b;      ///< [m]
  double residual = 0;  ///< weighted mean of |A z + b - y|^2
};
/// Least squares on z [N, n], y [N, m], with weights [N] (equal when undefined). In double precision.
AffineFit fit_affine(const torch::Tensor& z, const torch::Tensor& y, const torch::Tensor& weights = {});

}  // namespace simulacra::learning
