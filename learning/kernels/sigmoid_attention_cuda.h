// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention on NVIDIA GPUs of compute capability 8.0 and up; formulas and masks: sigmoid_attention.h. The header
// knows neither CUDA nor LibTorch. In a build without CUDA, forward and backward fail with one line.
//
// 16-bit elements run on tensor cores: tiles of keys are copied to shared memory while the tiles before them are
// multiplied, P stays in registers, and no buffer grows with m * n. float and double run on plain multiply-add units.
// All results have the same bits in every run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "learning/kernels/sigmoid_attention.h"

namespace simulacra::kernels::attention::cuda {

enum class Element { float64, float32, bfloat16, float16 };

/// HeadedRows of any element type, in device memory; strides in elements.
struct DeviceRows {
  void* data = nullptr;
  std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
};

/// Every pointer is one of device memory. 16-bit elements: head_dim and value_dim are multiples of 8 up to 128, strides are
/// multiples of 8, data is aligned to 16 bytes. float: sizes up to 256, double: up to 128, any strides. The smallest P
/// that counts is 2^-62 in bfloat16 and 2^-25 in float16, whose products of P and V are of that type.
struct Call {
  Element element = Element::float32;
  AttentionShape shape;
  double scale = 1;
  bool causal = false;
  std::int64_t window_left = -1, window_right = -1;
  const std::int64_t* key_len = nullptr;  ///< [batch], each in 0 … keys (not checked: it is on the device); nullptr: all
  const double* bias = nullptr;           ///< [heads]; nullptr: 0
  const double* slopes = nullptr;         ///< [heads]; nullptr: none
  DeviceRows q, k, v;
};

/// Written, not added to, in the element type. bias and slope [heads] may be nullptr; slope is 0 without slopes.
struct DeviceGradients {
  DeviceRows q, k, v;
  double* bias = nullptr;
  double* slope = nullptr;
};

/// Whether this build has the kernels. (Whether there is a device: device_count in cuda/device.h.)
bool built_with_cuda();

/// Starts the forward pass on a stream (a cudaStream_t; nullptr: the default one) of the current device and returns at once.
/// Fails on sizes, strides and alignment outside what Call allows, and with CUDA's own words on a failed start.
void forward(const Call& call, const DeviceRows& o, void* stream);

/// The bytes of device memory that backward needs as `workspace`: sums of one block each, 16 bytes for every 32 to 128 queries.
std::size_t backward_workspace_bytes(const Call& call);
/// As forward. Needs nothing of the forward pass. workspace is aligned to 16 bytes and in use until the stream has passed.
void backward(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out, void* workspace, void* stream);

}  // namespace simulacra::kernels::attention::cuda
