// SPDX-License-Identifier: Apache-2.0
// From tensors to the GPU kernels' pointers.
#include <torch/torch.h>

#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cmath>

#include "learning/kernels/sigmoid_attention_cuda.h"
#include "learning/ops/src/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::ops::detail {
namespace {

namespace attention = kernels::attention;
namespace cuda = kernels::attention::cuda;

bool is_half(at::ScalarType type) { return type == at::kBFloat16 || type == at::kHalf; }

cuda::Element element_of(at::ScalarType type) {
  if (type == at::kDouble) return cuda::Element::float64;
  if (type == at::kFloat) return cuda::Element::float32;
  if (type == at::kBFloat16) return cuda::Element::bfloat16;
  if (type == at::kHalf) return cuda::Element::float16;
  fail_usage("sigmoid_attention: q is {}, expected Double, Float, BFloat16 or Half", c10::toString(type));
}

/// 16-bit heads beyond what the tensor-core kernels take are computed in float.
bool too_wide(const Tensor& q, const Tensor& v) { return is_half(q.scalar_type()) && std::max(q.size(3), v.size(3)) > 128; }

std::int64_t padded_width(const Tensor& t) { return is_half(t.scalar_type()) ? (t.size(3) + 7) / 8 * 8 : t.size(3); }

/// Whether a kernel reads it as it lies: elements of a row adjacent, and for 16-bit elements all rows on 16 bytes.
bool lies_well(const Tensor& t) {
  if (t.size(3) != 1 && t.stride(3) != 1) return false;
  if (!is_half(t.scalar_type())) return true;
  const bool strides = t.stride(0) % 8 == 0 && t.stride(1) % 8 == 0 && t.stride(2) % 8 == 0 && t.stride(2) >= 0;
  return strides && t.size(3) % 8 == 0 && reinterpret_cast<std::uintptr_t>(t.const_data_ptr()) % 16 == 0;
}

/// With channels of zeros up to a multiple of 8, which change no score and no gradient.
Tensor prepared(const Tensor& t) {
  if (lies_well(t)) return t;
  const std::int64_t extra = padded_width(t) - t.size(3);
  return extra > 0 ? at::constant_pad_nd(t, {0, extra}) : t.clone(at::MemoryFormat::Contiguous);
}

cuda::DeviceRows rows(const Tensor& t) { return {t.data_ptr(), t.stride(0), t.stride(1), t.stride(2)}; }
cuda::DeviceRows const_rows(const Tensor& t) { return {const_cast<void*>(t.const_data_ptr()), t.stride(0), t.stride(1), t.stride(2)}; }

/// One double a head, on the device.
Tensor doubles(const Tensor& t, const Tensor& q) {
  return t.detach().to(q.device(), at::kDouble).view({-1}).expand({q.size(1)}).contiguous();
}

/// To the shape and dtype of `like`, summed where that is a scalar.
Tensor per_head(const Tensor& values, const Tensor& like) {
  return (like.numel() == 1 ? values.sum() : values).view(like.sizes()).to(like.device(), like.scalar_type());
}

/// The kernels' arguments and what they point to.
struct Prepared {
  Prepared(const Tensor& query, const Tensor& key, const Tensor& value, const Arguments& a)
      : q(prepared(query)), k(prepared(key)), v(prepared(value)), bias(doubles(a.bias, query)) {
    call.element = element_of(q.scalar_type());
    call.shape = {q.size(0), q.size(1), k.size(1), q.size(2), k.size(2), q.size(3), v.size(3)};
    call.scale = a.scale ? *a.scale : 1 / std::sqrt(static_cast<double>(query.size(3)));
    call.causal = a.causal, call.window_left = a.window_left, call.window_right = a.window_right;
    call.bias = bias.const_data_ptr<double>();
    if (a.slopes) slopes = doubles(*a.slopes, query), call.slopes = slopes.const_data_ptr<double>();
    if (a.key_len) {
      key_len = a.key_len->to(query.device(), at::kLong).clamp(0, key.size(2)).contiguous();
      call.key_len = key_len.const_data_ptr<std::int64_t>();
    }
    call.q = const_rows(q), call.k = const_rows(k), call.v = const_rows(v);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  Tensor q, k, v, bias, slopes, key_len;
  cuda::Call call;
};

/// `wide` without its channels of padding, laid out as `like`.
Tensor cut(const Tensor& wide, const Tensor& like) { return wide.size(3) == like.size(3) ? wide : like.copy_(wide.narrow(3, 0, like.size(3))); }

}  // namespace

Tensor cuda_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  check(q, k, v, a);
  if (too_wide(q, v)) return cuda_forward(q.to(at::kFloat), k.to(at::kFloat), v.to(at::kFloat), a).to(q.scalar_type());
  const c10::cuda::CUDAGuard device(q.device());
  const Prepared p(q, k, v, a);
  const Tensor o = empty_output(q, p.v);
  cuda::forward(p.call, rows(o), c10::cuda::getCurrentCUDAStream().stream());
  return o.size(3) == v.size(3) ? o : cut(o, empty_output(q, v));
}

Gradients cuda_backward(const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  check(q, k, v, a);
  check_grad(grad, q, v);
  if (too_wide(q, v)) {
    const auto wide = [](const Tensor& t) { return t.to(at::kFloat); };
    const auto [dq, dk, dv, db, ds] = cuda_backward(wide(grad), wide(q), wide(k), wide(v), a);
    return {dq.to(q.scalar_type()), dk.to(q.scalar_type()), dv.to(q.scalar_type()), db, ds};
  }
  const c10::cuda::CUDAGuard device(q.device());
  const Prepared p(q, k, v, a);
  const Tensor g = prepared(grad), sums = at::empty({2, q.size(1)}, q.options().dtype(at::kDouble));
  const auto room = static_cast<std::int64_t>(cuda::backward_workspace_bytes(p.call));
  const Tensor workspace = at::empty({room}, q.options().dtype(at::kByte));
  // Dense, so that each row lies on 16 bytes where its width is a multiple of 8.
  const Tensor dq = at::empty(p.q.sizes(), q.options()), dk = at::empty(p.k.sizes(), q.options()), dv = at::empty(p.v.sizes(), q.options());
  double* const head_sums = sums.mutable_data_ptr<double>();
  cuda::backward(p.call, const_rows(g), {rows(dq), rows(dk), rows(dv), head_sums, head_sums + q.size(1)}, workspace.mutable_data_ptr(),
                 c10::cuda::getCurrentCUDAStream().stream());
  const auto as = [](const Tensor& from, const Tensor& like) { return at::empty_like(like).copy_(from.narrow(3, 0, like.size(3))); };
  const auto result = [&](const Tensor& from, const Tensor& like) {
    return from.sizes() == like.sizes() && like.is_contiguous() ? from : as(from, like);
  };
  const Tensor dslopes = a.slopes ? per_head(sums[1], *a.slopes) : at::empty({0}, a.bias.options());
  return {result(dq, q), result(dk, k), result(dv, v), per_head(sums[0], a.bias), dslopes};
}

}  // namespace simulacra::ops::detail
