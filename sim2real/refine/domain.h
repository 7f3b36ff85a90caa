// SPDX-License-Identifier: Apache-2.0
// Baseline at the level of features: domain-adversarial training [Ganin et al. 2016]. A head tells from an estimator's
// features whether an image is synthetic or real; its gradient reaches the features with the sign turned, so that they lose
// what tells the two apart. It refines no image.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace simulacra::sim2real {

/// x as it is; its gradient is -weight times the one that arrives.
torch::Tensor reverse_gradient(const torch::Tensor& x, double weight);

/// 2 / (1 + exp(-10 p)) - 1 for p in [0, 1], the share of the training that is done: the head learns before it pushes.
double reversal_weight(double progress);

/// features -> width, ReLU -> one logit, positive when real.
class DomainHeadImpl : public torch::nn::Module {
 public:
  DomainHeadImpl(std::int64_t features, std::int64_t width);
  /// [B] from [B, ...], flattened, with the gradient reversed.
  torch::Tensor forward(const torch::Tensor& features, double weight);

 private:
  torch::nn::Linear hidden_{nullptr}, out_{nullptr};
};
TORCH_MODULE(DomainHead);

/// A scalar: cross entropy of the head's logits, both domains with equal weight.
torch::Tensor domain_loss(const torch::Tensor& logits_of_synthetic, const torch::Tensor& logits_of_real);

}  // namespace simulacra::sim2real
