// SPDX-License-Identifier: Apache-2.0
// Registration: schema, CPU, CUDA and meta kernels, autograd, autocast.
#include <torch/torch.h>

#include "learning/ops/sigmoid_attention.h"

#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include "learning/ops/src/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::ops {
namespace {

using namespace detail;
using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// As the schemas have them.
Tensor call_forward(const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("simulacra::sigmoid_attention", "")
                             .typed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const MaybeTensor&,
                                           const MaybeTensor&, std::optional<double>, bool, std::int64_t, std::int64_t)>();
  return op.call(q, k, v, a.bias, a.slopes, a.key_len, a.scale, a.causal, a.window_left, a.window_right);
}

Gradients call_backward(const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("simulacra::sigmoid_attention_backward", "")
                             .typed<Gradients(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                                              const MaybeTensor&, const MaybeTensor&, std::optional<double>, bool, std::int64_t,
                                              std::int64_t)>();
  return op.call(grad, q, k, v, a.bias, a.slopes, a.key_len, a.scale, a.causal, a.window_left, a.window_right);
}

// Autograd.

void keep(AutogradContext* context, const Tensor& q, const Tensor& k, const Tensor& v, const Arguments& a) {
  context->save_for_backward({q, k, v, a.bias, a.slopes.value_or(Tensor()), a.key_len.value_or(Tensor())});
  context->saved_data["scale"] = a.scale;
  context->saved_data["causal"] = a.causal;
  context->saved_data["window_left"] = a.window_left;
  context->saved_data["window_right"] = a.window_right;
}

Arguments kept(const AutogradContext* context, const variable_list& saved) {
  const auto maybe = [](const Tensor& t) { return t.defined() ? MaybeTensor(t) : std::nullopt; };
  const auto& data = context->saved_data;
  return {saved[3],
          maybe(saved[4]),
          maybe(saved[5]),
          data.at("scale").toOptional<double>(),
          data.at("causal").toBool(),
          data.at("window_left").toInt(),
          data.at("window_right").toInt()};
}

/// The gradients, themselves without one.
struct Once : torch::autograd::Function<Once> {
  static variable_list forward(AutogradContext*, const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v,
                               const Tensor& bias, const MaybeTensor& slopes, const MaybeTensor& key_len,
                               std::optional<double> scale, bool causal, std::int64_t window_left, std::int64_t window_right) {
    const at::AutoDispatchBelowADInplaceOrView below;
    auto [dq, dk, dv, db, ds] = call_backward(grad, q, k, v, {bias, slopes, key_len, scale, causal, window_left, window_right});
    return {dq, dk, dv, db, ds};
  }
  static variable_list backward(AutogradContext*, const variable_list&) {
    fail_usage("sigmoid_attention has no second derivative: write it in torch operations where one is needed");
  }
};

struct Attention : torch::autograd::Function<Attention> {
  static Tensor forward(AutogradContext* context, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias,
                        const MaybeTensor& slopes, const MaybeTensor& key_len, std::optional<double> scale, bool causal,
                        std::int64_t window_left, std::int64_t window_right) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const Arguments a{bias, slopes, key_len, scale, causal, window_left, window_right};
    keep(context, q, k, v, a);
    return call_forward(q, k, v, a);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const Arguments a = kept(context, saved);
    const auto [dq, dk, dv, db, ds] = call_backward(grads[0], saved[0], saved[1], saved[2], a);
    return {dq, dk, dv, db, a.slopes ? ds : Tensor(), {}, {}, {}, {}, {}};
  }
};

// One function a dispatch key, arguments as the schema has them.

#define SIM_ARGUMENTS                                                                                              \
  const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &bias, const MaybeTensor &slopes,                \
      const MaybeTensor &key_len, std::optional<double> scale, bool causal, std::int64_t window_left, std::int64_t window_right
#define SIM_PACKED Arguments{bias, slopes, key_len, scale, causal, window_left, window_right}

Tensor forward_cpu(SIM_ARGUMENTS) { return cpu_forward(q, k, v, SIM_PACKED); }
Gradients backward_cpu(const Tensor& grad, SIM_ARGUMENTS) { return cpu_backward(grad, q, k, v, SIM_PACKED); }

Tensor forward_cuda(SIM_ARGUMENTS) { return cuda_forward(q, k, v, SIM_PACKED); }
Gradients backward_cuda(const Tensor& grad, SIM_ARGUMENTS) { return cuda_backward(grad, q, k, v, SIM_PACKED); }

Tensor forward_meta(SIM_ARGUMENTS) {
  check(q, k, v, SIM_PACKED);
  return empty_output(q, v);
}
Gradients backward_meta(const Tensor& grad, SIM_ARGUMENTS) {
  check(q, k, v, SIM_PACKED);
  check_grad(grad, q, v);
  return empty_gradients(q, k, v, SIM_PACKED);
}

Tensor forward_autograd(SIM_ARGUMENTS) {
  return Attention::apply(q, k, v, bias, slopes, key_len, scale, causal, window_left, window_right);
}
Gradients backward_autograd(const Tensor& grad, SIM_ARGUMENTS) {
  const variable_list g = Once::apply(grad, q, k, v, bias, slopes, key_len, scale, causal, window_left, window_right);
  return {g[0], g[1], g[2], g[3], g[4]};
}

/// q, k and v in the type that autocast asks for; bias and slopes stay, for they are read in double anyway.
template <c10::DispatchKey key, c10::DeviceType device>
Tensor forward_autocast(SIM_ARGUMENTS) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(key);
  const auto to = at::autocast::get_autocast_dtype(device);
  const auto cast = [&](const Tensor& t) { return at::autocast::cached_cast(to, t, device); };
  return call_forward(cast(q), cast(k), cast(v), SIM_PACKED);
}

TORCH_LIBRARY(simulacra, m) {
  m.def(
      "sigmoid_attention(Tensor q, Tensor k, Tensor v, Tensor bias, Tensor? slopes=None, Tensor? key_len=None, "
      "float? scale=None, bool causal=False, int window_left=-1, int window_right=-1) -> Tensor",
      {at::Tag::pt2_compliant_tag});
  m.def(
      "sigmoid_attention_backward(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor bias, Tensor? slopes, Tensor? key_len, "
      "float? scale, bool causal, int window_left, int window_right) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
      {at::Tag::pt2_compliant_tag});
}
TORCH_LIBRARY_IMPL(simulacra, CPU, m) {
  m.impl("sigmoid_attention", forward_cpu);
  m.impl("sigmoid_attention_backward", backward_cpu);
}
TORCH_LIBRARY_IMPL(simulacra, CUDA, m) {
  m.impl("sigmoid_attention", forward_cuda);
  m.impl("sigmoid_attention_backward", backward_cuda);
}
TORCH_LIBRARY_IMPL(simulacra, Meta, m) {
  m.impl("sigmoid_attention", forward_meta);
  m.impl("sigmoid_attention_backward", backward_meta);
}
TORCH_LIBRARY_IMPL(simulacra, Autograd, m) {
  m.impl("sigmoid_attention", forward_autograd);
  m.impl("sigmoid_attention_backward", backward_autograd);
}
TORCH_LIBRARY_IMPL(simulacra, AutocastCPU, m) {
  m.impl("sigmoid_attention", forward_autocast<c10::DispatchKey::AutocastCPU, c10::DeviceType::CPU>);
}
TORCH_LIBRARY_IMPL(simulacra, AutocastCUDA, m) {
  m.impl("sigmoid_attention", forward_autocast<c10::DispatchKey::AutocastCUDA, c10::DeviceType::CUDA>);
}

}  // namespace

Tensor sigmoid_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias, const MaybeTensor& slopes,
                         const MaybeTensor& key_len, const SigmoidAttentionOptions& o) {
  return call_forward(q, k, v, {bias, slopes, key_len, o.scale, o.causal, o.window_left, o.window_right});
}

}  // namespace simulacra::ops
