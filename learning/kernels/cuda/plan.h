// SPDX-License-Identifier: Apache-2.0
// Which kernels a call starts, with how many blocks and how much shared memory. Plain C++: nothing here knows CUDA.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/kernels/cuda/params.h"
#include "learning/kernels/sigmoid_attention_cuda.h"

namespace simulacra::kernels::attention::cuda {

enum class Kernel { forward, forward_short, query_gradients, key_gradients, sum_heads };

struct Launch {
  Kernel kernel;
  Element element;
  int width;  ///< the larger of head_dim and value_dim
  std::int64_t blocks;
  int shared_bytes;
};

struct Plan {
  Params params;
  std::vector<Launch> launches;
};

/// The device that a plan is for.
struct DeviceLimits {
  int shared_bytes_per_block = 99 * 1024;  ///< of dynamic shared memory, on request
  int multiprocessors = 1;
};

// Rows of a block on tensor cores.
constexpr int kForwardRows = 128, kKeyRows = 64, kShortMaxKeys = 256;
constexpr int query_rows(int width) { return width <= 64 ? 128 : 64; }

/// UsageError on what a Call does not allow.
Plan forward_plan(const Call& call, const DeviceRows& o, const DeviceLimits& device);
Plan backward_plan(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out, void* workspace, const DeviceLimits& device);

}  // namespace simulacra::kernels::attention::cuda
