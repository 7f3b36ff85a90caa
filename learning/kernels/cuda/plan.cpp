// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/cuda/plan.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "learning/kernels/src/attention_shape.h"
#include "render/base/error.h"

namespace simulacra::kernels::attention::cuda {
namespace {

bool on_tensor_cores(Element e) { return e == Element::bfloat16 || e == Element::float16; }
int element_bytes(Element e) { return e == Element::float64 ? 8 : e == Element::float32 ? 4 : 2; }
int width_of(const AttentionShape& s) { return static_cast<int>(std::max(s.head_dim, s.value_dim)); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

void check_counts(const AttentionShape& s) {
  check_shape(s);
  if (std::max({s.queries, s.keys, s.batch * s.heads}) > kMaxRows)
    fail_usage("sigmoid attention: {} queries, {} keys, {} heads in all: a GPU takes at most {} of each", s.queries, s.keys,
               s.batch * s.heads, kMaxRows);
}

void check_widths(const Call& call) {
  const AttentionShape& s = call.shape;
  if (!on_tensor_cores(call.element)) {
    const int most = call.element == Element::float64 ? 128 : 256;
    if (width_of(s) > most)
      fail_usage("sigmoid attention: head size {}, value size {}: a GPU takes at most {} in {}-bit floats", s.head_dim, s.value_dim, most,
                 8 * element_bytes(call.element));
    return;
  }
  if (s.head_dim % 8 != 0 || s.value_dim % 8 != 0 || width_of(s) > 128)
    fail_usage("sigmoid attention: head size {}, value size {}: 16-bit elements on a GPU take multiples of 8 up to 128", s.head_dim,
               s.value_dim);
}

void check_rows(const Call& call, const DeviceRows& rows, std::string_view name) {
  if (!on_tensor_cores(call.element)) return;
  if (reinterpret_cast<std::uintptr_t>(rows.data) % 16 != 0)
    fail_usage("sigmoid attention: {} is not aligned to 16 bytes, as 16-bit elements on a GPU must be", name);
  for (const std::int64_t stride : {rows.batch_stride, rows.head_stride, rows.row_stride})
    if (stride % 8 != 0)
      fail_usage("sigmoid attention: {} has a stride of {} elements; 16-bit elements on a GPU take multiples of 8", name, stride);
  if (rows.row_stride < 0 || rows.row_stride > 0x7fffffff)
    fail_usage("sigmoid attention: the rows of {} are {} elements apart; a GPU takes 0 to {}", name, rows.row_stride, 0x7fffffff);
}

void check(const Call& call) {
  check_counts(call.shape);
  check_widths(call);
  check_rows(call, call.q, "q");
  check_rows(call, call.k, "k");
  check_rows(call, call.v, "v");
}

Array array(const DeviceRows& r) { return {r.data, r.batch_stride, r.head_stride, r.row_stride}; }

int bounded_window(std::int64_t window) { return window < 0 ? kFar : static_cast<int>(std::min<std::int64_t>(window, kFar)); }

Params params_of(const Call& call) {
  const AttentionShape& s = call.shape;
  Params p{};
  p.q = array(call.q), p.k = array(call.k), p.v = array(call.v);
  p.batch = static_cast<int>(s.batch), p.heads = static_cast<int>(s.heads), p.kv_heads = static_cast<int>(s.kv_heads);
  p.queries = static_cast<int>(s.queries), p.keys = static_cast<int>(s.keys);
  p.head_dim = static_cast<int>(s.head_dim), p.value_dim = static_cast<int>(s.value_dim);
  p.left = bounded_window(call.window_left);
  p.right = call.causal ? 0 : bounded_window(call.window_right);
  p.scale = call.scale;
  p.key_len = call.key_len, p.bias = call.bias, p.slopes = call.slopes;
  p.last_block_first = p.right < kFar;
  return p;
}

// Shared memory, as the kernels lay it out: on tensor cores two buffers of two tiles of 64 rows.
int padded_width(int width) { return width <= 32 ? 32 : width <= 64 ? 64 : 128; }
int buffer_bytes(int width) { return 4 * 64 * padded_width(width) * 2; }
int short_bytes(const AttentionShape& s) {
  const int padded = static_cast<int>(ceil_div(s.keys, 16)) * 16;
  return (2 * padded + 4 * 16) * padded_width(width_of(s)) * 2;
}
int plain_bytes(const Call& call, int key_tiles, int value_tiles, int square_tiles) {
  const auto columns = [](std::int64_t c) { return static_cast<int>(c) | 1; };
  return 32 * element_bytes(call.element) *
         (key_tiles * columns(call.shape.head_dim) + value_tiles * columns(call.shape.value_dim) + square_tiles * columns(32));
}

/// Leaves out what has no block.
void add(Plan& plan, const DeviceLimits& device, Launch launch) {
  if (launch.blocks == 0) return;
  if (launch.blocks > 0x7fffffff) fail_usage("sigmoid attention: {} blocks are more than a GPU starts at once", launch.blocks);
  if (launch.shared_bytes > device.shared_bytes_per_block)
    fail_usage("sigmoid attention: a size of {} needs {} bytes of shared memory; this GPU has {}", launch.width, launch.shared_bytes,
               device.shared_bytes_per_block);
  plan.launches.push_back(launch);
}

bool fits_short(const Call& call, const DeviceLimits& device) {
  return on_tensor_cores(call.element) && call.shape.keys <= kShortMaxKeys && short_bytes(call.shape) <= device.shared_bytes_per_block;
}

/// Blocks of one head: enough to occupy the device, each with at least four groups of 16 queries, one a warp.
int short_blocks(const AttentionShape& s, const DeviceLimits& device) {
  const std::int64_t heads = std::max<std::int64_t>(1, s.batch * s.heads), wanted = ceil_div(4 * device.multiprocessors, heads);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, ceil_div(s.queries, 64))));
}

/// Rows of a block of the gradients of queries and of keys.
int query_block(const Call& call) { return on_tensor_cores(call.element) ? query_rows(padded_width(width_of(call.shape))) : 32; }
int key_block(const Call& call) { return on_tensor_cores(call.element) ? kKeyRows : 32; }

}  // namespace

Plan forward_plan(const Call& call, const DeviceRows& o, const DeviceLimits& device) {
  check(call);
  check_rows(call, o, "o");
  const AttentionShape& s = call.shape;
  const int width = width_of(s);
  Plan plan{params_of(call), {}};
  Params& p = plan.params;
  p.o = array(o);
  if (s.queries == 0) return plan;
  if (fits_short(call, device)) {
    p.query_blocks = short_blocks(s, device);
    add(plan, device, {Kernel::forward_short, call.element, width, s.batch * s.heads * p.query_blocks, short_bytes(s)});
    return plan;
  }
  const bool wide = on_tensor_cores(call.element);
  p.query_blocks = static_cast<int>(ceil_div(s.queries, wide ? kForwardRows : 32));
  add(plan, device, {Kernel::forward, call.element, width, s.batch * s.heads * p.query_blocks,
                     wide ? buffer_bytes(width) : plain_bytes(call, 2, 1, 1)});
  return plan;
}

Plan backward_plan(const Call& call, const DeviceRows& grad_o, const DeviceGradients& out, void* workspace, const DeviceLimits& device) {
  check(call);
  check_rows(call, grad_o, "the output's gradient");
  check_rows(call, out.q, "q's gradient");
  check_rows(call, out.k, "k's gradient");
  check_rows(call, out.v, "v's gradient");
  const AttentionShape& s = call.shape;
  const bool wide = on_tensor_cores(call.element);
  const int width = width_of(s);
  Plan plan{params_of(call), {}};
  Params& p = plan.params;
  p.grad_o = array(grad_o), p.dq = array(out.q), p.dk = array(out.k), p.dv = array(out.v);
  p.dbias = out.bias, p.dslope = out.slope, p.partial = static_cast<double*>(workspace);
  p.query_blocks = static_cast<int>(ceil_div(s.queries, query_block(call)));
  p.key_blocks = static_cast<int>(ceil_div(s.keys, key_block(call)));
  add(plan, device, {Kernel::query_gradients, call.element, width, s.batch * s.heads * p.query_blocks,
                     wide ? buffer_bytes(width) : plain_bytes(call, 2, 2, 1)});
  add(plan, device, {Kernel::key_gradients, call.element, width, s.batch * s.kv_heads * p.key_blocks,
                     wide ? buffer_bytes(width) : plain_bytes(call, 2, 2, 2)});
  if (out.bias || out.slope) add(plan, device, {Kernel::sum_heads, call.element, width, s.heads, 32 * 8});
  return plan;
}

std::size_t backward_workspace_bytes(const Call& call) {
  check(call);
  const std::int64_t blocks = ceil_div(call.shape.queries, query_block(call));
  return static_cast<std::size_t>(std::max<std::int64_t>(1, 2 * call.shape.batch * call.shape.heads * blocks)) * sizeof(double);
}

}  // namespace simulacra::kernels::attention::cuda
