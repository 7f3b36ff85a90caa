// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace simulacra::optim {

/// Zeros (count). Long buffers on a CPU ask the system for huge pages before they are touched: an update that streams
/// through five of them is a third faster.
torch::Tensor flat_buffer(std::int64_t count, const torch::TensorOptions& options);

}  // namespace simulacra::optim
