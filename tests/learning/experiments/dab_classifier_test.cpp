// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <string>

#include "learning/dab/bridge.h"
#include "learning/dab/estimators.h"
#include "learning/dab/surrogates.h"
#include "tests/learning/experiments/experiment.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::learning {
namespace {

using test::Pictures;
using test::Stream;

constexpr std::int64_t kTrain = 1400, kBatch = 128;

/// 64-128-Z (tanh), hard layer, Z-10, with one way to send gradients through the layer.
struct Classifier {
  Classifier(const std::string& kind, std::uint64_t seed) : sorts(kind == "sort"), h(hard_function(kind)) {
    const std::int64_t z = sorts ? 16 : 32;
    encoder = torch::nn::Sequential(torch::nn::Linear(64, 128), torch::nn::ReLU(), torch::nn::Linear(128, z), torch::nn::Tanh());
    head = torch::nn::Linear(z, 10);
    auto surrogate = sorts ? mlp_surrogate({z, 128, 128, z}, Activation::relu) : mlp_surrogate({z, 64, 64, z});
    test::initialise(*encoder, seed);
    test::initialise(*head, seed + 20);
    test::initialise(*surrogate, seed + 40);
    bridge = Bridge(h, surrogate);
  }
  double surrogate_lr() const { return sorts ? 3e-3 : 1e-3; }

  /// The surrogate alone, on codes with noise around them.
  void pretrain(const Pictures& train, Stream& stream) {
    torch::optim::Adam adam(bridge->parameters(), torch::optim::AdamOptions(surrogate_lr()));
    for (int step = 0; step < 500; ++step) {
      torch::Tensor z;
      {
        const torch::NoGradGuard no_grad;
        z = encoder->forward(train.x.index_select(0, stream.indices(kTrain, kBatch)));
        z = z + 0.3 * stream.normal(z.sizes());
      }
      adam.zero_grad();
      bridge->forward(z).loss.backward();
      adam.step();
    }
  }

  torch::Tensor loss(const torch::Tensor& x, const torch::Tensor& labels, const std::string& mode) {
    const torch::Tensor z = encoder->forward(x);
    torch::Tensor y = z, extra = torch::zeros({});
    if (mode == "ste") y = straight_through(h, z);
    if (mode == "exact") y = exact_gradient(h, z);
    if (mode == "dab") {
      const BridgeOutput out = bridge->forward(z);
      y = out.y, extra = 10 * out.loss;
    }
    return torch::nn::functional::cross_entropy(head->forward(y), labels) + extra;
  }

  double accuracy(const Pictures& held_out, const std::string& mode) {
    const torch::NoGradGuard no_grad;
    const torch::Tensor z = encoder->forward(held_out.x), y = mode == "none" ? z : h(z);
    return (head->forward(y).argmax(1) == held_out.labels).to(torch::kDouble).mean().item<double>();
  }

  bool sorts;
  HardFunction h;
  torch::nn::Sequential encoder{nullptr};
  torch::nn::Linear head{nullptr};
  Bridge bridge{nullptr};
};

double run(const Pictures& digits, const std::string& kind, const std::string& mode, std::uint64_t seed) {
  const Pictures train = digits.slice(0, kTrain), held_out = digits.slice(kTrain, digits.x.size(0));
  Classifier net(kind, seed);
  Stream stream(seed * 1000);
  if (mode == "dab" && net.sorts) net.pretrain(train, stream);
  auto network = net.encoder->parameters();
  for (const torch::Tensor& p : net.head->parameters()) network.push_back(p);
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(network, std::make_unique<torch::optim::AdamOptions>(1e-3));
  if (mode == "dab") groups.emplace_back(net.bridge->parameters(), std::make_unique<torch::optim::AdamOptions>(net.surrogate_lr()));
  torch::optim::Adam adam(groups, torch::optim::AdamOptions(1e-3));
  for (int step = 0; step < 1000; ++step) {
    const torch::Tensor i = stream.indices(kTrain, kBatch);
    adam.zero_grad();
    net.loss(train.x.index_select(0, i), train.labels.index_select(0, i), mode).backward();
    adam.step();
  }
  return net.accuracy(held_out, mode);
}

TEST(DabClassifier, ReachesTheThresholds) {
  SIM_NEED_SHARED_DATA(shared);
  torch::set_num_threads(1);
  const Pictures digits = test::load_digits(shared);
  ASSERT_EQ(digits.x.size(0), 1797);
  test::Runs runs;
  std::map<std::string, double> measured;
  for (const char* kind : {"signum", "minus_sign", "parity", "sort"})
    for (const char* mode : {"dab", "ste", "exact"}) {
      const std::string name = std::string(kind) + "_" + mode;
      for (const std::uint64_t seed : {8000u, 8100u, 8200u}) runs[name].push_back(run(digits, kind, mode, seed));
      measured[name] = test::median(runs[name]);
    }
  for (const std::uint64_t seed : {8000u, 8100u, 8200u}) runs["without a hard layer"].push_back(run(digits, "signum", "none", seed));
  test::print("dab_classifier", runs);
  for (const auto& check : test::threshold_checks("dab_classifier")) EXPECT_TRUE(test::holds(check, measured));
}

}  // namespace
}  // namespace simulacra::learning
