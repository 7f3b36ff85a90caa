// SPDX-License-Identifier: Apache-2.0
// What the dispatcher's keys share: the operator's arguments, checked.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>
#include <tuple>

namespace simulacra::ops::detail {

using torch::Tensor;
using MaybeTensor = std::optional<Tensor>;

/// The schema's arguments behind q, k, v, in its order.
struct Arguments {
  Tensor bias;
  MaybeTensor slopes, key_len;
  std::optional<double> scale;
  bool causal;
  std::int64_t window_left, window_right;
};

/// q, k, v, bias, and slopes (without them: an empty [0]).
using Gradients = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

/// Fails with one line that says which argument, what it was and what was expected. Looks at no values.
void check(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);
void check_grad(const Tensor& grad, const Tensor& q, const Tensor& v);

/// An empty [B, H, m, dv], heads within rows in memory where q has them so.
Tensor empty_output(const Tensor& q, const Tensor& v);
/// Empty dense gradients of the arguments' shapes and dtypes.
Gradients empty_gradients(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);

Tensor cpu_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);
Gradients cpu_backward(const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);

// In a build without CUDA they fail with one line (ops/cuda).
Tensor cuda_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);
Gradients cuda_backward(const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a);

}  // namespace simulacra::ops::detail
