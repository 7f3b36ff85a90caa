// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/domain.h"

#include <cmath>

namespace simulacra::sim2real {
namespace {

struct ReverseGradient : torch::autograd::Function<ReverseGradient> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double weight) {
    context->saved_data["weight"] = weight;
    return x.view_as(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& gradients) {
    return {-context->saved_data["weight"].toDouble() * gradients[0], torch::Tensor()};
  }
};

}  // namespace

torch::Tensor reverse_gradient(const torch::Tensor& x, double weight) { return ReverseGradient::apply(x, weight); }

double reversal_weight(double progress) { return 2 / (1 + std::exp(-10 * progress)) - 1; }

DomainHeadImpl::DomainHeadImpl(std::int64_t features, std::int64_t width)
    : hidden_(register_module("hidden", torch::nn::Linear(features, width))), out_(register_module("out", torch::nn::Linear(width, 1))) {}

torch::Tensor DomainHeadImpl::forward(const torch::Tensor& features, double weight) {
  return out_->forward(torch::relu(hidden_->forward(reverse_gradient(features.flatten(1), weight)))).squeeze(1);
}

torch::Tensor domain_loss(const torch::Tensor& synthetic, const torch::Tensor& real) {
  return 0.5 * (torch::softplus(synthetic).mean() + torch::softplus(-real).mean());
}

}  // namespace simulacra::sim2real
