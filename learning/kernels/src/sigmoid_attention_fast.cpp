// SPDX-License-Identifier: Apache-2.0
// How the fast paths share the work: the cut depends on the sizes only, and sums over tasks go in the order of the tasks, so
// that the number of threads changes nothing.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "learning/kernels/src/sigmoid_attention_paths.h"
#include "render/base/error.h"

namespace simulacra::kernels::attention {
namespace {

constexpr std::size_t kAlignment = 64;

struct Free {
  void operator()(float* p) const { std::free(p); }
};
using Block = std::unique_ptr<float, Free>;

Block allocate(std::size_t count) {
  const std::size_t bytes = std::max<std::size_t>(1, (count * sizeof(float) + kAlignment - 1) / kAlignment) * kAlignment;
  Block block(static_cast<float*>(std::aligned_alloc(kAlignment, bytes)));
  if (!block) throw std::bad_alloc();
  return block;
}

struct Scratch {
  Block block;
  std::size_t count = 0;
};
thread_local Scratch tls_scratch[2];

}  // namespace

float* scratch(int use, std::size_t count) {
  Scratch& s = tls_scratch[use];
  if (count > s.count) {
    s = {};
    s.block = allocate(count);
    s.count = count;
  }
  return s.block.get();
}

std::size_t sigmoid_attention_scratch_bytes() { return (tls_scratch[0].count + tls_scratch[1].count) * sizeof(float); }

namespace fast {
namespace {

constexpr std::int64_t kForwardRows = 512;  // queries a task: enough that packing the keys costs little beside their use
constexpr std::int64_t kFewTasks = 8;       // fewer tasks than these are cut further
constexpr std::int64_t kSplitKeys = 256;    // keys a task of the backward pass, at least, when it is cut

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
std::int64_t padded(std::int64_t width, std::int64_t to) { return divide_up(width, to) * to; }

Score score_of(const AttentionShape& shape, const SigmoidAttentionOptions& options, std::int64_t batch, std::int64_t head) {
  return {static_cast<float>(options.scale),
          options.bias ? static_cast<float>(options.bias[head]) : 0.0f,
          options.slopes ? static_cast<float>(options.slopes[head]) : 0.0f,
          options.slopes != nullptr,
          Visibility(shape, options, batch),
          shape.head_dim,
          shape.value_dim};
}

template <typename T>
Rows<T> rows_of(const HeadedRows<T>& all, std::int64_t batch, std::int64_t head) {
  return {all.head(batch, head), all.row_stride};
}

void run(CpuPath path, const ForwardTask<float>& task) { path == CpuPath::avx2 ? avx2::forward(task) : avx512::forward(task); }
void run(CpuPath path, BackwardTask<float>& task) { path == CpuPath::avx2 ? avx2::backward(task) : avx512::backward(task); }
void run(CpuPath path, const ForwardTask<Bfloat16>& task) {
  if (path == CpuPath::amx) return amx::forward(task);
  path == CpuPath::avx2 ? avx2::forward(task) : avx512::forward(task);
}
void run(CpuPath path, BackwardTask<Bfloat16>& task) {
  if (path == CpuPath::amx) return amx::backward(task);
  path == CpuPath::avx2 ? avx2::backward(task) : avx512::backward(task);
}

template <typename T>
void store(T& to, float x);
template <>
void store(float& to, float x) {
  to = x;
}
template <>
void store(Bfloat16& to, float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  to.bits = static_cast<std::uint16_t>(x != x ? 0x7fc0u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// factor times the sum of `slabs` arrays [rows, width], `slab_step` floats apart.
template <typename T>
void store_rows(const float* sums, std::int64_t slabs, std::int64_t slab_step, std::int64_t rows, std::int64_t columns,
                std::int64_t width, float factor, const Rows<T>& to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* from = sums + i * width;
    T* __restrict row = to.row(i);
    if (slabs == 1) {
      for (std::int64_t c = 0; c < columns; ++c) store(row[c], factor * from[c]);
      continue;
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      float sum = from[c];
      for (std::int64_t s = 1; s < slabs; ++s) sum += from[s * slab_step + c];
      store(row[c], factor * sum);
    }
  }
}

/// The backward pass of one call: keys of each key head in `splits` ranges of whole chunks, a task each. With more than one
/// range, each has a slab of dq of its own, and a second round adds them up.
template <typename T>
class Backward {
 public:
  Backward(CpuPath path, const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
           const HeadedRows<const T>& grad_o, const AttentionGradients<T>& out)
      : path_(path), shape_(shape), options_(options), in_(in), grad_o_(grad_o), out_(out),
        group_(shape.heads / shape.kv_heads), width_d_(padded(shape.head_dim, path == CpuPath::amx ? 32 : 16)),
        width_dv_(padded(shape.value_dim, path == CpuPath::amx ? 32 : 16)) {
    const std::int64_t tasks = shape.batch * shape.kv_heads;
    if (tasks > 0 && tasks < kFewTasks)
      splits_ = std::clamp<std::int64_t>(divide_up(kFewTasks, tasks), 1, std::max<std::int64_t>(1, shape.keys / kSplitKeys));
    sums_.resize(static_cast<std::size_t>(2 * splits_ * shape.batch * shape.heads));
    if (splits_ > 1) slabs_ = allocate(static_cast<std::size_t>(splits_ * slab_size()));
  }

  void operator()(const ParallelFor& parallel) {
    parallel(shape_.batch * shape_.kv_heads * splits_, [&](std::int64_t task) { key_range(task); });
    if (splits_ > 1) parallel(shape_.batch * shape_.heads, [&](std::int64_t task) { add_slabs(task); });
    for (std::int64_t h = 0; h < shape_.heads; ++h) {
      if (out_.bias) out_.bias[h] = sum_over_tasks(h, 0);
      if (out_.slope) out_.slope[h] = sum_over_tasks(h, 1);
    }
  }

 private:
  std::int64_t head_size() const { return shape_.queries * width_d_; }
  std::int64_t slab_size() const { return shape_.batch * shape_.heads * head_size(); }

  void key_range(std::int64_t task) {
    const std::int64_t split = task % splits_, g = task / splits_ % shape_.kv_heads, b = task / splits_ / shape_.kv_heads;
    const std::int64_t begin = shape_.keys * split / splits_, end = shape_.keys * (split + 1) / splits_;
    const auto own_dq = static_cast<std::size_t>(splits_ > 1 ? 0 : head_size());
    const std::int64_t rows = padded(end - begin, 32);
    const auto own_dk = static_cast<std::size_t>(rows * width_d_), own_dv = static_cast<std::size_t>(rows * width_dv_);
    float* memory = scratch(0, own_dq + own_dk + own_dv);
    float *dk = memory + own_dq, *dv = dk + own_dk;
    std::fill(dk, dv + own_dv, 0.0f);
    for (std::int64_t h = g * group_; h < (g + 1) * group_; ++h) {
      float* dq = splits_ > 1 ? slabs_.get() + split * slab_size() + (b * shape_.heads + h) * head_size() : memory;
      head(b, g, h, split, begin, end, dq, dk, dv);
      if (splits_ == 1)
        store_rows(dq, 1, 0, shape_.queries, shape_.head_dim, width_d_, static_cast<float>(options_.scale), rows_of(out_.q, b, h));
    }
    const Rows<T> to_k = rows_of(out_.k, b, g), to_v = rows_of(out_.v, b, g);
    store_rows(dk, 1, 0, end - begin, shape_.head_dim, width_d_, static_cast<float>(options_.scale), Rows<T>{to_k.row(begin), to_k.stride});
    store_rows(dv, 1, 0, end - begin, shape_.value_dim, width_dv_, 1.0f, Rows<T>{to_v.row(begin), to_v.stride});
  }

  void head(std::int64_t b, std::int64_t g, std::int64_t h, std::int64_t split, std::int64_t begin, std::int64_t end, float* dq,
            float* dk, float* dv) {
    BackwardTask<T> task{score_of(shape_, options_, b, h),
                         rows_of(in_.q, b, h),
                         rows_of(in_.k, b, g),
                         rows_of(in_.v, b, g),
                         rows_of(grad_o_, b, h),
                         shape_.queries,
                         begin,
                         end,
                         width_d_,
                         width_dv_,
                         dq,
                         dk,
                         dv};
    run(path_, task);
    sum_of(b, h, split, 0) = task.bias;
    sum_of(b, h, split, 1) = task.slope;
  }

  void add_slabs(std::int64_t task) {
    const std::int64_t b = task / shape_.heads, h = task % shape_.heads;
    store_rows(slabs_.get() + task * head_size(), splits_, slab_size(), shape_.queries, shape_.head_dim, width_d_,
               static_cast<float>(options_.scale), rows_of(out_.q, b, h));
  }

  double& sum_of(std::int64_t b, std::int64_t h, std::int64_t split, std::int64_t which) {
    return sums_[static_cast<std::size_t>(((b * shape_.heads + h) * splits_ + split) * 2 + which)];
  }
  double sum_over_tasks(std::int64_t h, std::int64_t which) {
    double sum = 0;
    for (std::int64_t b = 0; b < shape_.batch; ++b)
      for (std::int64_t s = 0; s < splits_; ++s) sum += sum_of(b, h, s, which);
    return sum;
  }

  CpuPath path_;
  const AttentionShape& shape_;
  const SigmoidAttentionOptions& options_;
  const AttentionInputs<T>& in_;
  const HeadedRows<const T>& grad_o_;
  const AttentionGradients<T>& out_;
  std::int64_t group_, width_d_, width_dv_, splits_ = 1;
  std::vector<double> sums_;
  Block slabs_;
};

}  // namespace

template <typename T>
void forward(CpuPath path, const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
             const HeadedRows<T>& o, const ParallelFor& parallel) {
  const std::int64_t heads = shape.batch * shape.heads;
  std::int64_t blocks = divide_up(shape.queries, kForwardRows);
  if (heads * blocks < kFewTasks) blocks = std::min(divide_up(kFewTasks, std::max<std::int64_t>(1, heads)), divide_up(shape.queries, 96));
  parallel(heads * blocks, [&](std::int64_t index) {
    const std::int64_t block = index % blocks, h = index / blocks % shape.heads, b = index / blocks / shape.heads;
    const std::int64_t g = kv_head_of(shape, h);
    // The last block sees the most keys when causal: first come, first served would end with it.
    const std::int64_t at = blocks - 1 - block;
    const ForwardTask<T> task{score_of(shape, options, b, h),
                              rows_of(in.q, b, h),
                              rows_of(in.k, b, g),
                              rows_of(in.v, b, g),
                              rows_of(o, b, h),
                              shape.queries * at / blocks,
                              shape.queries * (at + 1) / blocks};
    if (task.begin < task.end) run(path, task);
  });
}

template <typename T>
void backward(CpuPath path, const AttentionShape& shape, const SigmoidAttentionOptions& options, const AttentionInputs<T>& in,
              const HeadedRows<const T>& grad_o, const AttentionGradients<T>& out, const ParallelFor& parallel) {
  Backward<T>(path, shape, options, in, grad_o, out)(parallel);
}

#define SIM_INSTANTIATE(T)                                                                                               \
  template void forward<T>(CpuPath, const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&,    \
                           const HeadedRows<T>&, const ParallelFor&);                                                    \
  template void backward<T>(CpuPath, const AttentionShape&, const SigmoidAttentionOptions&, const AttentionInputs<T>&,   \
                            const HeadedRows<const T>&, const AttentionGradients<T>&, const ParallelFor&);
SIM_INSTANTIATE(float)
SIM_INSTANTIATE(Bfloat16)

}  // namespace fast
}  // namespace simulacra::kernels::attention
