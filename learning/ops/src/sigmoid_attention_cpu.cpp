// SPDX-License-Identifier: Apache-2.0
// From tensors to the kernels' pointers.
#include <torch/torch.h>

#include <ATen/Parallel.h>

#include <cmath>
#include <cstdlib>
#include <type_traits>
#include <vector>

#include "learning/kernels/sigmoid_attention.h"
#include "learning/ops/src/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::ops::detail {
namespace {

namespace attention = kernels::attention;

/// Read at each call, so that a test can go through the paths.
attention::CpuPath path_from_environment() {
  const char* name = std::getenv("SIMULACRA_CPU_PATH");
  return name ? attention::cpu_path_named(name) : attention::CpuPath::automatic;
}

void parallel(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

Tensor rows_adjacent(const Tensor& t) { return t.size(3) == 1 || t.stride(3) == 1 ? t : t.contiguous(); }

template <typename T>
attention::HeadedRows<T> rows(const Tensor& t) {
  return {static_cast<T*>(t.data_ptr()), t.stride(0), t.stride(1), t.stride(2)};
}
template <typename T>
attention::HeadedRows<const T> const_rows(const Tensor& t) {
  return {static_cast<const T*>(t.const_data_ptr()), t.stride(0), t.stride(1), t.stride(2)};
}

std::vector<double> doubles(const Tensor& t, std::int64_t count) {
  const Tensor d = t.detach().to(at::kDouble).contiguous().view({-1});
  const double* p = d.const_data_ptr<double>();
  if (d.numel() == 1) return std::vector<double>(static_cast<std::size_t>(count), p[0]);
  return {p, p + count};
}

/// The kernels' arguments and what they point to.
struct Call {
  Call(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a)
      : shape{q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3), v.size(3)}, bias(doubles(a.bias, q.size(1))) {
    options.scale = a.scale ? *a.scale : 1 / std::sqrt(static_cast<double>(q.size(3)));
    options.causal = a.causal;
    options.window_left = a.window_left;
    options.window_right = a.window_right;
    options.bias = bias.data();
    options.path = path_from_environment();
    if (a.slopes) slopes = doubles(*a.slopes, q.size(1)), options.slopes = slopes.data();
    if (a.key_len) key_len = a.key_len->to(at::kLong).contiguous(), options.key_len = key_len.const_data_ptr<std::int64_t>();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  attention::AttentionShape shape;
  attention::SigmoidAttentionOptions options;
  std::vector<double> bias, slopes;
  Tensor key_len;
};

/// body(T()) with the kernels' type for a dtype.
template <typename Body>
void with_type(at::ScalarType type, const Body& body) {
  if (type == at::kDouble) return body(double{});
  if (type == at::kFloat) return body(float{});
  if (type == at::kBFloat16) return body(attention::Bfloat16{});
  fail_usage("sigmoid_attention: q is {}, expected Double, Float, BFloat16 or Half", c10::toString(type));
}

/// Of one value a head: to the shape and dtype of `like`, summed where that is a scalar.
Tensor per_head(const std::vector<double>& values, const Tensor& like) {
  Tensor t = at::from_blob(const_cast<double*>(values.data()), {static_cast<std::int64_t>(values.size())}, at::kDouble).clone();
  if (like.numel() == 1) t = t.sum();
  return t.view(like.sizes()).to(like.scalar_type());
}

}  // namespace

Tensor cpu_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  check(q, k, v, a);
  if (q.scalar_type() == at::kHalf) return cpu_forward(q.to(at::kFloat), k.to(at::kFloat), v.to(at::kFloat), a).to(at::kHalf);
  const Call call(q, k, v, a);
  const Tensor qr = rows_adjacent(q), kr = rows_adjacent(k), vr = rows_adjacent(v);
  Tensor o = empty_output(q, v);
  with_type(q.scalar_type(), [&](auto element) {
    using T = decltype(element);
    const attention::AttentionInputs<T> in{const_rows<T>(qr), const_rows<T>(kr), const_rows<T>(vr)};
    attention::sigmoid_attention_forward<T>(call.shape, call.options, in, rows<T>(o), parallel);
  });
  return o;
}

Gradients cpu_backward(const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  check(q, k, v, a);
  check_grad(grad, q, v);
  if (q.scalar_type() == at::kHalf) {
    const auto wide = [](const Tensor& t) { return t.to(at::kFloat); };
    const auto [dq, dk, dv, db, ds] = cpu_backward(wide(grad), wide(q), wide(k), wide(v), a);
    return {dq.to(at::kHalf), dk.to(at::kHalf), dv.to(at::kHalf), db, ds};
  }
  const Call call(q, k, v, a);
  const Tensor qr = rows_adjacent(q), kr = rows_adjacent(k), vr = rows_adjacent(v), gr = rows_adjacent(grad);
  auto [dq, dk, dv, db, ds] = empty_gradients(qr, kr, vr, a);
  std::vector<double> dbias(static_cast<std::size_t>(q.size(1))), dslope(a.slopes ? dbias.size() : 0);
  with_type(q.scalar_type(), [&, dq = dq, dk = dk, dv = dv](auto element) {
    using T = decltype(element);
    const attention::AttentionInputs<T> in{const_rows<T>(qr), const_rows<T>(kr), const_rows<T>(vr)};
    const attention::AttentionGradients<T> out{rows<T>(dq), rows<T>(dk), rows<T>(dv), dbias.data(), a.slopes ? dslope.data() : nullptr};
    attention::sigmoid_attention_backward<T>(call.shape, call.options, in, const_rows<T>(gr), out, parallel);
  });
  return {dq, dk, dv, per_head(dbias, a.bias), a.slopes ? per_head(dslope, *a.slopes) : ds};
}

}  // namespace simulacra::ops::detail
