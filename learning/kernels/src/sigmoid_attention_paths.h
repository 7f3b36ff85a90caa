// SPDX-License-Identifier: Apache-2.0
// What the dispatcher calls. The reference takes the whole problem; the fast paths take it in tasks, one a thread at a time,
// and know nothing of threads. Their files are compiled for instruction sets that the processor may lack: nothing of the
// standard library is instantiated there, or the linker could keep such an instance for everybody.
#pragma once

#include <cstdint>

#include "learning/kernels/sigmoid_attention.h"
#include "learning/kernels/src/attention_visibility.h"

namespace simulacra::kernels::attention {

/// Index of the key head that a query head reads.
inline std::int64_t kv_head_of(const AttentionShape& shape, std::int64_t head) { return head * shape.kv_heads / shape.heads; }

namespace reference {
template <typename T>
void forward(const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
             const HeadedRows<T>& o, const ParallelFor& parallel);
template <typename T>
void backward(const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
              const HeadedRows<const T>& grad_o, const AttentionGradients<T>& out, const ParallelFor& parallel);
}  // namespace reference

/// Cuts the problem into tasks of a path that is not the reference. T is float or Bfloat16.
namespace fast {
template <typename T>
void forward(CpuPath path, const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
             const HeadedRows<T>& o, const ParallelFor& parallel);
template <typename T>
void backward(CpuPath path, const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
              const HeadedRows<const T>& grad_o, const AttentionGradients<T>& out, const ParallelFor& parallel);
}  // namespace fast

/// Rows of one head, elements of a row adjacent.
template <typename T>
struct Rows {
  T* data = nullptr;
  std::int64_t stride = 0;

  T* row(std::int64_t i) const { return data + i * stride; }
};

/// What is the same for all pairs of one batch element and query head.
struct Score {
  float scale = 1, bias = 0, slope = 0;
  bool has_slope = false;
  Visibility visible;
  std::int64_t d = 1, dv = 1;
};

/// Queries begin … end - 1 of one head: writes their rows of o.
template <typename T>
struct ForwardTask {
  Score score;
  Rows<const T> q, k, v;
  Rows<T> o;
  std::int64_t begin = 0, end = 0;
};

/// All queries of one query head against keys begin … end - 1.
template <typename T>
struct BackwardTask {
  Score score;
  Rows<const T> q, k, v, grad_o;
  std::int64_t queries = 0, begin = 0, end = 0;
  std::int64_t width_d = 0, width_dv = 0;  ///< of the rows of dq, dk and dv: d and dv rounded up to 16 (amx: 32)
  float* dq = nullptr;                     ///< [queries, width_d], set
  float *dk = nullptr, *dv = nullptr;      ///< [end - begin rounded up to 32, width], added to; nothing in what is behind the sizes
  double bias = 0, slope = 0;              ///< set
};

#define SIM_ATTENTION_PATH(path)                          \
  namespace path {                                        \
  void forward(const ForwardTask<float>& task);           \
  void forward(const ForwardTask<Bfloat16>& task);        \
  void backward(BackwardTask<float>& task);               \
  void backward(BackwardTask<Bfloat16>& task);            \
  }
SIM_ATTENTION_PATH(avx2)
SIM_ATTENTION_PATH(avx512)
#undef SIM_ATTENTION_PATH
namespace amx {
void forward(const ForwardTask<Bfloat16>& task);
void backward(BackwardTask<Bfloat16>& task);
}  // namespace amx

/// A block of floats of the calling thread, aligned to 64 bytes, that grows when asked for more and is kept. `use` 0 is for the
/// one who cuts the work into tasks, 1 for the task.
float* scratch(int use, std::size_t count);

}  // namespace simulacra::kernels::attention
