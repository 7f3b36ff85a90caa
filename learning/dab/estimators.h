// SPDX-License-Identifier: Apache-2.0
// What a bridge is to be compared with.
#pragma once

#include <torch/torch.h>

#include "learning/dab/hard.h"

namespace simulacra::learning {

/// `value` forward, bit for bit; the gradient goes to `route` unchanged. Throws Error when their shapes differ.
torch::Tensor with_gradient_of(const torch::Tensor& value, const torch::Tensor& route);

/// h(z) whose gradient is handed to z as if h were the identity.
torch::Tensor straight_through(const HardFunction& h, const torch::Tensor& z);
/// h(z) with its own gradient almost everywhere: zero or none for steps, a permutation for sorting.
torch::Tensor exact_gradient(const HardFunction& h, const torch::Tensor& z);

struct GumbelOptions {
  double temperature = 1;
  bool hard = false;  ///< a decision forward, the relaxed gradient backward
};
/// Bits in 0 … 1 of logits, of any shape: sigmoid((logits + logistic noise) / temperature). `uniform` in [0, 1) is the noise.
torch::Tensor gumbel_sigmoid(const torch::Tensor& logits, const torch::Tensor& uniform, const GumbelOptions& options = {});
/// One of the last dimension [Jang, Gu, Poole 2017]: softmax((logits + Gumbel noise) / temperature).
torch::Tensor gumbel_softmax(const torch::Tensor& logits, const torch::Tensor& uniform, const GumbelOptions& options = {});

}  // namespace simulacra::learning
