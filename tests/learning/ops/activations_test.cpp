// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <limits>

#include "learning/ops/activations.h"

namespace simulacra::ops {
namespace {

using torch::Tensor;

Tensor wide_range(at::IntArrayRef shape) {
  torch::manual_seed(1);
  return 4 * torch::randn(shape, torch::kFloat);
}

TEST(Gelu, ValueAndGradientAreThoseOfDouble) {
  const Tensor start = wide_range({1000, 37});
  Tensor x = start.clone().requires_grad_(), exact = start.to(torch::kDouble).requires_grad_();
  const Tensor dy = wide_range({1000, 37});
  const Tensor y = ops::gelu(x), want = torch::gelu(exact);
  y.backward(dy);
  want.backward(dy.to(torch::kDouble));
  // 1.5e-7 of Phi times |x|, beside float32's rounding.
  EXPECT_LE((y - want).abs().max().item<double>(), 3e-6);
  EXPECT_LE(((x.grad() - exact.grad()) / (1 + dy.abs())).abs().max().item<double>(), 2e-6);
}

TEST(Gelu, Bfloat16IsRoundedOnce) {
  const Tensor start = wide_range({513}).to(torch::kBFloat16);
  Tensor x = start.clone().requires_grad_(), exact = start.to(torch::kDouble).requires_grad_();
  const Tensor y = ops::gelu(x), want = torch::gelu(exact);
  EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
  y.sum().backward();
  want.sum().backward();
  const double half_step = 1.0 / 256;  // of a number of 8 bits, relative
  EXPECT_TRUE(((y.to(torch::kDouble) - want).abs() <= half_step * want.abs() + 1e-6).all().item<bool>());
  EXPECT_TRUE(((x.grad().to(torch::kDouble) - exact.grad()).abs() <= half_step * exact.grad().abs() + 1e-6).all().item<bool>());
}

TEST(Gelu, AnyLayout) {
  const Tensor image = wide_range({2, 3, 5, 7});
  for (const Tensor& x : {image.contiguous(at::MemoryFormat::ChannelsLast), image.transpose(1, 3), image.slice(3, 0, 7, 2)}) {
    Tensor a = x.detach().requires_grad_(), b = x.detach().contiguous().requires_grad_();
    const Tensor dy = wide_range(x.sizes());
    const Tensor y = ops::gelu(a), want = ops::gelu(b);
    EXPECT_TRUE(torch::equal(y, want));
    y.backward(dy);
    want.backward(dy);
    EXPECT_TRUE(torch::equal(a.grad(), b.grad()));
  }
}

TEST(Gelu, FarOutAndNotANumber) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Tensor x = torch::tensor({-100.f, -20.f, 0.f, 20.f, 100.f, 3e38f}).requires_grad_();
  const Tensor y = ops::gelu(x);
  y.sum().backward();
  EXPECT_TRUE(torch::equal(y.detach(), torch::tensor({-0.f, -0.f, 0.f, 20.f, 100.f, 3e38f})) ||
              torch::allclose(y, torch::tensor({0.f, 0.f, 0.f, 20.f, 100.f, 3e38f}), 1e-6, 1e-30));
  EXPECT_TRUE(torch::allclose(x.grad(), torch::tensor({0.f, 0.f, 0.5f, 1.f, 1.f, 1.f}), 1e-6, 1e-30));
  EXPECT_TRUE(ops::gelu(torch::tensor({std::numeric_limits<float>::quiet_NaN()})).isnan().all().item<bool>());
  EXPECT_TRUE(ops::gelu(torch::tensor({std::numeric_limits<float>::quiet_NaN()}).to(torch::kBFloat16)).isnan().all().item<bool>());
  EXPECT_EQ(ops::gelu(torch::tensor({kInf})).item<float>(), kInf);
  EXPECT_EQ(ops::gelu(torch::empty({0, 3})).numel(), 0);
}

TEST(Gelu, ThreadsDoNotChangeBits) {
  const Tensor x = wide_range({1 << 17});
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Tensor one = ops::gelu(x);
  at::set_num_threads(3);
  const Tensor three = ops::gelu(x);
  at::set_num_threads(threads);
  EXPECT_TRUE(torch::equal(one, three));
}

}  // namespace
}  // namespace simulacra::ops
