// SPDX-License-Identifier: Apache-2.0
// The start of one kernel; included by the .cu files only.
#pragma once

#include <cuda_runtime.h>

#include "learning/kernels/cuda/bodies.h"
#include "learning/kernels/cuda/launch.h"

namespace simulacra::kernels::attention::cuda {

template <class Body>
__global__ void __launch_bounds__(Body::kThreads, Body::kMinBlocks) entry(Params params) {
  Body::run(params);
}

struct Start {
  const Launch& launch;
  const Params& params;
  void* stream;

  template <class Body>
  void operator()() const {
    constexpr int kWithoutAsking = 48 * 1024;
    if (launch.shared_bytes > kWithoutAsking)
      check_cuda(cudaFuncSetAttribute(entry<Body>, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.shared_bytes),
                 "asking for shared memory");
    entry<Body><<<static_cast<unsigned>(launch.blocks), Body::kThreads, static_cast<std::size_t>(launch.shared_bytes),
                  static_cast<cudaStream_t>(stream)>>>(params);
    check_cuda(cudaGetLastError(), "starting a kernel");
  }
};

}  // namespace simulacra::kernels::attention::cuda
