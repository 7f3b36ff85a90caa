// SPDX-License-Identifier: Apache-2.0
// Sigmoid attention, forward and backward, on plain pointers (Ramapuram et al., "Theory, Analysis, and Best Practices for
// Sigmoid Self-Attention"). For one head, with Q (m x d), K (n x d), V (n x dv):
//
//     s_ij = scale * q_i . k_j - slope * |i + n - m - j| + bias,   P_ij = 1 / (1 + exp(-s_ij)),   O = P V
//     dP = dO V^T,  dS = P (1 - P) dP,  dV = P^T dO,  dQ = scale dS K,  dK = scale dS^T Q,
//     dbias = sum dS,  dslope = -sum |i + n - m - j| dS
//
// A hidden pair has P exactly 0, so a row that sees nothing gives o = 0 and dq = 0. Query head h reads key head
// floor(h * kv_heads / heads). Key j is visible to query i iff, with p = i + n - m (bottom-right alignment),
// p - window_left <= j <= p + window_right (a negative window is no bound), j <= p when causal, and j < key_len[batch].
//
// No buffer grows with m * n. The results have the same bits whatever the number of threads and in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace simulacra::kernels::attention {

/// The upper half of a float, as bfloat16 is stored.
struct Bfloat16 {
  std::uint16_t bits = 0;
};

/// Rows of a [batch, heads, rows, width] array: elements of a row are adjacent, the other strides are free, in elements.
template <typename T>
struct HeadedRows {
  T* data = nullptr;
  std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;

  T* head(std::int64_t batch, std::int64_t head) const { return data + batch * batch_stride + head * head_stride; }
};

struct AttentionShape {
  std::int64_t batch = 1, heads = 1, kv_heads = 1;
  std::int64_t queries = 1, keys = 1;         ///< m and n
  std::int64_t head_dim = 1, value_dim = 1;   ///< d and dv
};

/// How the numbers are computed. `automatic` is the fastest that this processor has; the others are for tests and timing.
/// amx takes bfloat16 only (float runs as avx512 there); double always runs as the reference.
enum class CpuPath { automatic, reference, avx2, avx512, amx };

/// "reference" … "amx", or "automatic"; fails with the choices on another name.
CpuPath cpu_path_named(std::string_view name);
std::string_view name_of(CpuPath path);
/// Whether this processor (and operating system) can run it.
bool has_cpu_path(CpuPath path);

struct SigmoidAttentionOptions {
  double scale = 1;
  bool causal = false;
  std::int64_t window_left = -1, window_right = -1;
  const std::int64_t* key_len = nullptr;  ///< [batch], each in 0 … keys; nullptr: all keys
  const double* bias = nullptr;           ///< [heads]; nullptr: 0
  const double* slopes = nullptr;         ///< ALiBi, [heads]; nullptr: none
  CpuPath path = CpuPath::automatic;
};

/// Runs body(0) … body(count - 1) in any order, on any threads.
using ParallelFor = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& body)>;
/// On the calling thread.
void run_in_order(std::int64_t count, const std::function<void(std::int64_t)>& body);

/// The array views that forward and backward read. q [batch, heads, m, d], k [batch, kv_heads, n, d], v [batch, kv_heads, n, dv].
template <typename T>
struct AttentionInputs {
  HeadedRows<const T> q, k, v;
};

/// Written, not added to. Views as those of the inputs; bias and slope [heads] may be nullptr: not wanted;
/// slope is 0 where the options have no slopes.
template <typename T>
struct AttentionGradients {
  HeadedRows<T> q, k, v;
  double* bias = nullptr;
  double* slope = nullptr;
};

/// T is double, float or Bfloat16; sums are kept in double (reference) or float. o is [batch, heads, m, dv].
/// Fails on sizes that do not fit together and on a path that this processor lacks.
template <typename T>
void sigmoid_attention_forward(const AttentionShape& shape, const SigmoidAttentionOptions& options,
                               const AttentionInputs<T>& in, const HeadedRows<T>& o, const ParallelFor& parallel);

/// Needs neither o nor anything else of the forward pass. grad_o is [batch, heads, m, dv].
template <typename T>
void sigmoid_attention_backward(const AttentionShape& shape, const SigmoidAttentionOptions& options,
                                const AttentionInputs<T>& in, const HeadedRows<const T>& grad_o,
                                const AttentionGradients<T>& out, const ParallelFor& parallel);

/// The bytes of scratch that the calling thread holds by now; they are kept and used again. (Beside it, one call of the
/// reference or of a backward pass holds sums of the size of q, k and v.)
std::size_t sigmoid_attention_scratch_bytes();

}  // namespace simulacra::kernels::attention
