// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "learning/kernels/sigmoid_attention_cuda.h"
#include "learning/ops/sigmoid_attention.h"
#include "render/base/error.h"

namespace {

using namespace simulacra;
using ::testing::HasSubstr;
using torch::Tensor;

struct Inputs {
  Tensor q, k, v, bias;
};

Inputs inputs(std::int64_t b = 2, std::int64_t h = 4, std::int64_t kv = 2, std::int64_t m = 5, std::int64_t n = 7, at::ScalarType type = at::kDouble) {
  torch::manual_seed(11);
  const auto make = [&](at::IntArrayRef shape) { return torch::randn(shape, at::kDouble).to(type); };
  return {make({b, h, m, 6}), make({b, kv, n, 6}), make({b, kv, n, 3}), make({h})};
}

Tensor composed(const Inputs& in) {
  const std::int64_t group = in.q.size(1) / in.k.size(1);
  const Tensor k = in.k.repeat_interleave(group, 1), v = in.v.repeat_interleave(group, 1);
  const Tensor s = torch::matmul(in.q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(in.q.size(3)));
  return torch::matmul(torch::sigmoid(s + in.bias.view({-1, 1, 1})), v);
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(SigmoidAttentionOp, AgreesWithTorchOperationsAndTheirGradients) {
  Inputs ours = inputs();
  for (Tensor* t : {&ours.q, &ours.k, &ours.v, &ours.bias}) t->requires_grad_();
  Inputs theirs = inputs();
  for (Tensor* t : {&theirs.q, &theirs.k, &theirs.v, &theirs.bias}) t->requires_grad_();

  const Tensor o = ops::sigmoid_attention(ours.q, ours.k, ours.v, ours.bias), expected = composed(theirs);
  const Tensor grad = torch::randn_like(o);
  o.backward(grad);
  expected.backward(grad);

  // Double: only the order of sums differs.
  EXPECT_TRUE(torch::allclose(o, expected, 1e-12, 1e-13));
  EXPECT_TRUE(torch::allclose(ours.q.grad(), theirs.q.grad(), 1e-12, 1e-13));
  EXPECT_TRUE(torch::allclose(ours.k.grad(), theirs.k.grad(), 1e-12, 1e-13));
  EXPECT_TRUE(torch::allclose(ours.v.grad(), theirs.v.grad(), 1e-12, 1e-13));
  EXPECT_TRUE(torch::allclose(ours.bias.grad(), theirs.bias.grad(), 1e-12, 1e-13));
}

TEST(SigmoidAttentionOp, AnyStridesGiveTheSameBits) {
  for (const auto type : {at::kDouble, at::kFloat, at::kBFloat16}) {
    const Inputs in = inputs(2, 4, 2, 5, 7, type);
    const auto heads_inside = [](const Tensor& t) { return t.transpose(1, 2).contiguous().transpose(1, 2); };
    const auto columns_first = [](const Tensor& t) { return t.transpose(2, 3).contiguous().transpose(2, 3); };
    const auto every_second = [](const Tensor& t) { return torch::stack({t, t}, 4).select(4, 0); };
    const Tensor plain = ops::sigmoid_attention(in.q, in.k, in.v, in.bias);
    EXPECT_TRUE(plain.is_contiguous());
    const Tensor inside = ops::sigmoid_attention(heads_inside(in.q), heads_inside(in.k), heads_inside(in.v), in.bias);
    EXPECT_TRUE(torch::equal(plain, inside));
    EXPECT_TRUE(inside.transpose(1, 2).is_contiguous());
    EXPECT_TRUE(torch::equal(plain, ops::sigmoid_attention(columns_first(in.q), every_second(in.k), columns_first(in.v), in.bias)));
    const Tensor expanded = in.k.slice(0, 0, 1).expand({2, -1, -1, -1});
    EXPECT_TRUE(torch::equal(ops::sigmoid_attention(in.q, expanded, in.v, in.bias),
                             ops::sigmoid_attention(in.q, expanded.contiguous(), in.v, in.bias)));
  }
}

TEST(SigmoidAttentionOp, GradientsOfHalfTypesAndScalarsKeepTheirKind) {
  Inputs in = inputs(1, 2, 2, 3, 4, at::kBFloat16);
  in.q.requires_grad_();
  Tensor bias = torch::full({1}, -1.5, at::kFloat).requires_grad_();
  ops::sigmoid_attention(in.q, in.k, in.v, bias).sum().backward();
  EXPECT_EQ(in.q.grad().scalar_type(), at::kBFloat16);
  EXPECT_EQ(bias.grad().sizes(), bias.sizes());
  EXPECT_EQ(bias.grad().scalar_type(), at::kFloat);
}

TEST(SigmoidAttentionOp, NothingToDoIsFine) {
  const Inputs in = inputs(2, 4, 2, 5, 7);
  EXPECT_EQ(ops::sigmoid_attention(in.q.slice(2, 0, 0), in.k, in.v, in.bias).numel(), 0);
  EXPECT_EQ(ops::sigmoid_attention(in.q, in.k.slice(2, 0, 0), in.v.slice(2, 0, 0), in.bias).abs().max().item<double>(), 0);
  EXPECT_EQ(ops::sigmoid_attention(in.q.slice(0, 0, 0), in.k.slice(0, 0, 0), in.v.slice(0, 0, 0), in.bias).numel(), 0);
}

TEST(SigmoidAttentionOp, TheSecondDerivativeIsRefused) {
  Inputs in = inputs();
  in.q.requires_grad_();
  const Tensor o = ops::sigmoid_attention(in.q, in.k, in.v, in.bias);
  const Tensor dq = torch::autograd::grad({o.square().sum()}, {in.q}, {}, std::nullopt, /*create_graph=*/true)[0];
  EXPECT_THAT(message_of([&] { dq.sum().backward(); }), HasSubstr("no second derivative"));
}

TEST(SigmoidAttentionOp, WrongArgumentsAreNamed) {
  const Inputs in = inputs();
  const auto call = [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& bias, std::optional<Tensor> slopes = {},
                        std::optional<Tensor> key_len = {}) {
    return message_of([&] { ops::sigmoid_attention(q, k, v, bias, slopes, key_len); });
  };
  EXPECT_THAT(call(in.q[0], in.k, in.v, in.bias), HasSubstr("q is [4, 5, 6], expected [batch, heads, rows, width]"));
  EXPECT_THAT(call(in.q.to(at::kLong), in.k, in.v, in.bias), HasSubstr("q is Long, expected Double, Float"));
  EXPECT_THAT(call(in.q, in.k.to(at::kFloat), in.v, in.bias), HasSubstr("k is Float, expected q's Double"));
  EXPECT_THAT(call(in.q, in.k.slice(3, 0, 5), in.v, in.bias), HasSubstr("k is [2, 2, 7, 5], expected [2, key heads, n, 6]"));
  EXPECT_THAT(call(in.q, in.k, in.v.slice(2, 0, 6), in.bias), HasSubstr("v is [2, 2, 6, 3], expected [2, 2, 7, dv]"));
  EXPECT_THAT(call(in.q.slice(1, 0, 3), in.k, in.v, in.bias.slice(0, 0, 3)), HasSubstr("q has 3 heads, expected a multiple of k's 2"));
  EXPECT_THAT(call(in.q, in.k, in.v, torch::zeros({3})), HasSubstr("bias is [3], expected a scalar or [4]"));
  EXPECT_THAT(call(in.q, in.k, in.v, in.bias, torch::zeros({3})), HasSubstr("slopes is [3], expected [4]"));
  EXPECT_THAT(call(in.q, in.k, in.v, in.bias, {}, torch::zeros({2})), HasSubstr("key_len is Float, expected Long or Int"));
  EXPECT_THAT(call(in.q, in.k, in.v, in.bias, {}, torch::tensor({3, 8})), HasSubstr("key_len[1] = 8, expected 0 to 7"));
}

// Where CUDA tensors go. (A LibTorch for CPUs cannot make one, but its dispatcher can be asked by the key's name.)
TEST(SigmoidAttentionOp, ABuildWithoutCudaSaysSo) {
  if (kernels::attention::cuda::built_with_cuda()) GTEST_SKIP() << "skipped: this build has CUDA";
  using Maybe = std::optional<Tensor>;
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow("simulacra::sigmoid_attention", "")
                      .typed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Maybe&, const Maybe&,
                                    std::optional<double>, bool, std::int64_t, std::int64_t)>();
  const Inputs in = inputs();
  const c10::DispatchKeySet cuda(c10::DispatchKey::CUDA);
  EXPECT_THAT(message_of([&] { op.redispatch(cuda, in.q, in.k, in.v, in.bias, Maybe(), Maybe(), std::nullopt, false, -1, -1); }),
              HasSubstr("this build is without CUDA"));
}

}  // namespace
