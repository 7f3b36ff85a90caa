// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

namespace simulacra::ops {

/// x Phi(x), as torch::gelu to float32's rounding. On a CPU, float32 and bfloat16 run in one pass over memory in each direction
/// (learning/kernels/activations.h), several times faster; everything else is torch::gelu.
torch::Tensor gelu(const torch::Tensor& x);

}  // namespace simulacra::ops
