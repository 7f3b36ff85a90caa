// SPDX-License-Identifier: Apache-2.0
// The end-to-end experiments `attention_parity` and `attention_recall` of thresholds.json: its data, draws and initial weights
// in our blocks. What the reference does not have, gains and biases of norms and of the projection, is frozen.
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "learning/nn/model.h"
#include "learning/optim/optimizer.h"
#include "tests/support/digits.h"
#include "tests/support/golden.h"

namespace simulacra::nn {
namespace {

namespace golden = test::golden;

torch::Tensor drawn(const char* kind, std::uint64_t seed, at::IntArrayRef shape, double scale = 1, std::uint64_t n = 0) {
  const auto count = static_cast<std::size_t>(c10::multiply_integers(shape));
  return torch::tensor(golden::generate(kind, seed, count, scale, n), torch::kDouble).view(shape);
}

/// Uniform within 1 / sqrt(fan in of `weight`).
void draw(torch::Tensor parameter, const torch::Tensor& weight, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  parameter.copy_(drawn("sym24", seed, parameter.sizes(), 1 / std::sqrt(static_cast<double>(weight[0].numel()))));
}

/// The weights of a block from eight draws: queries, keys, values, projection, two linear layers with their biases.
void start_as_reference(Block block, std::uint64_t seed) {
  auto p = block->named_parameters();
  for (auto& item : p)
    if (item.key().find("norm") != std::string::npos || item.key() == "attn.proj.bias") item.value().set_requires_grad(false);
  torch::Tensor qkv = p["attn.qkv.weight"];
  const std::int64_t dim = qkv.size(1);
  for (std::uint64_t i = 0; i < 3; ++i) draw(qkv.detach().narrow(0, static_cast<std::int64_t>(i) * dim, dim), qkv, seed + i);
  draw(p["attn.proj.weight"], p["attn.proj.weight"], seed + 3);
  for (const auto& [name, at] : {std::pair{"mlp.fc1", 4}, {"mlp.fc2", 6}}) {
    const torch::Tensor weight = p[std::string(name) + ".weight"];
    draw(weight, weight, seed + static_cast<std::uint64_t>(at));
    draw(p[std::string(name) + ".bias"], weight, seed + static_cast<std::uint64_t>(at) + 1);
  }
}

void start_as_reference(Model model, std::uint64_t seed) {
  auto p = model->named_parameters();
  p["vit.norm.weight"].set_requires_grad(false);
  p["vit.norm.bias"].set_requires_grad(false);
  for (const auto& [name, at] : {std::pair{"vit.patch_embed.proj", 0}, {"head", 5}}) {
    const torch::Tensor weight = p[std::string(name) + ".weight"];
    draw(weight, weight, seed + static_cast<std::uint64_t>(at));
    draw(p[std::string(name) + ".bias"], weight, seed + static_cast<std::uint64_t>(at) + 1);
  }
  const torch::NoGradGuard no_grad;
  p["vit.pos_embed"].copy_(drawn("normal12", seed + 6, p["vit.pos_embed"].sizes(), 0.1));
  for (std::uint64_t i = 0; i < 2; ++i)
    start_as_reference(Block(std::dynamic_pointer_cast<BlockImpl>(model->backbone()->named_modules()["blocks." + std::to_string(i)])), seed + 10 + 8 * i);
}

enum class Arm { softmax, sigmoid_minus_ln_n, sigmoid_zero_bias_plain };
const char* name_of(Arm arm) {
  return arm == Arm::softmax ? "softmax" : arm == Arm::sigmoid_minus_ln_n ? "sigmoid_minus_ln_n" : "sigmoid_zero_bias_plain";
}

VitOptions options_of(Arm arm, int dim) {
  VitOptions o;
  o.image_size = 8, o.patch_size = 2, o.channels = 1, o.dim = dim, o.depth = 2, o.heads = 4, o.class_token = false, o.qkv_bias = false;
  o.norm_eps = 1e-5;
  if (arm != Arm::softmax) o.attention = "sigmoid";
  o.qk_norm = arm != Arm::sigmoid_zero_bias_plain;
  o.layer_scale = o.qk_norm ? 0.1 : 1;
  if (!o.qk_norm) o.sigmoid_bias = "fixed";
  return o;
}

/// `steps` updates of AdamW without decay, learning rate 2e-3 under a cosine.
void train(torch::nn::Module& module, int steps, const std::function<torch::Tensor()>& loss) {
  optim::FlatParameters flat(optim::groups_by_decay(module, 0));
  optim::Optimizer optimizer(flat, {});
  for (int t = 0; t < steps; ++t) {
    flat.zero_gradients();
    loss().backward();
    optimizer.step(2e-3 * 0.5 * (1 + std::cos(std::numbers::pi * t / steps)));
  }
}

struct Score {
  double loss = 0, accuracy = 0;
};

Score classify_digits(const torch::Tensor& images, const torch::Tensor& labels, Arm arm, std::uint64_t seed) {
  ModelOptions o;
  o.vit = options_of(arm, 32);
  o.image_classes = 10;
  Model model(o);
  start_as_reference(model, seed);
  std::uint64_t stream = seed * 1000;
  train(*model, 1200, [&] {
    const torch::Tensor i = drawn("int", ++stream, {64}, 1, 1400).to(torch::kLong);
    return torch::nn::functional::cross_entropy(model->forward(images.index_select(0, i)).at("classes"), labels.index_select(0, i));
  });
  const torch::NoGradGuard no_grad;
  const torch::Tensor logits = model->forward(images.slice(0, 1400)).at("classes"), truth = labels.slice(0, 1400);
  return {torch::nn::functional::cross_entropy(logits, truth).item<double>(),
          logits.argmax(1).eq(truth).to(torch::kDouble).mean().item<double>()};
}

double median(std::vector<double> x) {
  std::ranges::sort(x);
  return x[x.size() / 2];
}

TEST(Experiments, AttentionParity) {
  const auto digits = test::load_digits();
  if (!digits) GTEST_SKIP() << "skipped: no shared data";
  torch::set_num_threads(1);  // the matrices are small
  const torch::Tensor images = torch::tensor(digits->pixels, torch::kFloat).view({-1, 1, 8, 8}), labels = torch::tensor(digits->labels);
  std::map<Arm, Score> medians;
  for (const Arm arm : {Arm::softmax, Arm::sigmoid_minus_ln_n, Arm::sigmoid_zero_bias_plain}) {
    std::vector<double> loss, accuracy;
    for (const std::uint64_t seed : {9000, 9100, 9200}) {
      const Score s = classify_digits(images, labels, arm, seed);
      loss.push_back(s.loss), accuracy.push_back(s.accuracy);
      std::printf("%s, seed %d: loss %.4f, accuracy %.4f\n", name_of(arm), static_cast<int>(seed), s.loss, s.accuracy);
    }
    medians[arm] = {median(loss), median(accuracy)};
  }
  const Score soft = medians[Arm::softmax], sigmoid = medians[Arm::sigmoid_minus_ln_n], plain = medians[Arm::sigmoid_zero_bias_plain];
  EXPECT_LE(sigmoid.loss / soft.loss, 1.2);
  EXPECT_LE(soft.accuracy - sigmoid.accuracy, 0.015);
  EXPECT_GE(plain.loss / sigmoid.loss, 1.3);
}

/// Eight pairs of key and value, each one token, then a key whose value is asked for.
struct RecallImpl : torch::nn::Module {
  static constexpr std::int64_t kPairs = 8, kSymbols = 24, kDim = 48;
  RecallImpl(Arm arm, std::uint64_t seed) {
    keys = register_parameter("keys", drawn("normal12", seed, {kSymbols, kDim}).to(torch::kFloat));
    values = register_parameter("values", drawn("normal12", seed + 1, {kSymbols, kDim}).to(torch::kFloat));
    mark = register_parameter("mark", drawn("normal12", seed + 2, {kDim}).to(torch::kFloat));
    head = register_module("head", torch::nn::Linear(kDim, kSymbols));
    body = register_module("body", torch::nn::ModuleList());
    for (std::uint64_t i = 0; i < 2; ++i) {
      Block block(options_of(arm, kDim));
      start_as_reference(block, seed + 10 + 8 * i);
      body->push_back(block);
    }
    draw(head->weight, head->weight, seed + 3);
    draw(head->bias, head->weight, seed + 4);
  }
  /// Logits for fresh sequences, and the answers.
  std::pair<torch::Tensor, torch::Tensor> ask(std::int64_t batch, std::uint64_t& stream) {
    const torch::Tensor rows = torch::arange(batch);
    const torch::Tensor k = torch::argsort(drawn("uni24", ++stream, {batch, kSymbols}), 1, false).slice(1, 0, kPairs);
    const torch::Tensor v = drawn("int", ++stream, {batch, kPairs}, 1, kSymbols).to(torch::kLong);
    const torch::Tensor pick = drawn("int", ++stream, {batch}, 1, kPairs).to(torch::kLong);
    const auto chosen = [&](const torch::Tensor& t) { return t.gather(1, pick.unsqueeze(1)).squeeze(1); };
    torch::Tensor x = torch::cat({torch::embedding(keys, k) + torch::embedding(values, v), (torch::embedding(keys, chosen(k)) + mark).unsqueeze(1)}, 1);
    for (const auto& block : *body) x = block->as<Block>()->forward(x, {});
    return {head->forward(torch::layer_norm(x.select(1, kPairs), {kDim})), chosen(v)};
  }
  torch::Tensor keys, values, mark;
  torch::nn::Linear head{nullptr};
  torch::nn::ModuleList body;
};

double recall(Arm arm, std::uint64_t seed) {
  RecallImpl model(arm, seed);
  std::uint64_t stream = seed * 1000;
  train(model, 1500, [&] {
    const auto [logits, answers] = model.ask(64, stream);
    return torch::nn::functional::cross_entropy(logits, answers);
  });
  const torch::NoGradGuard no_grad;
  const auto [logits, answers] = model.ask(2000, stream);
  return logits.argmax(1).eq(answers).to(torch::kDouble).mean().item<double>();
}

TEST(Experiments, AttentionRecall) {
  torch::set_num_threads(1);
  const double soft = recall(Arm::softmax, 9300), sigmoid = recall(Arm::sigmoid_minus_ln_n, 9300);
  std::printf("softmax %.4f, sigmoid_minus_ln_n %.4f\n", soft, sigmoid);
  EXPECT_GE(sigmoid, 0.98);
  EXPECT_LE(soft - sigmoid, 0.01);
}

}  // namespace
}  // namespace simulacra::nn
