// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "learning/losses/poly_view.h"
#include "tests/learning/experiments/experiment.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::learning {
namespace {

using test::Stream;

constexpr std::int64_t kContent = 6, kNuisance = 24;

/// Observations of content on a sphere, hidden by strong nuisance through a fixed random mixing.
struct World {
  torch::Tensor first = test::portable("normal12", 8600, {kContent + kNuisance, 64}, 1 / std::sqrt(30.0));
  torch::Tensor second = test::portable("normal12", 8601, {64, 48}, 1.0 / 8);

  static torch::Tensor content(Stream& stream, std::int64_t n) {
    const torch::Tensor c = stream.normal({n, kContent});
    return c / c.norm(2, 1, true) * std::sqrt(static_cast<double>(kContent));
  }
  torch::Tensor observe(Stream& stream, const torch::Tensor& c) const {
    const torch::Tensor hidden = torch::cat({c, 2.5 * stream.normal({c.size(0), kNuisance})}, 1);
    return torch::tanh(1.5 * hidden.matmul(first)).matmul(second) + 0.05 * stream.normal({c.size(0), 48});
  }
};

torch::Tensor loss_of(const std::string& name, const torch::Tensor& u) {
  constexpr double kTemperature = 0.2;
  if (name == "arithmetic_wrong") {  // the often coded log-sum-exp of +e
    const torch::Tensor e = pair_terms(u, kTemperature);
    return e.masked_fill(torch::eye(e.size(-1), torch::kBool), -std::numeric_limits<double>::infinity()).logsumexp(-1).mean();
  }
  const PolyView objective = name == "suffstats_view" ? PolyView::suff_stats_view : poly_view_from_name(name);
  return poly_view_loss(u, {.objective = objective, .temperature = kTemperature});
}

/// Linear R2 of the content from normalised embeddings, fitted on 8000 fresh samples, tested on 4000.
double score(torch::nn::Sequential net, const World& world, Stream& stream) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor train = World::content(stream, 8000), held_out = World::content(stream, 4000);
  const auto features = [&](const torch::Tensor& c) {
    const torch::Tensor u = net->forward(world.observe(stream, c));
    return torch::cat({u / u.norm(2, 1, true), torch::ones({c.size(0), 1})}, 1);
  };
  const torch::Tensor weights = std::get<0>(torch::linalg_lstsq(features(train), train));
  const torch::Tensor missed = (features(held_out).matmul(weights) - held_out).square().sum();
  return 1 - (missed / (held_out - held_out.mean(0)).square().sum()).item<double>();
}

double run(const World& world, const std::string& name, std::int64_t samples, std::int64_t views, std::uint64_t seed) {
  constexpr int kSteps = 400;
  torch::nn::Sequential net(torch::nn::Linear(48, 128), torch::nn::ReLU(), torch::nn::Linear(128, 128), torch::nn::ReLU(),
                            torch::nn::Linear(128, 16));
  test::initialise(*net, seed);
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(2e-3));
  Stream stream(seed * 1000);
  for (int step = 0; step < kSteps; ++step) {
    adam.param_groups()[0].options().set_lr(2e-3 * 0.5 * (1 + std::cos(std::numbers::pi * step / kSteps)));
    const torch::Tensor x = world.observe(stream, World::content(stream, samples).repeat_interleave(views, 0));
    const torch::Tensor loss = loss_of(name, net->forward(x).view({samples, views, 16}));
    adam.zero_grad();
    loss.backward();
    adam.step();
  }
  return score(net, world, stream);
}

TEST(PolyViewLatent, ReachesTheThresholds) {
  SIM_NEED_SHARED_DATA(shared);
  torch::set_num_threads(1);
  struct Arm {
    const char* name;
    std::int64_t samples, views;
  };
  const Arm arms[] = {{"geometric", 128, 2}, {"geometric", 32, 2},        {"geometric", 32, 4},
                      {"geometric", 32, 8},  {"arithmetic_wrong", 32, 8}, {"suffstats_view", 32, 8}};
  const World world;
  test::Runs runs;
  std::map<std::string, double> measured;
  for (const Arm& arm : arms) {
    const std::string name = std::string(arm.name) + " K" + std::to_string(arm.samples) + " M" + std::to_string(arm.views);
    for (const std::uint64_t seed : {8700u, 8800u, 8900u}) runs[name].push_back(run(world, arm.name, arm.samples, arm.views, seed));
    measured[name] = test::mean(runs[name]);
  }
  test::print("polyview_latent", runs);
  for (const auto& check : test::threshold_checks("polyview_latent")) EXPECT_TRUE(test::holds(check, measured));
}

}  // namespace
}  // namespace simulacra::learning
