// SPDX-License-Identifier: Apache-2.0
// The host's side of a build with CUDA, by the runtime's C interface.
#include <cuda_runtime_api.h>

#include "learning/kernels/cuda/device.h"
#include "learning/kernels/cuda/launch.h"
#include "learning/kernels/cuda/plan.h"
#include "learning/kernels/sigmoid_attention_cuda.h"
#include "render/base/error.h"

namespace simulacra::kernels::attention::cuda {
namespace {

int attribute(cudaDeviceAttr what) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "finding the device");
  check_cuda(cudaDeviceGetAttribute(&value, what, device), "asking for a device's properties");
  return value;
}

DeviceLimits limits() {
  const int major = attribute(cudaDevAttrComputeCapabilityMajor);
  if (major < 8) fail_usage("sigmoid attention needs a GPU of compute capability 8.0 or more; this one has {}", major);
  return {attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), attribute(cudaDevAttrMultiProcessorCount)};
}

void start(const Plan& plan, void* stream) {
  for (const Launch& launch : plan.launches) {
    switch (launch.element) {
      case Element::float64: launch_float64(launch, plan.params, stream); break;
      case Element::float32: launch_float32(launch, plan.params, stream); break;
      case Element::bfloat16: launch_bfloat16(launch, plan.params, stream); break;
      case Element::float16: launch_float16(launch, plan.params, stream); break;
    }
  }
}

}  // namespace

void check_cuda(int code, const char* what) {
  if (code != cudaSuccess) fail("CUDA: {}: {}", what, cudaGetErrorString(static_cast<cudaError_t>(code)));
}

bool built_with_cuda() { return true; }

void forward(const Call& call, const DeviceRows& o, void* stream) { start(forward_plan(call, o, limits()), stream); }
void backward(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out, void* workspace, void* stream) {
  start(backward_plan(call, grad_o, out, workspace, limits()), stream);
}

int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

DeviceDescription device_description() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "finding the device");
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device), "asking for a device's properties");
  return {properties.name, properties.major, properties.minor, properties.multiProcessorCount, 1e3 * attribute(cudaDevAttrClockRate)};
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "allocating");
  return memory;
}
void release(void* memory) { check_cuda(cudaFree(memory), "releasing"); }
void fill_bytes(void* memory, int value, std::size_t bytes) { check_cuda(cudaMemset(memory, value, bytes), "filling"); }
void copy_to_device(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copying to the device");
}
void copy_to_host(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copying from the device");
}
void wait_for_device() { check_cuda(cudaDeviceSynchronize(), "waiting for the device"); }

double seconds_on_device(const std::function<void()>& work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check_cuda(cudaEventCreate(&begin), "making an event");
  check_cuda(cudaEventCreate(&end), "making an event");
  check_cuda(cudaEventRecord(begin, nullptr), "recording an event");
  work();
  check_cuda(cudaEventRecord(end, nullptr), "recording an event");
  check_cuda(cudaEventSynchronize(end), "waiting for an event");
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, begin, end), "reading events");
  check_cuda(cudaEventDestroy(begin), "releasing an event");
  check_cuda(cudaEventDestroy(end), "releasing an event");
  return static_cast<double>(milliseconds) / 1e3;
}

}  // namespace simulacra::kernels::attention::cuda
