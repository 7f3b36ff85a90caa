// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/cuda/device.h"
#include "learning/kernels/sigmoid_attention_cuda.h"
#include "render/base/error.h"

namespace simulacra::kernels::attention::cuda {
namespace {

[[noreturn]] void refuse() {
  fail_usage("this build is without CUDA: configure with -DSIMULACRA_CUDA=ON where nvcc is installed, or keep the tensors on the CPU");
}

}  // namespace

bool built_with_cuda() { return false; }
void forward(const Call&, const DeviceRows&, void*) { refuse(); }
void backward(const Call&, const DeviceRows&, const DeviceGradients&, void*, void*) { refuse(); }

int device_count() { return 0; }
DeviceDescription device_description() { refuse(); }
void* allocate(std::size_t) { refuse(); }
void release(void*) { refuse(); }
void fill_bytes(void*, int, std::size_t) { refuse(); }
void copy_to_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_host(void*, const void*, std::size_t) { refuse(); }
void wait_for_device() { refuse(); }
double seconds_on_device(const std::function<void()>&) { refuse(); }

}  // namespace simulacra::kernels::attention::cuda
