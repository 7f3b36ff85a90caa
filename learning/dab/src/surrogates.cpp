// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/dab/surrogates.h"

#include <fmt/ranges.h>

#include "render/base/error.h"

namespace simulacra::learning {

torch::nn::Sequential mlp_surrogate(const std::vector<std::int64_t>& widths, Activation activation) {
  if (widths.size() < 2) fail("a surrogate network needs at least an input and an output width, got {} widths", widths.size());
  torch::nn::Sequential net;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
    if (i > 0 && activation == Activation::tanh) net->push_back(torch::nn::Tanh());
    if (i > 0 && activation == Activation::relu) net->push_back(torch::nn::ReLU());
    net->push_back(torch::nn::Linear(widths[i], widths[i + 1]));
  }
  return net;
}

torch::nn::Sequential elementwise_surrogate(std::int64_t hidden) {
  torch::nn::Sequential net;
  net->push_back(torch::nn::Functional([](const torch::Tensor& z) { return z.unsqueeze(-1); }));
  net->extend(*mlp_surrogate({1, hidden, hidden, 1}));
  net->push_back(torch::nn::Functional([](const torch::Tensor& z) { return z.squeeze(-1); }));
  return net;
}

torch::nn::Sequential affine_surrogate(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.dim() != 2 || b.dim() != 1 || a.size(0) != b.size(0))
    fail("an affine surrogate of A [{}] and b [{}], expected [m, n] and [m]", fmt::join(a.sizes(), ", "), fmt::join(b.sizes(), ", "));
  torch::nn::Linear linear(a.size(1), a.size(0));
  linear->to(a.scalar_type());
  const torch::NoGradGuard no_grad;
  linear->weight.copy_(a);
  linear->bias.copy_(b);
  return torch::nn::Sequential(linear);
}

torch::nn::Sequential identity_surrogate() { return torch::nn::Sequential(torch::nn::Identity()); }

AffineFit fit_affine(const torch::Tensor& z, const torch::Tensor& y, const torch::Tensor& weights) {
  if (z.dim() != 2 || y.dim() != 2 || z.size(0) != y.size(0))
    fail("an affine fit of z [{}] and y [{}], expected [N, n] and [N, m]", fmt::join(z.sizes(), ", "), fmt::join(y.sizes(), ", "));
  const torch::NoGradGuard no_grad;
  const torch::Tensor zd = z.to(torch::kDouble), yd = y.to(torch::kDouble);
  const torch::Tensor w = weights.defined() ? weights.to(torch::kDouble) : torch::ones({z.size(0)}, torch::kDouble);
  const torch::Tensor p = (w / w.sum()).unsqueeze(-1);
  // Centred, so that the slope does not depend on where z lies.
  const torch::Tensor z_mean = (p * zd).sum(0), y_mean = (p * yd).sum(0);
  const torch::Tensor root = p.sqrt();
  const torch::Tensor zc = root * (zd - z_mean), yc = root * (yd - y_mean);
  AffineFit fit;
  fit.a = std::get<0>(torch::linalg_lstsq(zc, yc)).t().contiguous();
  fit.b = y_mean - fit.a.matmul(z_mean);
  fit.residual = (yc - zc.matmul(fit.a.t())).square().sum().item<double>();
  return fit;
}

}  // namespace simulacra::learning
