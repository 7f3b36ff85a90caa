// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "learning/dab/bridge.h"
#include "learning/dab/estimators.h"
#include "learning/dab/surrogates.h"
#include "render/base/error.h"
#include "render/base/log.h"
#include "tests/support/golden_torch.h"

namespace simulacra::learning {
namespace {

using test::golden::largest_difference;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

torch::Tensor random(at::IntArrayRef shape, std::uint64_t seed = 1) {
  torch::manual_seed(seed);
  return torch::randn(shape, torch::kDouble);
}

torch::nn::Sequential small_surrogate(std::uint64_t seed = 2) {
  torch::manual_seed(seed);
  auto net = mlp_surrogate({4, 6, 4});
  net->to(torch::kDouble);
  return net;
}

TEST(Bridge, ValueIsTheHardFunctionBitForBit) {
  torch::Tensor z = random({5, 4}).requires_grad_();
  const torch::Tensor with_zero = torch::cat({z.detach(), torch::zeros({1, 4}, torch::kDouble)}).requires_grad_();
  for (const char* name : {"signum", "minus_sign", "binary", "parity", "quantise", "sensor", "sort", "argmax"}) {
    const HardFunction h = hard_function(name);
    Bridge bridge(h, small_surrogate());
    for (const bool training : {true, false}) {
      bridge->train(training);
      const torch::Tensor y = bridge->forward(with_zero).y, expected = h(with_zero.detach());
      EXPECT_TRUE(torch::equal(y, expected)) << name;
      EXPECT_TRUE(torch::equal(y.signbit(), expected.signbit())) << name;  // minus zero stays
    }
  }
}

TEST(Bridge, GradientIsTheSurrogatesJacobianTransposed) {
  auto surrogate = small_surrogate();
  Bridge bridge(hard_function("signum"), surrogate);
  const torch::Tensor z = random({1, 4}).requires_grad_(), grad_y = random({1, 4}, 7);
  bridge->forward(z).y.backward(grad_y);
  const torch::NoGradGuard no_grad;
  for (std::int64_t i = 0; i < 4; ++i) {
    torch::Tensor step = torch::zeros({1, 4}, torch::kDouble);
    step[0][i] = 1e-6;
    const torch::Tensor column = (surrogate->forward(z + step) - surrogate->forward(z - step)) / 2e-6;
    EXPECT_NEAR(z.grad()[0][i].item<double>(), (column * grad_y).sum().item<double>(), 1e-8);
  }
}

/// The published form: one pass of g, whose stored graph the backward of h goes through; nothing is cut off.
struct OnePass : torch::autograd::Function<OnePass> {
  static torch::Tensor forward(AutogradContext* ctx, const torch::Tensor& z, const torch::Tensor& g, const torch::Tensor& y) {
    ctx->save_for_backward({z, g});
    return y.clone();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const auto grad = torch::autograd::grad({saved[1]}, {saved[0]}, {grads[0]}, /*retain_graph=*/true);
    return {grad[0], torch::Tensor(), torch::Tensor()};
  }
};

TEST(Bridge, TwoPassesGiveTheGradientsOfTheOnePassForm) {
  constexpr double kGamma = 10;
  const torch::Tensor x = random({6, 4}), target = random({6, 4}, 3);
  struct Gradients {
    torch::Tensor x;
    std::vector<torch::Tensor> surrogate;
  };
  const auto run = [&](bool two_pass) {
    auto surrogate = small_surrogate();
    const torch::Tensor leaf = x.clone().requires_grad_(), z = torch::tanh(leaf);
    torch::Tensor y, loss;
    if (two_pass) {
      const BridgeOutput out = Bridge(hard_function("signum"), surrogate)->forward(z);
      y = out.y, loss = out.loss;
    } else {
      const torch::Tensor g = surrogate->forward(z);
      y = OnePass::apply(z, g, hard::signum(z.detach()));
      loss = (g - y).square().sum(1).mean();
    }
    ((y - target).square().sum() + kGamma * loss).backward();
    Gradients got{leaf.grad(), {}};
    for (const torch::Tensor& p : surrogate->parameters()) got.surrogate.push_back(p.grad());
    return got;
  };
  const Gradients two = run(true), one = run(false);
  EXPECT_LT(largest_difference(two.x, one.x), 1e-12);
  for (std::size_t i = 0; i < two.surrogate.size(); ++i) EXPECT_LT(largest_difference(two.surrogate[i], one.surrogate[i]), 1e-12);
}

TEST(Bridge, UsesEqualUnrolledCopies) {
  auto loop = small_surrogate();
  Bridge bridge(hard_function("signum"), loop);
  const std::vector<torch::nn::Sequential> copies = {small_surrogate(), small_surrogate(), small_surrogate()};
  const auto run = [](const torch::Tensor& z0, const auto& layer) {
    std::vector<BridgeOutput> uses;
    torch::Tensor z = z0;
    for (std::size_t t = 0; t < 3; ++t) {
      uses.push_back(layer(t)->forward(z));
      z = torch::tanh(z + 0.7 * uses.back().y);
    }
    (z.square().sum() + 2 * mean_bridge_loss(uses)).backward();
  };
  const torch::Tensor a = random({5, 4}).requires_grad_(), b = a.detach().clone().requires_grad_();
  run(a, [&](std::size_t) { return bridge; });
  run(b, [&](std::size_t t) { return Bridge(hard_function("signum"), copies[t]); });
  EXPECT_LT(largest_difference(a.grad(), b.grad()), 1e-14);
  for (std::size_t p = 0; p < loop->parameters().size(); ++p) {
    torch::Tensor sum = torch::zeros_like(loop->parameters()[p]);
    for (const auto& copy : copies) sum += copy->parameters()[p].grad();
    EXPECT_LT(largest_difference(loop->parameters()[p].grad(), sum), 1e-14);
  }
}

TEST(Bridge, WithoutGradModeItIsTheHardFunctionAlone) {
  int calls = 0;
  torch::nn::Sequential surrogate(torch::nn::Functional([&](const torch::Tensor& z) {
    ++calls;
    return z.clone();
  }));
  Bridge bridge(hard_function("signum"), surrogate);
  const torch::Tensor z = random({5, 4}).requires_grad_();
  {
    const torch::NoGradGuard no_grad;
    const BridgeOutput out = bridge->forward(z);
    EXPECT_FALSE(out.y.requires_grad());
    EXPECT_FALSE(out.loss.defined());
  }
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(bridge->forward(z).y.requires_grad());
  EXPECT_EQ(calls, 2);
}

TEST(Bridge, KeepsNoTensorOfAUse) {
  Bridge bridge(hard_function("signum"), small_surrogate());
  const torch::Tensor z = random({5, 4}).requires_grad_();
  c10::weak_intrusive_ptr<torch::TensorImpl> seen(z.getIntrusivePtr());
  {
    const BridgeOutput out = bridge->forward(z);
    seen = c10::weak_intrusive_ptr<torch::TensorImpl>(out.y.getIntrusivePtr());
    EXPECT_FALSE(seen.expired());
  }
  EXPECT_TRUE(seen.expired());
}

TEST(Bridge, FrozenWeightsStayFrozenAndOthersTrainable) {
  auto surrogate = small_surrogate();
  surrogate->parameters()[0].set_requires_grad(false);
  Bridge(hard_function("signum"), surrogate)->forward(random({5, 4}).requires_grad_());
  const auto parameters = surrogate->parameters();
  EXPECT_FALSE(parameters[0].requires_grad());
  for (std::size_t i = 1; i < parameters.size(); ++i) EXPECT_TRUE(parameters[i].requires_grad());
}

TEST(Bridge, TwoModelsInTwoThreadsDoNotMeet) {
  const auto train = [](std::uint64_t seed, torch::Tensor& result) {
    torch::Tensor x, w;
    torch::nn::Sequential surrogate;
    {
      static std::mutex seeding;  // the generator is one for all threads
      const std::lock_guard lock(seeding);
      x = random({8, 4}, seed), w = random({4, 4}, seed + 1).requires_grad_();
      surrogate = small_surrogate(seed);
    }
    Bridge bridge(hard_function("signum"), surrogate);
    for (int step = 0; step < 50; ++step) {
      const BridgeOutput out = bridge->forward(torch::tanh(x.matmul(w)));
      ((out.y - x).square().mean() + out.loss).backward();
    }
    result = w.grad();
  };
  torch::Tensor alone[2], together[2];
  for (std::size_t i = 0; i < 2; ++i) train(10 + i, alone[i]);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 2; ++i) threads.emplace_back([&, i] { train(10 + i, together[i]); });
  }
  for (std::size_t i = 0; i < 2; ++i) EXPECT_TRUE(torch::equal(alone[i], together[i]));
}

// Adam divides by the size of the gradient, so the weight of the loss only matters beside other losses.
TEST(Bridge, UnderAdamTheWeightOfTheLossDoesNotMatter) {
  const auto weights_after = [](double gamma) {
    auto surrogate = small_surrogate();
    Bridge bridge(hard_function("signum"), surrogate);
    torch::optim::Adam adam(surrogate->parameters(), torch::optim::AdamOptions(1e-3).eps(1e-16));
    const torch::Tensor z = random({16, 4}, 9);
    for (int step = 0; step < 50; ++step) {
      adam.zero_grad();
      (gamma * bridge->forward(z).loss).backward();
      adam.step();
    }
    return torch::nn::utils::parameters_to_vector(surrogate->parameters()).detach();
  };
  EXPECT_LT(largest_difference(weights_after(1), weights_after(100)), 1e-4);
}

TEST(Bridge, ShapesThatDifferAreNamed) {
  torch::nn::Sequential narrow(torch::nn::Linear(4, 3));
  try {
    Bridge(hard_function("signum"), narrow)->forward(torch::ones({2, 4}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(std::string(e.what()), ::testing::HasSubstr("the surrogate gives [2, 3], the hard function [2, 4]"));
  }
  EXPECT_THROW(Bridge(hard_function("signum"), identity_surrogate())->forward(torch::ones({4})), Error);
}

TEST(Bridge, AnyCallbackIsAHardFunction) {
  const HardFunction count = [](const torch::Tensor& z) { return (z > 0).to(z.scalar_type()).sum(1, true); };
  torch::nn::Sequential surrogate(torch::nn::Linear(4, 1));
  const torch::Tensor z = torch::randn({5, 4}).requires_grad_();
  const BridgeOutput out = Bridge(count, surrogate)->forward(z);
  out.y.sum().backward();
  EXPECT_TRUE(torch::equal(out.y, count(z.detach())));
  EXPECT_TRUE(torch::allclose(z.grad(), surrogate->parameters()[0].detach().expand({5, 4})));
}

TEST(ResidualMonitor, WarnsOnceWhileTheSurrogateMissesTheFunction) {
  const LogLevel before = log_level();
  set_log_level(LogLevel::silent);
  ResidualMonitor monitor("bridge", {.threshold = 0.5, .window = 4});
  const auto use = [](double residual) {
    return BridgeOutput{.y = {}, .loss = {}, .residual = torch::tensor(residual), .variance = torch::tensor(2.0)};
  };
  EXPECT_FALSE(monitor.rho().has_value());
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(monitor.observe(use(4)));  // fewer than the window
  EXPECT_TRUE(monitor.observe(use(4)));
  EXPECT_NEAR(*monitor.rho(), 2, 1e-12);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(monitor.observe(use(4)));
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(monitor.observe(use(0.1)));
  EXPECT_LT(*monitor.rho(), 0.5);
  int warnings = 0;
  for (int i = 0; i < 30; ++i) warnings += monitor.observe(use(4));
  EXPECT_EQ(warnings, 1);
  set_log_level(before);
}

TEST(ResidualMonitor, RhoFallsAsTheSurrogateLearns) {
  torch::set_num_threads(1);  // too small to share
  torch::manual_seed(3);
  auto surrogate = elementwise_surrogate(16);
  Bridge bridge(hard_function("signum"), surrogate);
  torch::optim::Adam adam(surrogate->parameters(), torch::optim::AdamOptions(1e-2));
  const torch::Tensor z = torch::randn({256, 4});
  const double start = *relative_residual(bridge->measure(z));
  for (int step = 0; step < 300; ++step) {
    adam.zero_grad();
    bridge->forward(z).loss.backward();
    adam.step();
  }
  EXPECT_GT(start, 0.5);
  // The best affine surrogate is left with 0.1213 / 0.6171 = 0.197 of the variance: a network has to beat it.
  EXPECT_LT(*relative_residual(bridge->measure(z)), 0.15);
}

TEST(ResidualMonitor, IsNothingForAConstant) {
  EXPECT_FALSE(relative_residual(Bridge(hard_function("signum"), identity_surrogate())->forward(torch::ones({3, 2}))).has_value());
}

TEST(Estimators, ValueAndRouteGoApart) {
  const torch::Tensor route = torch::full({2}, std::numeric_limits<double>::infinity(), torch::kDouble).requires_grad_();
  const torch::Tensor value = torch::tensor({-0.0, 3.0}, torch::kDouble), y = with_gradient_of(value, route);
  EXPECT_TRUE(torch::equal(y.signbit(), value.signbit()));
  y.sum().backward();
  EXPECT_TRUE(torch::equal(route.grad(), torch::ones({2}, torch::kDouble)));
  EXPECT_THROW(with_gradient_of(torch::ones({2}), torch::ones({3})), Error);
}

TEST(Estimators, SortingHasItsOwnGradient) {
  const torch::Tensor z = torch::tensor({{3.0, 1.0, 2.0}}).requires_grad_();
  exact_gradient(hard_function("sort"), z).backward(torch::tensor({{10.0f, 20.0f, 30.0f}}));
  EXPECT_TRUE(torch::equal(z.grad(), torch::tensor({{30.0f, 10.0f, 20.0f}})));
  EXPECT_FALSE(exact_gradient(hard_function("binary"), z).requires_grad());
}

// Logits are log odds: the share of ones is the sigmoid, at any temperature.
TEST(Estimators, GumbelBitsFollowTheirLogits) {
  torch::manual_seed(6);
  constexpr std::int64_t kDraws = 40000;
  const torch::Tensor logits = torch::tensor({-2.0, 0.0, 1.0}).expand({kDraws, 3}), uniform = torch::rand({kDraws, 3});
  const torch::Tensor bits = gumbel_sigmoid(logits, uniform, {.temperature = 0.7, .hard = true});
  EXPECT_TRUE(bits.eq(0).logical_or(bits.eq(1)).all().item<bool>());
  EXPECT_LT(largest_difference(bits.mean(0), torch::sigmoid(logits[0])), 4 * 0.5 / std::sqrt(kDraws));
  const torch::Tensor soft = gumbel_sigmoid(logits, uniform, {.temperature = 0.7});
  EXPECT_TRUE(torch::equal((soft > 0.5).to(torch::kFloat), bits));
}

TEST(Estimators, GumbelClassesFollowTheirLogits) {
  torch::manual_seed(7);
  constexpr std::int64_t kDraws = 40000;
  const torch::Tensor logits = torch::tensor({-1.0, 0.0, 1.0}).expand({kDraws, 3}), uniform = torch::rand({kDraws, 3});
  const torch::Tensor classes = gumbel_softmax(logits, uniform, {.temperature = 0.5, .hard = true});
  EXPECT_LT(largest_difference(classes.mean(0), torch::softmax(logits[0], 0)), 4 * 0.5 / std::sqrt(kDraws));
  const torch::Tensor leaf = logits.clone().requires_grad_(), other = logits.clone().requires_grad_();
  const torch::Tensor weights = torch::tensor({1.0, 2.0, 5.0});
  (gumbel_softmax(leaf, uniform, {.temperature = 0.5, .hard = true}) * weights).sum().backward();
  (gumbel_softmax(other, uniform, {.temperature = 0.5}) * weights).sum().backward();
  EXPECT_TRUE(torch::equal(leaf.grad(), other.grad()));
  EXPECT_THROW(gumbel_softmax(logits, uniform, {.temperature = 0}), Error);
}

TEST(Surrogates, FitRecoversAnAffineMap) {
  const torch::Tensor a = random({3, 4}), b = random({3}, 2), z = random({50, 4}, 3) + 100;
  const AffineFit fit = fit_affine(z, z.matmul(a.t()) + b);
  EXPECT_LT(largest_difference(fit.a, a), 1e-12);
  EXPECT_LT(largest_difference(fit.b, b), 1e-10);
  EXPECT_LT(fit.residual, 1e-20);
}

TEST(Surrogates, ElementwiseTreatsFeaturesAlike) {
  torch::manual_seed(8);
  auto net = elementwise_surrogate(5);
  const torch::Tensor z = torch::randn({3, 4});
  EXPECT_TRUE(torch::allclose(net->forward(z).flip(1), net->forward(z.flip(1))));
  EXPECT_EQ(net->forward(z).sizes(), z.sizes());
}

TEST(ParameterGroups, ABridgeAloneHasNoNetwork) {
  const Bridge bridge(hard_function("signum"), small_surrogate());
  const ParameterGroups groups = parameter_groups(*bridge);
  EXPECT_EQ(groups.network.size(), 0u);
  EXPECT_EQ(groups.surrogates.size(), 4u);
}

}  // namespace
}  // namespace simulacra::learning
