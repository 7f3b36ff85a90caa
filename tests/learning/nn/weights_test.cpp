// SPDX-License-Identifier: Apache-2.0
// Weights beside public implementations and the Python module, which models_check.py runs.
#include <torch/torch.h>

#include "learning/nn/weights.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <functional>
#include <sys/wait.h>

#include "render/base/files.h"
#include "tests/support/message_of.h"
#include "tests/support/shared_data.h"

namespace simulacra::nn {
namespace {

using ::testing::HasSubstr;
using test::message_of;
namespace fs = std::filesystem;

struct Outcome {
  int status = 0;  ///< 77: a package is absent
  std::string text;
};
Outcome models_check(const std::string& arguments) {
  const std::string script = std::string(SIMULACRA_SOURCE_DIR) + "/tests/learning/nn/models_check.py";
  Outcome outcome;
  FILE* pipe = popen((test::judge_python() + " " + script + " " + arguments + " 2>&1").c_str(), "r");
  for (char line[512]; pipe && std::fgets(line, sizeof line, pipe);) outcome.text += line;
  outcome.status = pipe ? WEXITSTATUS(pclose(pipe)) : 1;
  return outcome;
}
#define SIM_NEED_PYTHON(outcome)                                 \
  if ((outcome).status == 77) GTEST_SKIP() << (outcome).text;    \
  ASSERT_EQ((outcome).status, 0) << (outcome).text

/// The sizes of models_check.py.
ModelOptions options_of(const std::string& variant) {
  ModelOptions o;
  o.vit.image_size = 32, o.vit.patch_size = 8, o.vit.dim = 48, o.vit.depth = 2, o.vit.heads = 3;
  o.image_classes = 10;
  if (variant == "scaled") o.vit.qk_norm = true, o.vit.layer_scale = 0.1;
  if (variant == "mean") o.vit.class_token = false;
  if (variant == "registers") o.vit.registers = 3;
  return o;
}

double relative_error(const torch::Tensor& got, const torch::Tensor& expected) {
  return ((got - expected).abs().max() / expected.abs().max()).item<double>();
}

// Sums in another order: float32 leaves about 1e-6 of the largest value after two blocks.
void expect_outputs(Model& model, const fs::path& io_file) {
  const torch::NoGradGuard no_grad;
  const TensorMap io = read_tensors(io_file).tensors;
  EXPECT_LT(relative_error(model->backbone()->forward(io.at("image")), io.at("tokens")), 1e-5) << io_file;
  EXPECT_LT(relative_error(model->forward(io.at("image")).at("classes"), io.at("logits")), 1e-5) << io_file;
}

TEST(Weights, OfTimmGiveTimmsOutputs) {
  const test::TempDir dir;
  const Outcome python = models_check("timm " + dir.path().string());
  SIM_NEED_PYTHON(python);
  for (const char* variant : {"plain", "scaled", "mean", "registers"}) {
    const TensorMap theirs = read_tensors(dir.path() / (std::string(variant) + ".safetensors")).tensors;
    ASSERT_EQ(naming_of(theirs), Naming::timm);
    Model model(options_of(variant));
    load_weights(model, to_own_names(theirs, Naming::timm));
    expect_outputs(model, dir.path() / (std::string(variant) + ".io.safetensors"));
    const TensorMap back = to_foreign_names(weights_of(model), Naming::timm);
    ASSERT_EQ(back.size(), theirs.size());
    for (const auto& [name, tensor] : theirs) EXPECT_TRUE(torch::equal(back.at(name), tensor)) << name;
  }
}

TEST(Weights, OfHuggingFaceGiveItsOutputsAlsoOnOtherSizes) {
  const test::TempDir dir;
  const Outcome python = models_check("transformers " + dir.path().string());
  SIM_NEED_PYTHON(python);
  for (const char* size : {"square", "wide"}) {
    const TensorMap theirs = read_tensors(dir.path() / (std::string(size) + ".safetensors")).tensors;
    ASSERT_EQ(naming_of(theirs), Naming::hugging_face);
    Model model(options_of(""));
    load_weights(model, to_own_names(theirs, Naming::hugging_face));
    expect_outputs(model, dir.path() / (std::string(size) + ".io.safetensors"));
  }
  const TensorMap saved = read_tensors(dir.path() / "saved/model.safetensors").tensors;
  Model model(options_of(""));
  load_weights(model, to_own_names(saved, naming_of(saved)));
  expect_outputs(model, dir.path() / "square.io.safetensors");
}

TEST(Weights, NamesOfHuggingFaceRoundTrip) {
  Model model(options_of(""));
  const TensorMap own = weights_of(model), theirs = to_foreign_names(own, Naming::hugging_face);
  EXPECT_TRUE(theirs.contains("vit.encoder.layer.1.attention.attention.query.bias"));
  const TensorMap back = to_own_names(theirs, Naming::hugging_face);
  ASSERT_EQ(back.size(), own.size());
  for (const auto& [name, tensor] : own) EXPECT_TRUE(torch::equal(back.at(name), tensor)) << name;
}

TEST(Weights, PythonReadsOurFilesAndWritesThemTheSame) {
  const test::TempDir dir;
  const fs::path ours = dir.path() / "ours.safetensors", theirs = dir.path() / "theirs.safetensors";
  TensorFile file{{{"half", torch::randn({3, 5}).to(torch::kHalf)}, {"ints", torch::arange(7)}, {"x", torch::randn({2, 2})},
                   {"bytes", torch::arange(3).to(torch::kUInt8)}, {"bf", torch::randn({4}).to(torch::kBFloat16)},
                   {"wide", torch::randn({2}, torch::kDouble)}, {"yes", torch::tensor({true, false})}},
                  {{"format", "pt"}}};
  write_tensors(ours, file);
  const Outcome python = models_check("safetensors " + ours.string() + " " + theirs.string());
  SIM_NEED_PYTHON(python);
  const TensorMap read = read_tensors(theirs).tensors;
  ASSERT_EQ(read.size(), file.tensors.size());
  for (const auto& [name, tensor] : file.tensors) EXPECT_TRUE(torch::equal(read.at(name), tensor)) << name;
  EXPECT_EQ(read_file(ours), read_file(theirs));
}

/// A model with every parameter drawn, and what it says about an image whose size it was not made for.
void save_with_outputs(const fs::path& folder, const std::string& name, const std::function<void(ModelOptions&)>& change) {
  torch::manual_seed(3);
  ModelOptions o = options_of("");
  o.tasks = {"depth", "normals", "semantics", "albedo", "shading"};
  o.decoder_width = 16;
  change(o);
  Model model(o);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& p : model->parameters()) p.add_(torch::randn_like(p) * 0.1);
  save_model(folder / (name + ".safetensors"), model);
  const torch::Tensor image = torch::randn({2, 3, 24, 40});
  TensorFile io{model->forward(image), {}};
  io.tensors.emplace("image", image);
  write_tensors(folder / (name + ".io"), io);
}

TEST(Weights, ThePythonModuleRebuildsEveryVariant) {
  const test::TempDir dir;
  const std::pair<const char*, std::function<void(ModelOptions&)>> kVariants[] = {
      {"plain", [](auto&) {}},
      {"sigmoid", [](auto& o) { o.vit.attention = "sigmoid", o.vit.layer_scale = 0.5, o.vit.position = "sincos", o.vit.pixels = "imagenet"; }},
      {"rope", [](auto& o) { o.vit.attention = "sigmoid", o.vit.sigmoid_bias = "learnable", o.vit.position = "rope2d", o.vit.qk_norm = true, o.vit.pixels = "centered"; }},
      {"hybrid", [](auto& o) { o.vit.hybrid_norm = true, o.vit.registers = 2, o.vit.qkv_bias = false, o.layers = {0, 1}; }},
      {"mean", [](auto& o) { o.vit.class_token = false, o.tasks = {"depth"}, o.layers = {1}; }},
      {"fixed", [](auto& o) { o.vit.attention = "sigmoid", o.vit.sigmoid_bias = "fixed", o.vit.sigmoid_bias_value = -2, o.image_classes = 0; }},
      {"classifier", [](auto& o) { o.tasks.clear(); }}};
  for (const auto& [name, change] : kVariants) save_with_outputs(dir.path(), name, change);
  const Outcome outcome = models_check("rebuild " + dir.path().string());
  SIM_NEED_PYTHON(outcome);
  EXPECT_THAT(outcome.text, HasSubstr("7 models"));
}

TEST(Weights, SavedAndLoadedItIsTheSameModel) {
  const test::TempDir dir;
  ModelOptions o = options_of("");
  o.vit.attention = "sigmoid";
  o.tasks = {"semantics"};
  Model model(o);
  save_model(dir.path() / "m", model);
  Model loaded = load_model(dir.path() / "m");
  const torch::Tensor image = torch::randn({1, 3, 32, 32});
  EXPECT_TRUE(torch::equal(model->forward(image).at("semantics"), loaded->forward(image).at("semantics")));
  save_model(dir.path() / "again", loaded);
  EXPECT_EQ(read_file(dir.path() / "m"), read_file(dir.path() / "again"));
}

TEST(Weights, WhatDoesNotFitIsNamed) {
  const test::TempDir dir;
  Model model(options_of(""));
  TensorMap own = weights_of(model);
  const auto refused = [&](const TensorMap& weights) { return message_of([&] { load_weights(model, weights); }); };
  TensorMap wrong = own;
  wrong["vit.pos_embed"] = torch::zeros({1, 5, 48});
  EXPECT_THAT(refused(wrong), HasSubstr("'vit.pos_embed' is [1, 5, 48], expected [1, 17, 48]"));
  wrong = own;
  wrong["vit.extra"] = torch::zeros({1});
  EXPECT_THAT(refused(wrong), HasSubstr("'vit.extra' is no parameter"));
  wrong = own;
  wrong.erase("head.bias");
  EXPECT_THAT(refused(wrong), HasSubstr("'head.bias' is missing, and 0 more"));
  EXPECT_THAT(load_weights(model, wrong, /*partial=*/true), ::testing::ElementsAre("head.bias"));
  EXPECT_THAT(message_of([] { naming_of({{"a", torch::zeros({1})}}); }), HasSubstr("neither 'patch_embed'"));
  EXPECT_THAT(message_of([] { to_own_names({{"vit.embeddings.mask_token", torch::zeros({1})}}, Naming::hugging_face); }), HasSubstr("mask_token"));
  write_tensors(dir.path() / "foreign", {own, {}});
  EXPECT_THAT(message_of([&] { load_model(dir.path() / "foreign"); }), HasSubstr("no 'simulacra.model'"));
  write_tensors(dir.path() / "newer", {own, {{"simulacra.model", R"({"vit": {"colour": 3}})"}}});
  EXPECT_THAT(message_of([&] { load_model(dir.path() / "newer"); }), HasSubstr("colour"));
}

}  // namespace
}  // namespace simulacra::nn
