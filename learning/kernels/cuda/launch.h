// SPDX-License-Identifier: Apache-2.0
// Starts planned kernels. One .cu file an element type instantiates the kernels, so that they compile side by side.
#pragma once

#include "learning/kernels/cuda/plan.h"

namespace simulacra::kernels::attention::cuda {

/// Fails with CUDA's own words.
void check_cuda(int code, const char* what);

// With stream a cudaStream_t.
void launch_float64(const Launch& launch, const Params& params, void* stream);
void launch_float32(const Launch& launch, const Params& params, void* stream);
void launch_bfloat16(const Launch& launch, const Params& params, void* stream);
void launch_float16(const Launch& launch, const Params& params, void* stream);

}  // namespace simulacra::kernels::attention::cuda
