// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/ops/src/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::ops::detail {
namespace {

[[noreturn]] void refuse() {
  fail_usage("sigmoid_attention: this build is without CUDA; configure with -DSIMULACRA_CUDA=ON beside a LibTorch for CUDA, or keep the "
             "tensors on the CPU");
}

}  // namespace

Tensor cuda_forward(const Tensor&, const Tensor&, const Tensor&, const Arguments&) { refuse(); }
Gradients cuda_backward(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Arguments&) { refuse(); }

}  // namespace simulacra::ops::detail
