// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/ops/activations.h"

#include <ATen/Parallel.h>

#include <cstdint>

#include "learning/kernels/activations.h"

namespace simulacra::ops {
namespace {

using torch::Tensor;

constexpr std::int64_t kGrain = 1 << 15;

/// body(pointer type) with the kernels' element of a dtype.
template <typename Body>
void with_element(const Tensor& x, const Body& body) {
  if (x.scalar_type() == at::kFloat) body(float{});
  else body(std::uint16_t{});
}

template <typename Body>
void in_ranges(std::int64_t count, const Body& body) {
  at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) { body(begin, static_cast<std::size_t>(end - begin)); });
}

class Gelu : public torch::autograd::Function<Gelu> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given) {
    const Tensor x = given.is_non_overlapping_and_dense() ? given : given.contiguous();
    Tensor y = at::empty_like(x);
    with_element(x, [&](auto element) {
      using T = decltype(element);
      const T* in = static_cast<const T*>(x.const_data_ptr());
      T* out = static_cast<T*>(y.data_ptr());
      in_ranges(x.numel(), [&](std::int64_t i, std::size_t n) { kernels::gelu(in + i, out + i, n); });
    });
    context->save_for_backward({x});
    return y;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& grads) {
    const Tensor x = context->get_saved_variables()[0];
    Tensor dx = at::empty_like(x);
    const Tensor dy = grads[0].strides() == x.strides() ? grads[0] : at::empty_like(x).copy_(grads[0]);
    with_element(x, [&](auto element) {
      using T = decltype(element);
      const T *in = static_cast<const T*>(x.const_data_ptr()), *up = static_cast<const T*>(dy.const_data_ptr());
      T* out = static_cast<T*>(dx.data_ptr());
      in_ranges(x.numel(), [&](std::int64_t i, std::size_t n) { kernels::gelu_backward(in + i, up + i, out + i, n); });
    });
    return {dx};
  }
};

}  // namespace

Tensor gelu(const Tensor& x) {
  const bool has_kernel = x.device().is_cpu() && x.numel() > 0 && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
  return has_kernel ? Gelu::apply(x) : torch::gelu(x);
}

}  // namespace simulacra::ops
