// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention as a LibTorch operator, `simulacra::sigmoid_attention`, with autograd, meta and autocast; formulas and
// masks: learning/kernels/sigmoid_attention.h. Python loads it from libsimulacra_ops.so:
//
//   torch.ops.load_library("build/lib/libsimulacra_ops.so")
//   o = torch.ops.simulacra.sigmoid_attention(q, k, v, bias, slopes=None, key_len=None, scale=None, causal=False,
//                                             window_left=-1, window_right=-1)
//
// In builds with CUDA the same call takes CUDA tensors, and CUDA's autocast: float16 and bfloat16 on tensor cores up to 128
// channels, computed in float beyond; a key_len above n then counts as n, as its values stay on the device.
//
// The environment variable SIMULACRA_CPU_PATH (automatic, reference, avx2, avx512, amx) chooses how a CPU computes it.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <optional>

namespace simulacra::ops {

struct SigmoidAttentionOptions {
  std::optional<double> scale;     ///< nullopt: 1 / sqrt(d)
  bool causal = false;             ///< aligned to the last query and the last key
  std::int64_t window_left = -1;   ///< keys to the left of a query's own place that it sees; negative: all
  std::int64_t window_right = -1;
};

/// q [B, H, m, d], k [B, Hkv, n, d], v [B, Hkv, n, dv] of one dtype (float64, float32, bfloat16 or float16, the last computed in
/// float32) and any strides; H a multiple of Hkv. bias [], [1] or [H], of any floating dtype: -ln n to begin with.
/// slopes [H]: ALiBi. key_len [B], int64 or int32: keys from there on are padding. Gives [B, H, m, dv] in q's dtype, laid out as q is.
/// Gradients reach q, k, v, bias and slopes, once: a second derivative fails, and so do wrong shapes, dtypes and devices (UsageError).
torch::Tensor sigmoid_attention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v, const torch::Tensor& bias,
                                const std::optional<torch::Tensor>& slopes = std::nullopt,
                                const std::optional<torch::Tensor>& key_len = std::nullopt,
                                const SigmoidAttentionOptions& options = {});

}  // namespace simulacra::ops
