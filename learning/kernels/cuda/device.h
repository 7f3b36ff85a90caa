// SPDX-License-Identifier: Apache-2.0
// What tests and timings need of a GPU, without CUDA's headers. Every call but device_count() fails in a build without CUDA,
// and with CUDA's own words on an error.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace simulacra::kernels::attention::cuda {

/// Devices that the kernels run on; 0 in a build without CUDA, and where the driver is missing.
int device_count();

struct DeviceDescription {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  int multiprocessors = 0;
  double clock_hz = 0;       ///< at most
};
/// Of the current device.
DeviceDescription device_description();

void* allocate(std::size_t bytes);
void release(void* memory);
void fill_bytes(void* memory, int value, std::size_t bytes);
void copy_to_device(void* to, const void* from, std::size_t bytes);
void copy_to_host(void* to, const void* from, std::size_t bytes);
void wait_for_device();
/// The seconds that the device takes for all that work() starts on the default stream.
double seconds_on_device(const std::function<void()>& work);

}  // namespace simulacra::kernels::attention::cuda
