// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "learning/kernels/cuda/device.h"
#include "tests/learning/kernels/cuda/backend.h"

namespace simulacra::test::backend {

using namespace kernels::attention::cuda;

struct Memory::State {
  std::vector<void*> blocks;

  void* allocate(std::size_t bytes) {
    blocks.push_back(kernels::attention::cuda::allocate(bytes + 1));  // of nothing, CUDA gives nullptr
    return blocks.back();
  }
};

std::string missing() { return device_count() > 0 ? "" : "no NVIDIA GPU"; }

Memory::Memory() : state_(new State) {}
Memory::~Memory() {
  for (void* block : state_->blocks) release(block);
  delete state_;
}

const void* Memory::copy(const void* data, std::size_t bytes) {
  void* const to = state_->allocate(bytes);
  copy_to_device(to, data, bytes);
  return to;
}
void* Memory::room(std::size_t bytes) {
  void* const to = state_->allocate(bytes);
  fill_bytes(to, 0xff, bytes);
  return to;
}
void Memory::fetch(void* to, const void* from, std::size_t bytes) const { copy_to_host(to, from, bytes); }

void Memory::forward(const Call& call, const DeviceRows& o) {
  kernels::attention::cuda::forward(call, o, nullptr);
  wait_for_device();
}
void Memory::backward(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out) {
  kernels::attention::cuda::backward(call, grad_o, out, room(backward_workspace_bytes(call)), nullptr);
  wait_for_device();
}

}  // namespace simulacra::test::backend
