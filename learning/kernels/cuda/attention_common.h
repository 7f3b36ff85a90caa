// SPDX-License-Identifier: Apache-2.0
// What all attention kernels share: which block does what, who sees whom.
#pragma once

#include <cstdint>

#include "learning/kernels/cuda/params.h"
#include "learning/kernels/cuda/primitives.h"

namespace simulacra::kernels::attention::cuda {

SIM_DEVICE int smaller(int a, int b) { return a < b ? a : b; }
SIM_DEVICE int larger(int a, int b) { return a > b ? a : b; }
SIM_DEVICE int distance(int a, int b) { return a > b ? a - b : b - a; }

/// The share of one block of threads: rows of one head.
struct Place {
  int batch, head, block;

  SIM_DEVICE Place(int heads, int blocks, bool last_first) {
    const std::int64_t index = gpu::block_index();
    const int in_head = static_cast<int>(index % blocks);
    const std::int64_t head_index = index / blocks;
    head = static_cast<int>(head_index % heads);
    batch = static_cast<int>(head_index / heads);
    block = last_first ? blocks - 1 - in_head : in_head;
  }
};

struct Span {
  int begin, end;
};

/// Of one batch element.
struct Sight {
  int num_keys, shift, left, right;

  SIM_DEVICE Sight(const Params& p, int batch)
      : num_keys(p.key_len ? static_cast<int>(gpu::global_load(p.key_len + batch)) : p.keys), shift(p.keys - p.queries), left(p.left),
        right(p.right) {}

  /// The keys that any of these queries sees, and the queries that see any of these keys.
  SIM_DEVICE Span keys_of(Span q) const {
    return {larger(0, q.begin + shift - left), smaller(num_keys, q.end + shift + right)};
  }
  SIM_DEVICE Span queries_of(Span k, int queries) const {
    const int end = k.begin < num_keys ? smaller(queries, k.end - shift + left) : 0;
    return {larger(0, k.begin - shift - right), end};
  }
  /// Window and causality; keys beyond num_keys are loaded as zeros, and need no mask.
  SIM_DEVICE bool sees(int query, int key) const { return key >= query + shift - left && key <= query + shift + right; }
  SIM_DEVICE bool all_see(Span q, Span k) const { return sees(q.end - 1, k.begin) && sees(q.begin, k.end - 1); }
};

SIM_DEVICE double head_value(const double* values, int head) { return values ? gpu::global_load(values + head) : 0.0; }

template <typename T>
SIM_DEVICE T* rows_of(const Array& a, int batch, int head) {
  return static_cast<T*>(a.data) + batch * a.batch_stride + head * a.head_stride;
}

SIM_DEVICE int group_of(const Params& p, int head) { return head / (p.heads / p.kv_heads); }

/// dbias[h] and dslope[h]: the partial sums of all blocks of head h, by one warp, always in the same order.
struct SumHeads {
  static constexpr int kThreads = 32, kMinBlocks = 1;

  SIM_DEVICE static double sum(const Params& p, const double* partial, int head) {
    const int lane = gpu::thread_index();
    double mine = 0;
    for (int i = lane; i < p.batch * p.query_blocks; i += kThreads) {
      const std::int64_t slot = (static_cast<std::int64_t>(i / p.query_blocks) * p.heads + head) * p.query_blocks + i % p.query_blocks;
      mine += partial[slot];
    }
    gpu::shared_store(static_cast<gpu::Shared>(lane * 8), mine);
    gpu::sync_block();
    double all = 0;
    for (int i = 0; i < kThreads; ++i) all += gpu::shared_load<double>(static_cast<gpu::Shared>(i * 8));
    gpu::sync_block();
    return all;
  }

  SIM_DEVICE static void run(const Params& p) {
    const int head = static_cast<int>(gpu::block_index());
    const double bias = sum(p, p.partial, head);
    const double slope = sum(p, p.partial + static_cast<std::int64_t>(p.batch) * p.heads * p.query_blocks, head);
    if (gpu::thread_index() != 0) return;
    if (p.dbias) gpu::global_store(p.dbias + head, bias);
    if (p.dslope) gpu::global_store(p.dslope + head, p.slopes ? slope : 0.0);
  }
};

SIM_DEVICE void store_partial(const Params& p, const Place& at, double bias, double slope) {
  const std::int64_t slot = (static_cast<std::int64_t>(at.batch) * p.heads + at.head) * p.query_blocks + at.block;
  gpu::global_store(p.partial + slot, bias);
  gpu::global_store(p.partial + static_cast<std::int64_t>(p.batch) * p.heads * p.query_blocks + slot, slope);
}

}  // namespace simulacra::kernels::attention::cuda
