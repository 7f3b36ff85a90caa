// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/dab/estimators.h"

#include <fmt/ranges.h>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The formula value + (route - stop(route)) gives the same gradients, but turns -0 into 0 and an infinite route into NaN.
struct WithGradientOf : torch::autograd::Function<WithGradientOf> {
  static torch::Tensor forward(AutogradContext*, const torch::Tensor& value, const torch::Tensor&) { return value.view_as(value); }
  static variable_list backward(AutogradContext*, variable_list grads) { return {torch::Tensor(), grads[0]}; }
};

/// Uniform noise kept off 0 and 1, whose logarithms are infinite.
torch::Tensor inner(const torch::Tensor& uniform) { return uniform.clamp(1e-6, 1 - 1e-6); }

void check_noise(const torch::Tensor& logits, const torch::Tensor& uniform, const GumbelOptions& o) {
  if (logits.sizes() != uniform.sizes())
    fail("Gumbel noise is [{}] for logits [{}]", fmt::join(uniform.sizes(), ", "), fmt::join(logits.sizes(), ", "));
  if (!(o.temperature > 0)) fail("Gumbel temperature is {}, expected more than 0", o.temperature);
}

}  // namespace

torch::Tensor with_gradient_of(const torch::Tensor& value, const torch::Tensor& route) {
  if (value.sizes() != route.sizes() || value.scalar_type() != route.scalar_type())
    fail("a value {} [{}] cannot take the gradient of {} [{}]", c10::toString(value.scalar_type()), fmt::join(value.sizes(), ", "),
         c10::toString(route.scalar_type()), fmt::join(route.sizes(), ", "));
  return WithGradientOf::apply(value.detach(), route);
}

torch::Tensor straight_through(const HardFunction& h, const torch::Tensor& z) { return with_gradient_of(h(z.detach()), z); }

torch::Tensor exact_gradient(const HardFunction& h, const torch::Tensor& z) { return h(z); }

torch::Tensor gumbel_sigmoid(const torch::Tensor& logits, const torch::Tensor& uniform, const GumbelOptions& options) {
  check_noise(logits, uniform, options);
  const torch::Tensor u = inner(uniform);
  const torch::Tensor soft = torch::sigmoid((logits + u.log() - torch::log1p(-u)) / options.temperature);
  return options.hard ? with_gradient_of((soft.detach() > 0.5).to(soft.scalar_type()), soft) : soft;
}

torch::Tensor gumbel_softmax(const torch::Tensor& logits, const torch::Tensor& uniform, const GumbelOptions& options) {
  check_noise(logits, uniform, options);
  const torch::Tensor soft = torch::softmax((logits - (-inner(uniform).log()).log()) / options.temperature, -1);
  return options.hard ? with_gradient_of(hard::argmax(soft.detach()), soft) : soft;
}

}  // namespace simulacra::learning
