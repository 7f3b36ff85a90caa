// SPDX-License-Identifier: Apache-2.0
// Where the kernels of a test run: emulated_backend.cpp on the host, device_backend.cpp on a GPU. One of them is linked.
#pragma once

#include <cstddef>
#include <string>

#include "learning/kernels/sigmoid_attention_cuda.h"

namespace simulacra::test::backend {

/// Empty, or why there is none here.
std::string missing();

/// Memory of the device for as long as this lives.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// A copy that kernels only read, and room that they may write, first filled with bytes 0xff: NaN in every type.
  const void* copy(const void* data, std::size_t bytes);
  void* room(std::size_t bytes);
  void fetch(void* to, const void* from, std::size_t bytes) const;

  // Wait until done.
  void forward(const kernels::attention::cuda::Call& call, const kernels::attention::cuda::DeviceRows& o);
  void backward(const kernels::attention::cuda::Call& call, const kernels::attention::cuda::DeviceRows& grad_o,
                const kernels::attention::cuda::DeviceGradients& out);

 private:
  struct State;
  State* state_;
};

}  // namespace simulacra::test::backend
