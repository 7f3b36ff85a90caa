// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/ranges.h>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::nn {
namespace {

struct Task {
  std::string_view name;
  int channels;  ///< 0: the semantic classes
};
constexpr std::array<Task, 5> kTasks = {{{"depth", 1}, {"normals", 3}, {"semantics", 0}, {"albedo", 3}, {"shading", 3}}};

const Task& task_of(const std::string& name) {
  std::string known;
  for (const Task& t : kTasks) {
    if (t.name == name) return t;
    known += (known.empty() ? "" : ", ") + std::string(t.name);
  }
  fail_usage("model: no task is called '{}'; there are {}", name, known);
}

/// Of the heads' first weights: predictions start near the mean (0: a metre, an even guess of the class), not far from it.
constexpr double kHeadGain = 0.1;

torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t side) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(from, to, side).padding(side / 2));
}

torch::Tensor resized(const torch::Tensor& x, std::int64_t height, std::int64_t width) {
  return at::upsample_bilinear2d(x, {height, width}, /*align_corners=*/false);
}

torch::Tensor run(torch::nn::ModuleList& list, std::size_t i, const torch::Tensor& x) {
  return list[i]->as<torch::nn::Conv2d>()->forward(x);
}

/// Weights with the standard deviation sqrt(gain / fan-in) (He's is gain 2), biases 0.
void initialise(torch::nn::Module& module, double gain) {
  const torch::NoGradGuard no_grad;
  for (auto& item : module.named_parameters()) {
    torch::Tensor p = item.value();
    if (p.dim() < 2) {
      p.zero_();
    } else {
      p.copy_(torch::randn_like(p) * std::sqrt(gain / static_cast<double>(p[0].numel())));
    }
  }
}

}  // namespace

void fields(config::Fields& f, ModelOptions& o) {
  f.group("vit", o.vit, "the transformer");
  f.field("tasks", o.tasks, "dense predictions: depth, normals, semantics, albedo, shading");
  f.field("layers", o.layers, "blocks that the decoder reads, from 0, rising, at most 4; none: four spread evenly", 0, {0, 199});
  f.field("decoder_width", o.decoder_width, "channels of the decoder's coarsest level", {4, 4096});
  f.field("semantic_classes", o.semantic_classes, "logits of semantics", {1, 100000});
  f.field("image_classes", o.image_classes, "logits of the classifier; 0 = none", {0, 1'000'000});
}

std::vector<int> decoder_layers(const ModelOptions& o) {
  std::vector<int> layers;
  for (const double l : o.layers) layers.push_back(static_cast<int>(l));
  const int count = std::min(4, o.vit.depth);
  if (layers.empty())
    for (int i = 1; i <= count; ++i) layers.push_back(o.vit.depth * i / count - 1);
  return layers;
}

void check(const ModelOptions& o) {
  check(o.vit);
  for (std::size_t i = 0; i < o.tasks.size(); ++i) {
    task_of(o.tasks[i]);
    if (std::find(o.tasks.begin(), o.tasks.begin() + static_cast<std::ptrdiff_t>(i), o.tasks[i]) != o.tasks.begin() + static_cast<std::ptrdiff_t>(i))
      fail_usage("model: task '{}' stands twice", o.tasks[i]);
  }
  if (o.tasks.empty() && o.image_classes == 0) fail_usage("model: it predicts nothing; give it tasks or image_classes");
  if (o.decoder_width < 4) fail_usage("model: decoder_width = {}, expected 4 or more", o.decoder_width);
  const std::vector<int> layers = decoder_layers(o);
  const bool rising = std::ranges::adjacent_find(layers, std::greater_equal<>()) == layers.end();
  if (layers.size() > 4 || !rising || layers.front() < 0 || layers.back() >= o.vit.depth)
    fail_usage("model: layers = [{}], expected at most 4 blocks that rise from 0 to {}", fmt::join(layers, ", "), o.vit.depth - 1);
}

DecoderImpl::DecoderImpl(std::int64_t dim, std::int64_t width, std::size_t levels) {
  project_ = register_module("project", torch::nn::ModuleList());
  first_ = register_module("first", torch::nn::ModuleList());
  second_ = register_module("second", torch::nn::ModuleList());
  narrow_ = register_module("narrow", torch::nn::ModuleList());
  for (std::size_t i = 0; i < levels; ++i) {
    const std::int64_t w = i < 2 ? width : width >> (i - 1);
    if (i > 0) narrow_->push_back(convolution(widths_.back(), w, 1));
    widths_.push_back(w);
    project_->push_back(convolution(dim, w, 1));
    first_->push_back(convolution(w, w, 3));
    second_->push_back(convolution(w, w, 3));
  }
  initialise(*this, 2);
  // Each residual pair starts as the identity, so that what the levels add up to does not grow with their number.
  const torch::NoGradGuard no_grad;
  for (auto& item : second_->named_parameters()) item.value().zero_();
}

torch::Tensor DecoderImpl::forward(const std::vector<torch::Tensor>& maps) {
  torch::Tensor x;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    // Narrow before enlarging, and project before enlarging: both are linear and commute with it.
    torch::Tensor skip = run(project_, i, maps[maps.size() - 1 - i]);
    if (i > 0) {
      x = run(narrow_, i - 1, x);
      const std::int64_t height = 2 * x.size(2), width = 2 * x.size(3);
      x = resized(x, height, width) + resized(skip, height, width);
    } else {
      x = skip;
    }
    x = x + run(second_, i, torch::gelu(run(first_, i, torch::gelu(x))));
  }
  return torch::gelu(x);
}

torch::Tensor predictions_of_coarse(std::string_view task, const torch::Tensor& coarse, std::int64_t height, std::int64_t width) {
  const torch::Tensor x = resized(coarse, height, width);
  if (task == "normals") return torch::nn::functional::normalize(x, torch::nn::functional::NormalizeFuncOptions().dim(1).eps(1e-6));
  return task == "albedo" ? torch::sigmoid(x) : x;
}

ModelImpl::ModelImpl(const ModelOptions& options) : options_(options) {
  check(options_);
  vit_ = register_module("vit", VisionTransformer(options_.vit));
  if (!options_.tasks.empty()) {
    decoder_ = register_module("decoder", Decoder(options_.vit.dim, options_.decoder_width, decoder_layers(options_).size()));
    heads_ = register_module("heads", torch::nn::ModuleDict());
    for (const std::string& name : options_.tasks) {
      const int channels = task_of(name).channels;
      heads_->update(torch::OrderedDict<std::string, std::shared_ptr<torch::nn::Module>>(
          {{name, convolution(decoder_->out_width(), channels > 0 ? channels : options_.semantic_classes, 1).ptr()}}));
    }
    initialise(*heads_, kHeadGain);
  }
  if (options_.image_classes > 0) {
    classifier_ = register_module("head", torch::nn::Linear(options_.vit.dim, options_.image_classes));
    const torch::NoGradGuard no_grad;
    classifier_->weight.copy_(torch::fmod(torch::randn_like(classifier_->weight), 2) * 0.02);
    classifier_->bias.zero_();
  }
}

Predictions ModelImpl::coarse(const torch::Tensor& image) {
  const auto seen = vit_->features(image, decoder_ ? decoder_layers(options_) : std::vector<int>{});
  Predictions out;
  if (decoder_) {
    const torch::Tensor map = decoder_->forward(seen.maps);
    for (const std::string& name : options_.tasks) out.emplace(name, heads_[name]->as<torch::nn::Conv2d>()->forward(map));
  }
  if (classifier_) out.emplace("classes", classifier_->forward(vit_->pooled(seen.tokens)));
  return out;
}

Predictions ModelImpl::forward(const torch::Tensor& image) {
  Predictions out = coarse(image);
  for (auto& [name, value] : out)
    if (name != "classes") value = predictions_of_coarse(name, value, image.size(2), image.size(3));
  return out;
}

}  // namespace simulacra::nn
