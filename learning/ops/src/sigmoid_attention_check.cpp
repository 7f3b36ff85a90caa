// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <string>

#include "learning/ops/src/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::ops::detail {
namespace {

std::string shape_of(const Tensor& t) {
  std::string s = "[";
  for (std::int64_t i = 0; i < t.dim(); ++i) s += (i ? ", " : "") + std::to_string(t.size(i));
  return s + "]";
}

std::string type_of(const Tensor& t) { return c10::toString(t.scalar_type()); }

void check_type(const Tensor& q, const Tensor& other, const char* name) {
  if (other.scalar_type() != q.scalar_type())
    fail_usage("sigmoid_attention: {} is {}, expected q's {}", name, type_of(other), type_of(q));
}

void check_device(const Tensor& q, const Tensor& other, const char* name) {
  if (other.device() != q.device())
    fail_usage("sigmoid_attention: {} is on {}, expected q's {}", name, other.device().str(), q.device().str());
}

void check_qkv(const Tensor& q, const Tensor& k, const Tensor& v) {
  for (const auto& [t, name] : {std::pair{&q, "q"}, std::pair{&k, "k"}, std::pair{&v, "v"}})
    if (t->dim() != 4) fail_usage("sigmoid_attention: {} is {}, expected [batch, heads, rows, width]", name, shape_of(*t));
  if (!at::isFloatingType(q.scalar_type()))
    fail_usage("sigmoid_attention: q is {}, expected Double, Float, BFloat16 or Half", type_of(q));
  check_type(q, k, "k");
  check_type(q, v, "v");
  check_device(q, k, "k");
  check_device(q, v, "v");
  if (q.size(3) < 1 || v.size(3) < 1 || q.size(1) < 1)
    fail_usage("sigmoid_attention: q is {} and v is {}, expected at least one head and one channel", shape_of(q), shape_of(v));
  if (k.size(0) != q.size(0) || k.size(3) != q.size(3))
    fail_usage("sigmoid_attention: k is {}, expected [{}, key heads, n, {}] beside q {}", shape_of(k), q.size(0), q.size(3), shape_of(q));
  if (v.size(0) != k.size(0) || v.size(1) != k.size(1) || v.size(2) != k.size(2))
    fail_usage("sigmoid_attention: v is {}, expected [{}, {}, {}, dv] beside k", shape_of(v), k.size(0), k.size(1), k.size(2));
  if (k.size(1) < 1 || q.size(1) % k.size(1) != 0)
    fail_usage("sigmoid_attention: q has {} heads, expected a multiple of k's {}", q.size(1), k.size(1));
}

void check_per_head(const Tensor& t, const Tensor& q, const char* name, bool may_be_scalar) {
  const bool scalar = may_be_scalar && t.numel() == 1 && t.dim() <= 1;
  const bool per_head = t.dim() == 1 && t.size(0) == q.size(1);
  if (!scalar && !per_head)
    fail_usage("sigmoid_attention: {} is {}, expected {}[{}], one a head", name, shape_of(t), may_be_scalar ? "a scalar or " : "", q.size(1));
  if (!at::isFloatingType(t.scalar_type())) fail_usage("sigmoid_attention: {} is {}, expected a floating dtype", name, type_of(t));
}

Tensor empty_dense_like(const Tensor& t) { return at::empty_like(t, at::MemoryFormat::Preserve); }

}  // namespace

void check(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  check_qkv(q, k, v);
  check_per_head(a.bias, q, "bias", true);
  if (a.slopes) check_per_head(*a.slopes, q, "slopes", false);
  if (!a.key_len) return;
  if (a.key_len->dim() != 1 || a.key_len->size(0) != q.size(0))
    fail_usage("sigmoid_attention: key_len is {}, expected [{}], one a batch element", shape_of(*a.key_len), q.size(0));
  if (a.key_len->scalar_type() != at::kLong && a.key_len->scalar_type() != at::kInt)
    fail_usage("sigmoid_attention: key_len is {}, expected Long or Int", type_of(*a.key_len));
}

void check_grad(const Tensor& grad, const Tensor& q, const Tensor& v) {
  if (grad.dim() != 4 || grad.size(0) != q.size(0) || grad.size(1) != q.size(1) || grad.size(2) != q.size(2) || grad.size(3) != v.size(3))
    fail_usage("sigmoid_attention: the output's gradient is {}, expected [{}, {}, {}, {}]", shape_of(grad), q.size(0), q.size(1), q.size(2),
               v.size(3));
  check_type(q, grad, "the output's gradient");
  check_device(q, grad, "the output's gradient");
}

Tensor empty_output(const Tensor& q, const Tensor& v) {
  const auto b = q.sym_size(0), h = q.sym_size(1), m = q.sym_size(2), dv = v.sym_size(3);
  if (q.stride(1) < q.stride(2)) return at::empty_symint({b, m, h, dv}, q.options()).transpose(1, 2);
  return at::empty_symint({b, h, m, dv}, q.options());
}

Gradients empty_gradients(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  return {empty_dense_like(q), empty_dense_like(k), empty_dense_like(v), empty_dense_like(a.bias),
          a.slopes ? empty_dense_like(*a.slopes) : at::empty({0}, a.bias.options())};
}

}  // namespace simulacra::ops::detail
