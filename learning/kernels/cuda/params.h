// SPDX-License-Identifier: Apache-2.0
// What a kernel is started with. Plain values: read by the host compiler, nvcc and the emulator.
#pragma once

#include <cstdint>

namespace simulacra::kernels::attention::cuda {

/// A [batch, heads, rows, width] array; strides in elements.
struct Array {
  void* data;
  std::int64_t batch_stride, head_stride, row_stride;
};

struct Params {
  Array q, k, v, grad_o;   // read
  Array o, dq, dk, dv;     // written
  int batch, heads, kv_heads, queries, keys, head_dim, value_dim;
  int left, right;         // keys that a query sees beside its own place, at most kFar
  double scale;
  const std::int64_t* key_len;
  const double *bias, *slopes;
  double* partial;         // dbias of each [batch, heads, query block], then dslope likewise
  double *dbias, *dslope;  // [heads]
  int query_blocks, key_blocks;
  bool last_block_first;   // causal: the longest rows begin
};

/// Beyond every place: with sizes up to kMaxRows, sums of places stay in 31 bits.
constexpr int kFar = 1 << 29;
constexpr int kMaxRows = 1 << 28;

}  // namespace simulacra::kernels::attention::cuda
