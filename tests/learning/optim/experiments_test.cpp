// SPDX-License-Identifier: Apache-2.0
// The end-to-end experiments `ademamix_quadratic` and `ema_digits` of thresholds.json, on the same data and draws.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "learning/optim/model_average.h"
#include "learning/optim/optimizer.h"
#include "tests/support/digits.h"
#include "tests/support/golden.h"

namespace simulacra::optim {
namespace {

namespace golden = test::golden;

torch::Tensor tensor_of(const std::vector<double>& v, at::IntArrayRef shape) { return torch::tensor(v, torch::kDouble).view(shape); }

/// A quadratic of 50 dimensions, curvature 1 to 1e-4, with noise shaped like the curvature.
struct Quadratic {
  explicit Quadratic(std::uint64_t seed, std::int64_t steps) {
    const std::int64_t d = 50;
    const torch::Tensor h = torch::logspace(0, -4, d, 10, torch::kDouble), q = tensor_of(golden::orthogonal(seed, 50), {d, d});
    hessian = (q * h).mm(q.t());
    shape = q * h.sqrt();
    target = tensor_of(golden::generate("normal12", seed + 600, 50), {d});
    noise = tensor_of(golden::generate("normal12", seed + 601, static_cast<std::size_t>(steps * d)), {steps, d}).mm(shape.t()) * 0.3;
  }
  torch::Tensor gradient(const torch::Tensor& x, std::int64_t t) const { return hessian.mv(x - target) + noise[t - 1]; }
  double excess(const torch::Tensor& x) const { return 0.5 * (x - target).dot(hessian.mv(x - target)).item<double>(); }
  torch::Tensor hessian, shape, target, noise;
};

double final_excess(const Quadratic& problem, const OptimizerOptions& options, double lr, std::int64_t steps) {
  const torch::NoGradGuard no_grad;
  torch::Tensor x = torch::zeros({50}, torch::kDouble);
  FlatParameters flat({{.name = "x", .parameters = {{"x", x}}}});
  Optimizer optimizer(flat, options);
  for (std::int64_t t = 1; t <= steps; ++t) {
    x.mutable_grad().copy_(problem.gradient(x, t));
    const double part = static_cast<double>(t) / static_cast<double>(steps);
    optimizer.step(lr * std::min(1.0, static_cast<double>(t) / 500) * 0.5 * (1 + std::cos(std::numbers::pi * part)));
  }
  return problem.excess(x);
}

TEST(Experiments, AdemamixQuadratic) {
  const std::int64_t steps = 5000;
  const std::vector<double> rates = {3e-4, 1e-3, 3e-3, 1e-2, 3e-2};
  OptimizerOptions adam, mix;
  mix.method = "ademamix";
  mix.beta3 = 0.999;
  mix.alpha = 8;
  mix.alpha_over = mix.beta3_over = static_cast<int>(steps);
  std::vector<double> adam_loss(rates.size()), mix_loss(rates.size());
  for (const std::uint64_t seed : {7100, 7800, 8500}) {
    const Quadratic problem(seed, steps);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      adam_loss[i] += final_excess(problem, adam, rates[i], steps) / 3;
      mix_loss[i] += final_excess(problem, mix, rates[i], steps) / 3;
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i)
    std::printf("lr %g: adam %.4g, ademamix %.4g\n", rates[i], adam_loss[i], mix_loss[i]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(mix_loss[i] / adam_loss[i], 0.5) << rates[i];
  EXPECT_LE(std::ranges::min(mix_loss) / std::ranges::min(adam_loss), 1.6);
}

/// Test loss of the averaged weights of soft-max regression after plain SGD over 102,400 samples with batch 8k.
double averaged_loss(const test::Digits& digits, std::uint64_t seed, int k, bool scaled) {
  const torch::NoGradGuard no_grad;
  const std::int64_t batch = 8 * k, updates = 8 * 12800 / batch;
  const HyperParameters h = scale_hyperparameters({.batch = 8, .lr = 0.02, .rho = 0.9998}, k, OptimizerKind::sgd).values;
  const torch::Tensor draws = torch::tensor(golden::generate("int", seed, 8 * 12800, 1, 1400), torch::kDouble).to(torch::kLong);
  const auto with_one = [](const torch::Tensor& x) { return torch::cat({x, torch::ones({x.size(0), 1}, x.options())}, 1); };
  const torch::Tensor x = with_one(tensor_of(digits.pixels, {digits.count(), 64}));
  const torch::Tensor labels = torch::tensor(digits.labels), y = torch::one_hot(labels, 10).to(torch::kDouble);

  torch::Tensor w = torch::zeros({65, 10}, torch::kDouble);
  FlatParameters flat({{.name = "w", .parameters = {{"w", w}}}});
  ModelAverage mean(flat);
  for (std::int64_t t = 0; t < updates; ++t) {
    const torch::Tensor i = draws.narrow(0, t * batch, batch), xi = x.index_select(0, i);
    const torch::Tensor p = torch::softmax(xi.mm(w), 1);
    w.sub_(xi.t().mm(p - y.index_select(0, i)) * (h.lr / static_cast<double>(batch)));
    mean.update(flat, scaled ? h.rho : 0.9998);
  }
  mean.swap_with(flat);
  const torch::Tensor logits = x.slice(0, 1400).mm(w);
  return torch::nn::functional::cross_entropy(logits, labels.slice(0, 1400)).item<double>();
}

TEST(Experiments, EmaDigits) {
  const auto digits = test::load_digits();
  if (!digits) GTEST_SKIP() << "skipped: no shared data";
  torch::set_num_threads(1);  // the matrices are small: a second thread would only wait
  for (const std::uint64_t seed : {7200, 7210, 7220}) {
    const double base = averaged_loss(*digits, seed, 1, true);
    std::printf("seed %d: k 1 %.4f\n", static_cast<int>(seed), base);
    for (const int k : {8, 16, 64}) {
      const double scaled = averaged_loss(*digits, seed, k, true), unscaled = averaged_loss(*digits, seed, k, false);
      std::printf("  k %d: scaled %.4f, unscaled %.4f\n", k, scaled, unscaled);
      EXPECT_LE(std::abs(scaled - base), 0.01) << k;
      EXPECT_GE(unscaled - base, 0.5) << k;
    }
  }
}

}  // namespace
}  // namespace simulacra::optim
