// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>

#include <limits>

#include "learning/optim/model_average.h"
#include "learning/optim/optimizer.h"
#include "learning/optim/schedule.h"
#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::optim {
namespace {

using ::testing::HasSubstr;

torch::nn::Sequential small_model() {
  torch::manual_seed(3);
  return torch::nn::Sequential(torch::nn::Linear(5, 7), torch::nn::GELU(), torch::nn::Linear(7, 3));
}

torch::Tensor batch(int seed) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(static_cast<std::uint64_t>(seed));
  return torch::randn({4, 5}, generator);
}

void backward(torch::nn::Sequential& model, int seed) { model->forward(batch(seed)).pow(2).sum().backward(); }

template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(FlatParameters, ModelAndBufferAreOne) {
  torch::nn::Sequential model = small_model();
  const torch::Tensor before = model->forward(batch(1));
  FlatParameters flat(groups_by_decay(*model, 0.1));
  EXPECT_EQ(flat.count(), 5 * 7 + 7 + 7 * 3 + 3);
  EXPECT_TRUE(torch::equal(model->forward(batch(1)), before));
  flat.values().zero_();
  EXPECT_EQ(model->forward(batch(1)).abs().max().item<float>(), 0);
}

TEST(FlatParameters, GroupsAreByDecayAndAligned) {
  torch::nn::Sequential model = small_model();
  const FlatParameters flat(groups_by_decay(*model, 0.1));
  ASSERT_EQ(flat.ranges().size(), 2u);
  EXPECT_EQ(flat.ranges()[0].name, "decayed");
  EXPECT_EQ(flat.ranges()[0].weight_decay, 0.1);
  EXPECT_EQ(flat.ranges()[1].weight_decay, 0);
  EXPECT_EQ(flat.ranges()[0].end, flat.ranges()[1].begin);
  EXPECT_EQ(flat.ranges()[1].end, flat.size());
  for (const auto& e : flat.entries()) EXPECT_EQ(e.offset * 4 % 64, 0) << e.name;
}

// Two micro-batches give the gradient of both: sums of floats in another order, a few units in the last place.
TEST(FlatParameters, GradientsAccumulate) {
  torch::nn::Sequential model = small_model();
  FlatParameters flat(groups_by_decay(*model, 0));
  backward(model, 1);
  const torch::Tensor first = flat.gradients().clone();
  backward(model, 2);
  const torch::Tensor both = flat.gradients().clone();
  flat.zero_gradients();
  backward(model, 2);
  EXPECT_TRUE(torch::allclose(both, first + flat.gradients(), 1e-5, 1e-6));
  EXPECT_GT(first.abs().max().item<float>(), 0);
}

TEST(FlatParameters, NormIsOfTheWholeGradient) {
  torch::nn::Sequential model = small_model();
  FlatParameters flat(groups_by_decay(*model, 0));
  backward(model, 1);
  double sum = 0;
  for (const auto& p : model->parameters()) sum += p.grad().to(torch::kDouble).pow(2).sum().item<double>();
  EXPECT_NEAR(flat.gradient_norm(), std::sqrt(sum), 1e-12 * std::sqrt(sum));
}

TEST(FlatParameters, WhatLeftTheBufferIsNamed) {
  torch::nn::Sequential model = small_model();
  FlatParameters flat(groups_by_decay(*model, 0));
  flat.check();
  model->zero_grad();
  EXPECT_THAT(message_of([&] { flat.check(); }), HasSubstr("zero_gradients()"));
  torch::nn::Sequential moved = small_model();
  FlatParameters other(groups_by_decay(*moved, 0));
  moved->to(torch::kDouble);
  EXPECT_THAT(message_of([&] { other.check(); }), HasSubstr("parameter '0.weight' left"));
}

TEST(FlatParameters, WrongParametersAreNamed) {
  const auto a = torch::zeros({2}), b = torch::zeros({2}, torch::kDouble), c = torch::zeros({2}, torch::kLong);
  EXPECT_THAT(message_of([&] { FlatParameters({{.name = "g", .parameters = {{"a", a}, {"b", b}}}}); }),
              HasSubstr("'b' is Double on cpu, the first one Float on cpu"));
  EXPECT_THAT(message_of([&] { FlatParameters({{.name = "g", .parameters = {{"c", c}}}}); }), HasSubstr("'c' is Long"));
  EXPECT_THAT(message_of([&] { FlatParameters({{.name = "g", .parameters = {{"a", a}, {"again", a}}}}); }), HasSubstr("'again' stands in two groups"));
  EXPECT_THAT(message_of([&] { FlatParameters(std::vector<ParameterGroup>{}); }), HasSubstr("no parameter to optimise"));
}

OptimizerOptions ademamix() {
  OptimizerOptions o;
  o.method = "ademamix";
  o.alpha_over = o.beta3_over = 20;
  o.clip = 1;
  return o;
}

// LibTorch's AdamW in float64 over ten updates: only the order of operations differs.
TEST(Optimizer, AdamWIsLibTorchs) {
  torch::nn::Sequential ours = small_model(), theirs = small_model();
  ours->to(torch::kDouble), theirs->to(torch::kDouble);
  FlatParameters flat({{.name = "all", .parameters = [&] {
                          std::vector<std::pair<std::string, torch::Tensor>> all;
                          for (const auto& p : ours->named_parameters()) all.emplace_back(p.key(), p.value());
                          return all;
                        }(), .weight_decay = 0.05}});
  Optimizer optimizer(flat, {});
  torch::optim::AdamW reference(theirs->parameters(), torch::optim::AdamWOptions(1e-2).weight_decay(0.05));
  for (int t = 0; t < 10; ++t) {
    const torch::Tensor x = batch(t).to(torch::kDouble);
    flat.zero_gradients();
    ours->forward(x).pow(2).sum().backward();
    optimizer.step(1e-2);
    reference.zero_grad();
    theirs->forward(x).pow(2).sum().backward();
    reference.step();
  }
  for (std::size_t i = 0; i < ours->parameters().size(); ++i)
    EXPECT_TRUE(torch::allclose(ours->parameters()[i], theirs->parameters()[i], 1e-12, 1e-13)) << i;
}

// The same update in tensor operations, as other devices run it.
TEST(Optimizer, TensorOperationsAgreeWithTheKernel) {
  for (const double beta1 : {0.0, 0.9}) {
    OptimizerOptions o = ademamix();
    o.beta1 = beta1;
    o.clip = 0;
    torch::Tensor theta = torch::randn({33}, torch::kDouble).requires_grad_(true);
    FlatParameters flat({{.name = "all", .parameters = {{"theta", theta}}, .weight_decay = 0.1}});
    Optimizer optimizer(flat, o);
    torch::Tensor other = flat.values().clone(), m1 = beta1 > 0 ? torch::zeros_like(other) : torch::Tensor();
    torch::Tensor v = torch::zeros_like(other), m2 = torch::zeros_like(other);
    for (int t = 1; t <= 5; ++t) {
      flat.gradients().copy_(torch::randn_like(flat.gradients()));
      const Optimizer::Report r = optimizer.step(1e-2);
      detail::step_with_tensors(other, flat.gradients(), m1, v, m2, 1e-2, 0.1, 1, r.alpha, r.beta3, t, o);
    }
    EXPECT_TRUE(torch::allclose(other, flat.values(), 1e-12, 1e-13)) << beta1;
  }
}

TEST(Optimizer, GroupsHaveTheirOwnRateAndDecay) {
  torch::Tensor a = torch::ones({3}), b = torch::ones({3}), c = torch::ones({3});
  FlatParameters flat({{.name = "slow", .parameters = {{"a", a}}, .lr_factor = 0.1},
                       {.name = "decayed", .parameters = {{"b", b}}, .weight_decay = 0.5},
                       {.name = "frozen", .parameters = {{"c", c}}, .lr_factor = 0}});
  Optimizer optimizer(flat, {});
  flat.gradients().fill_(1);
  optimizer.step(0.1);
  EXPECT_NEAR(a[0].item<float>(), 1 - 0.01, 1e-6);
  EXPECT_NEAR(b[0].item<float>(), 1 - 0.1 * (1 + 0.5), 1e-6);
  EXPECT_EQ(c[0].item<float>(), 1);
}

TEST(Optimizer, LeanVariantsTakeLessMemory) {
  torch::Tensor theta = torch::zeros({1600});
  const auto bytes = [&](const OptimizerOptions& o) {
    FlatParameters flat({{.name = "all", .parameters = {{"theta", theta}}}});
    return Optimizer(flat, o).state_bytes() / 1600;
  };
  OptimizerOptions lean = ademamix(), half = ademamix();
  lean.beta1 = 0;
  half.slow_average = "bfloat16";
  EXPECT_EQ(bytes({}), 8);
  EXPECT_EQ(bytes(ademamix()), 12);
  EXPECT_EQ(bytes(lean), 8);
  EXPECT_EQ(bytes(half), 10);
}

struct Training {
  explicit Training(const OptimizerOptions& o) : model(small_model()), flat(groups_by_decay(*model, 0.1)), optimizer(flat, o) {}
  void run(int from, int to) {
    for (int t = from; t < to; ++t) {
      flat.zero_gradients();
      backward(model, t);
      optimizer.step(learning_rate_at({.lr = 1e-2, .warmup = 3, .total = 20}, t + 1));
    }
  }
  torch::nn::Sequential model;
  FlatParameters flat;
  Optimizer optimizer;
};

TEST(Optimizer, ResumedFromItsStateItGivesTheSameBits) {
  for (const char* kept : {"float32", "bfloat16"}) {
    OptimizerOptions o = ademamix();
    o.slow_average = kept;
    Training whole(o), first(o), second(o);
    whole.run(0, 12);
    first.run(0, 7);
    Optimizer::State state;
    for (const auto& [name, tensor] : first.optimizer.state_dict()) state.emplace(name, tensor.clone());
    second.flat.values().copy_(first.flat.values());
    second.optimizer.load_state_dict(state);
    second.run(7, 12);
    EXPECT_TRUE(torch::equal(second.flat.values(), whole.flat.values())) << kept;
    EXPECT_FALSE(torch::equal(first.flat.values(), whole.flat.values())) << kept;
  }
}

TEST(Optimizer, ThreadsDoNotChangeBits) {
  const int before = torch::get_num_threads();
  const auto train = [](int threads) {
    torch::set_num_threads(threads);
    torch::Tensor theta = torch::ones({300'000}) * 0.5f;
    FlatParameters flat({{.name = "all", .parameters = {{"theta", theta}}}});
    OptimizerOptions o = ademamix();
    o.slow_average = "bfloat16";
    Optimizer optimizer(flat, o);
    for (int t = 0; t < 3; ++t) {
      flat.gradients().copy_(torch::sin(torch::arange(flat.size()) * 0.1));
      optimizer.step(1e-2);
    }
    return flat.values().clone();
  };
  EXPECT_TRUE(torch::equal(train(1), train(2)));
  torch::set_num_threads(before);
}

TEST(Optimizer, AForeignStateIsNamed) {
  Training adamw({}), mix(ademamix());
  EXPECT_THAT(message_of([&] { adamw.optimizer.load_state_dict(mix.optimizer.state_dict()); }), HasSubstr("'m2' is unknown to adamw"));
  EXPECT_THAT(message_of([&] { mix.optimizer.load_state_dict(adamw.optimizer.state_dict()); }), HasSubstr("'m2' is missing"));
  Optimizer::State state = adamw.optimizer.state_dict();
  state["v"] = torch::zeros({3});
  EXPECT_THAT(message_of([&] { adamw.optimizer.load_state_dict(state); }), HasSubstr("'v' has 3 elements of Float, expected"));
}

TEST(Optimizer, WrongOptionsAreNamed) {
  Training t({});
  const auto refused = [&](auto change) {
    OptimizerOptions o = ademamix();
    change(o);
    return message_of([&] { Optimizer(t.flat, o); });
  };
  EXPECT_THAT(refused([](auto& o) { o.method = "adam"; }), HasSubstr("no optimizer is called 'adam'; there are adamw and ademamix"));
  EXPECT_THAT(refused([](auto& o) { o.beta3 = 1; }), HasSubstr("beta3 = 1"));
  EXPECT_THAT(refused([](auto& o) { o.slow_average = "half"; }), HasSubstr("slow_average = 'half'"));
  EXPECT_THAT(message_of([&] { t.optimizer.switch_to_ademamix({}); }), HasSubstr("'adamw'"));
}

TEST(Optimizer, ANormThatIsNotFiniteStopsBeforeAnythingChanges) {
  Training t(ademamix());
  const torch::Tensor before = t.flat.values().clone();
  t.flat.gradients()[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message_of([&] { t.optimizer.step(1e-2); }), HasSubstr("update 1: the norm of the gradient is nan"));
  EXPECT_TRUE(torch::equal(before, t.flat.values()));
  EXPECT_EQ(t.optimizer.updates(), 0);
}

TEST(Optimizer, OptionsRoundTripThroughYaml) {
  OptimizerOptions read;
  config::read(config::parse_text(config::to_yaml(config::write(ademamix())), "test"), read);
  EXPECT_EQ(read.method, "ademamix");
  EXPECT_EQ(read.alpha_over, 20);
  OptimizerOptions o;
  EXPECT_THAT(message_of([&] { config::read(config::parse_text("metod: adamw", "x.yaml"), o); }), HasSubstr("metod"));
}

TEST(ModelAverage, SwapsInAndOut) {
  torch::nn::Sequential model = small_model();
  FlatParameters flat(groups_by_decay(*model, 0));
  torch::Tensor running = torch::ones({2}), count = torch::zeros({}, torch::kLong);
  ModelAverage mean(flat, {running, count});
  const torch::Tensor start = flat.values().clone();
  flat.values().add_(1);
  running.fill_(3);
  count.fill_(5);
  mean.update(flat, 0.5);
  EXPECT_TRUE(torch::allclose(mean.values(), start + 0.5));
  EXPECT_EQ(mean.buffers()[0][0].item<float>(), 2);
  EXPECT_EQ(mean.buffers()[1].item<std::int64_t>(), 5);
  mean.swap_with(flat);
  EXPECT_TRUE(torch::allclose(flat.values(), start + 0.5));
  mean.swap_with(flat);
  EXPECT_TRUE(torch::allclose(flat.values(), start + 1));
}

TEST(ModelAverage, WarnsWhereTheRuleDoesNotHold) {
  const Scaled s = scale_hyperparameters({}, 600, OptimizerKind::adam);
  ASSERT_EQ(s.warnings.size(), 3u);
  EXPECT_THAT(s.warnings[0], HasSubstr("the largest factor for beta1 = 0.9 is 10"));
  EXPECT_TRUE(scale_hyperparameters({}, 4, OptimizerKind::adam).warnings.empty());
  EXPECT_TRUE(scale_hyperparameters({}, 400, OptimizerKind::sgd).warnings.empty());
  EXPECT_THAT(message_of([] { scale_hyperparameters({}, 0, OptimizerKind::sgd); }), HasSubstr("0 times as large"));
}

}  // namespace
}  // namespace simulacra::optim
