// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "learning/dab/bridge.h"
#include "learning/dab/estimators.h"
#include "learning/dab/neural_sort.h"
#include "learning/dab/surrogates.h"
#include "tests/support/golden.h"
#include "tests/support/golden_torch.h"

namespace simulacra::learning {
namespace {

namespace golden = test::golden;
using golden::Json;

enum class Kind { gradients, thresholds, affine, reuse, training, optimum, neural_sort };

Kind kind_of(const Json& c) {
  const Json& expected = c.at("expected");
  if (expected.contains("grad_z_identity_surrogate")) return Kind::affine;
  if (expected.contains("bridge_loss_use1")) return Kind::reuse;
  if (expected.contains("grad_z")) return Kind::gradients;
  if (expected.contains("all_or_none_of_logits")) return Kind::neural_sort;
  if (expected.contains("neg_sign")) return Kind::thresholds;
  return expected.contains("final.We") ? Kind::training : Kind::optimum;
}

/// Calls check(case, type, tolerance) for every case of the kind and every type that the file means for it.
template <typename Check>
void for_each(const Json& file, Kind kind, Check check) {
  golden::for_each_case(file, [kind](const Json& c) { return kind_of(c) == kind; }, check);
}

HardFunction hard_of(const std::string& name) { return hard_function(name == "neg_sign" ? "minus_sign" : name); }

torch::nn::Linear linear_of(const Json& weights, const char* w, const char* b, torch::ScalarType type) {
  const torch::Tensor weight = golden::to_torch(weights.at(w), type), bias = golden::to_torch(weights.at(b), type);
  torch::nn::Linear linear(weight.size(1), weight.size(0));
  linear->to(type);
  const torch::NoGradGuard no_grad;
  linear->weight.copy_(weight);
  linear->bias.copy_(bias);
  return linear;
}

/// x -> tanh(We x + be) = z -> bridge -> Wo y + bo, g(z) = W2 tanh(W1 z + b1) + b2.
struct NetImpl : torch::nn::Module {
  NetImpl(const Json& c, torch::ScalarType type) {
    const Json& w = c.at("inputs").at("weights");
    encoder = register_module("encoder", linear_of(w, "We", "be", type));
    inner = linear_of(w, "W1", "b1", type);
    outer = linear_of(w, "W2", "b2", type);
    hard = hard_of(c.at("params").at("hard"));
    bridge = register_module("bridge", Bridge(hard, torch::nn::Sequential(inner, torch::nn::Tanh(), outer)));
    head = register_module("head", linear_of(w, "Wo", "bo", type));
  }
  torch::Tensor z(const torch::Tensor& x) { return torch::tanh(encoder->forward(x)); }
  torch::Tensor task(const torch::Tensor& y, const torch::Tensor& labels) {
    return torch::nn::functional::cross_entropy(head->forward(y), labels);
  }
  /// Under the names of the file.
  std::map<std::string, torch::Tensor> named() const {
    return {{"We", encoder->weight}, {"be", encoder->bias}, {"W1", inner->weight}, {"b1", inner->bias},
            {"W2", outer->weight},   {"b2", outer->bias},   {"Wo", head->weight},  {"bo", head->bias}};
  }

  torch::nn::Linear encoder{nullptr}, inner{nullptr}, outer{nullptr}, head{nullptr};
  HardFunction hard;
  Bridge bridge{nullptr};
};
TORCH_MODULE(Net);

torch::Tensor gradient_of(const torch::Tensor& p) { return p.grad().defined() ? p.grad() : torch::zeros_like(p); }

double norm_of_gradients(const std::vector<torch::Tensor>& parameters) {
  double squares = 0;
  for (const torch::Tensor& p : parameters) squares += gradient_of(p).to(torch::kDouble).square().sum().item<double>();
  return std::sqrt(squares);
}

struct Example {
  Net net;
  torch::Tensor x, labels;
  double gamma;
};

Example example_of(const Json& c, torch::ScalarType type) {
  return {Net(c, type), golden::to_torch(c.at("inputs").at("x"), type), golden::to_torch(c.at("inputs").at("labels"), torch::kLong),
          c.at("params").at("gamma")};
}

TEST(Dab, ValuesAndGradients) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::gradients, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    auto [net, x, labels, gamma] = example_of(c, type);
    torch::Tensor z = net->z(x);
    z.retain_grad();
    BridgeOutput out = net->bridge->forward(z);
    out.y.retain_grad();
    const torch::Tensor task = net->task(out.y, labels), total = task + gamma * out.loss;
    total.backward();

    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "z", z, tolerance));
    EXPECT_TRUE(golden::agrees(want, "y", out.y, tolerance));
    EXPECT_TRUE(golden::agrees(want, "g", net->bridge->surrogate()->forward(z), tolerance));
    EXPECT_TRUE(golden::agrees(want, "task_loss", task, tolerance));
    EXPECT_TRUE(golden::agrees(want, "bridge_loss", out.loss, tolerance));
    EXPECT_TRUE(golden::agrees(want, "total", total, tolerance));
    EXPECT_TRUE(golden::agrees(want, "grad_y", out.y.grad(), tolerance));
    EXPECT_TRUE(golden::agrees(want, "grad_z", z.grad(), tolerance));
    for (const auto& [name, p] : net->named()) EXPECT_TRUE(golden::agrees(want, "grad." + name, gradient_of(p), tolerance));
    const auto rho = relative_residual(out);
    EXPECT_EQ(rho.has_value(), want.contains("rho"));
    if (rho) {
      EXPECT_TRUE(golden::agrees(want, "rho", *rho, tolerance));
    }
    EXPECT_TRUE(torch::equal(out.y, net->hard(z)));
  });
}

TEST(Dab, StraightThroughForComparison) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::gradients, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    auto [net, x, labels, gamma] = example_of(c, type);
    net->task(straight_through(net->hard, net->z(x)), labels).backward();
    for (const char* name : {"We", "be"})
      EXPECT_TRUE(golden::agrees(c.at("expected"), std::string("straight_through/grad.") + name, gradient_of(net->named().at(name)), tolerance));
  });
}

// The two forms that leak are built here, so that it is known that the inputs show the leak.
TEST(Dab, NothingLeaksFromTheTaskIntoTheSurrogateOrBack) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::gradients, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const Json& trap = c.at("trap");
    const auto surrogate_norm = [](const Net& net) { return norm_of_gradients(parameter_groups(*net).surrogates); };
    const auto encoder_norm = [](const Net& net) { return norm_of_gradients(net->encoder->parameters()); };
    {
      auto [net, x, labels, gamma] = example_of(c, type);
      const torch::Tensor z = net->z(x), g = net->bridge->surrogate()->forward(z);
      net->task(g + (net->hard(z) - g).detach(), labels).backward();
      EXPECT_TRUE(golden::agrees(trap, "surrogate_gradient_norm_of_the_task_loss_if_written_g_plus_stopped_difference", surrogate_norm(net), tolerance));
    }
    {
      auto [net, x, labels, gamma] = example_of(c, type);
      const torch::Tensor z = net->z(x);
      (gamma * (net->bridge->surrogate()->forward(z) - net->hard(z).detach()).square().sum(-1).mean()).backward();
      EXPECT_TRUE(golden::agrees(trap, "encoder_gradient_norm_of_the_bridge_loss_if_z_is_not_detached", encoder_norm(net), tolerance));
    }
    {
      auto [net, x, labels, gamma] = example_of(c, type);
      net->task(net->bridge->forward(net->z(x)).y, labels).backward();
      EXPECT_EQ(surrogate_norm(net), trap.at("surrogate_gradient_norm_of_the_task_loss_correct").get<double>());
      EXPECT_GT(encoder_norm(net), 0);
    }
    {
      auto [net, x, labels, gamma] = example_of(c, type);
      (gamma * net->bridge->forward(net->z(x)).loss).backward();
      EXPECT_EQ(encoder_norm(net), trap.at("encoder_gradient_norm_of_the_bridge_loss_correct").get<double>());
      EXPECT_GT(surrogate_norm(net), 0);
    }
  });
}

TEST(Dab, GammaScalesTheSurrogateAloneByItself) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::gradients, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    for (const double factor : {0.0, 4.0}) {
      auto [net, x, labels, gamma] = example_of(c, type);
      const BridgeOutput out = net->bridge->forward(net->z(x));
      (net->task(out.y, labels) + factor * gamma * out.loss).backward();
      const Json& want = c.at("expected");
      for (const char* name : {"We", "be", "Wo", "bo"})
        EXPECT_TRUE(golden::agrees(want, std::string("grad.") + name, gradient_of(net->named().at(name)), tolerance));
      for (const char* name : {"W1", "b1", "W2", "b2"}) {
        const torch::Tensor g = gradient_of(net->named().at(name));
        if (factor == 0) {
          EXPECT_EQ(g.abs().max().item<double>(), 0);
        } else {
          EXPECT_TRUE(golden::agrees(want, std::string("grad.") + name, g / factor, tolerance));
        }
      }
    }
  });
}

TEST(Dab, HardFunctionsAtTheirThresholds) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::thresholds, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    if (type != golden::scalar_type(c.at("params").at("dtype"))) return;
    const torch::Tensor z = golden::to_torch(c.at("inputs").at("z"), type);
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "signum", hard::signum(z, 0.5), tolerance));
    EXPECT_TRUE(golden::agrees(want, "neg_sign", hard::minus_sign(z), tolerance));
    EXPECT_TRUE(golden::agrees(want, "binary", hard::binary(z), tolerance));
    EXPECT_TRUE(golden::agrees(want, "round", hard::quantise(z, 0.25), tolerance));
  });
}

TEST(Dab, AffineAndIdentitySurrogates) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::affine, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const Json &in = c.at("inputs"), &want = c.at("expected");
    const torch::Tensor grad_y = golden::to_torch(in.at("grad_y"), type);
    const auto z_gradient = [&](torch::nn::Sequential surrogate) {
      const torch::Tensor z = golden::to_torch(in.at("z"), type).requires_grad_();
      const torch::Tensor y = Bridge(hard_function("signum"), surrogate)->forward(z).y;
      EXPECT_TRUE(golden::agrees(want, "y_signum", y, tolerance));
      y.backward(grad_y);
      return z.grad();
    };
    const auto affine = affine_surrogate(golden::to_torch(in.at("A"), type), golden::to_torch(in.at("b"), type));
    EXPECT_TRUE(golden::agrees(want, "grad_z", z_gradient(affine), tolerance));
    const torch::Tensor identity = z_gradient(identity_surrogate());
    EXPECT_TRUE(golden::agrees(want, "grad_z_identity_surrogate", identity, tolerance));
    const torch::Tensor z = golden::to_torch(in.at("z"), type).requires_grad_();
    straight_through(hard_function("signum"), z).backward(grad_y);
    EXPECT_TRUE(torch::equal(z.grad(), identity));
  });
}

TEST(Dab, OneLayerUsedTwice) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::reuse, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    auto [net, x, labels, gamma] = example_of(c, type);
    const torch::Tensor r = golden::to_torch(c.at("inputs").at("R"), type), z1 = net->z(x);
    std::vector<BridgeOutput> uses = {net->bridge->forward(z1)};
    const torch::Tensor z2 = torch::tanh(uses[0].y.matmul(r.t()) + z1);
    uses.push_back(net->bridge->forward(z2));
    const torch::Tensor task = net->task(uses[1].y, labels), mean = mean_bridge_loss(uses);
    (task + gamma * mean).backward();
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "task_loss", task, tolerance));
    EXPECT_TRUE(golden::agrees(want, "bridge_loss_use1", uses[0].loss, tolerance));
    EXPECT_TRUE(golden::agrees(want, "bridge_loss_use2", uses[1].loss, tolerance));
    EXPECT_TRUE(golden::agrees(want, "bridge_loss_mean", mean, tolerance));
    for (const auto& [name, p] : net->named()) EXPECT_TRUE(golden::agrees(want, "grad." + name, gradient_of(p), tolerance));
  });
}

TEST(Dab, AdamStepsWithAGroupForTheSurrogate) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::training, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    auto [net, x, labels, gamma] = example_of(c, type);
    const auto options = [&](const char* lr) {
      return std::make_unique<torch::optim::AdamOptions>(torch::optim::AdamOptions(c.at("params").at(lr).get<double>()).betas({0.9, 0.999}).eps(1e-8));
    };
    const ParameterGroups groups = parameter_groups(*net);
    ASSERT_EQ(groups.network.size(), 4u);
    ASSERT_EQ(groups.surrogates.size(), 4u);
    std::vector<torch::optim::OptimizerParamGroup> both;
    both.emplace_back(groups.network, options("lr"));
    both.emplace_back(groups.surrogates, options("lr_g"));
    torch::optim::Adam adam(both, torch::optim::AdamOptions());
    std::vector<double> rows;
    for (std::int64_t step = 0; step < x.size(0); ++step) {
      const BridgeOutput out = net->bridge->forward(net->z(x[step]));
      const torch::Tensor task = net->task(out.y, labels[step]);
      rows.insert(rows.end(), {task.item<double>(), out.loss.item<double>()});
      adam.zero_grad();
      (task + gamma * out.loss).backward();
      adam.step();
    }
    EXPECT_TRUE(golden::agrees(c.at("expected"), "rows", rows, tolerance));
    for (const auto& [name, p] : net->named()) EXPECT_TRUE(golden::agrees(c.at("expected"), "final." + name, p, tolerance));
  });
}

/// Nodes and weights that integrate over the standard normal distribution, panels meeting at +-jump.
std::pair<torch::Tensor, torch::Tensor> normal_quadrature(double jump) {
  const double outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3, inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3;
  const double wide = (322 - 13 * std::sqrt(70.0)) / 900, near = (322 + 13 * std::sqrt(70.0)) / 900;
  const double at[] = {-outer, -inner, 0, inner, outer}, weight[] = {wide, near, 128.0 / 225, near, wide};
  std::vector<double> nodes, weights;
  const auto panels = [&](double from, double to) {
    constexpr int kPanels = 100;
    const double half = (to - from) / kPanels / 2;
    for (int p = 0; p < kPanels; ++p)
      for (int k = 0; k < 5; ++k) {
        const double z = from + half * (2 * p + 1 + at[k]);
        nodes.push_back(z);
        weights.push_back(half * weight[k] * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi));
      }
  };
  panels(-12, -jump), panels(-jump, jump), panels(jump, 12);
  return {torch::tensor(nodes, torch::kDouble).unsqueeze(1), torch::tensor(weights, torch::kDouble)};
}

TEST(Dab, BestAffineSurrogateOfSignum) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::optimum, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    if (type != torch::kDouble) return;
    for (const Json& row : c.at("expected").at("rows")) {
      const double margin = row[0];
      const auto [z, weights] = normal_quadrature(margin);
      const AffineFit fit = fit_affine(z, hard::signum(z, margin), weights);
      const Json want = {{"slope", row[1]}, {"residual", row[2]}};
      EXPECT_TRUE(golden::agrees(want, "slope", fit.a, tolerance));
      EXPECT_TRUE(golden::agrees(want, "residual", fit.residual, tolerance));
      EXPECT_NEAR(fit.b.item<double>(), 0, 1e-14);
    }
  });
}

TEST(Dab, NeuralSort) {
  SIM_NEED_GOLDEN(file, "dab");
  for_each(file, Kind::neural_sort, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor x = golden::to_torch(c.at("inputs").at("x"), type), logits = golden::to_torch(c.at("inputs").at("logits"), type);
    const torch::Tensor labels = sort_labels(x);
    const torch::Tensor perfect = torch::one_hot(labels, x.size(1)).transpose(1, 2).to(type);
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "labels", labels, Json{{"rtol", 0.0}, {"atol", 0.0}}));
    EXPECT_TRUE(golden::agrees(want, "loss", sort_loss(logits, labels), tolerance));
    EXPECT_EQ(all_or_none_accuracy(perfect, labels), want.at("all_or_none_of_perfect_logits").get<double>());
    EXPECT_TRUE(golden::agrees(want, "all_or_none_of_logits", all_or_none_accuracy(logits, labels), tolerance));
    EXPECT_TRUE(golden::agrees(want, "element_accuracy_of_logits", element_accuracy(logits, labels), tolerance));
    const double t = static_cast<double>(x.size(1));
    EXPECT_TRUE(golden::agrees(want, "chance_independent_positions", std::pow(t, -t), tolerance));
    EXPECT_TRUE(golden::agrees(want, "chance_fixed_order", 1 / std::tgamma(t + 1), tolerance));
  });
}

}  // namespace
}  // namespace simulacra::learning
