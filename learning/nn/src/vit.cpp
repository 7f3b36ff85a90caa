// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/vit.h"

#include <array>
#include <cmath>
#include <sstream>

#include "learning/ops/sigmoid_attention.h"
#include "render/base/error.h"

namespace simulacra::nn {
namespace {

torch::nn::LayerNorm layer_norm(std::int64_t width, double eps) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(eps));
}

std::string shape_of(const torch::Tensor& t) {
  std::ostringstream text;
  text << t.sizes();
  return text.str();
}

/// A parameter below a name that is a module of its own, as timm has "ls1.gamma".
torch::Tensor gain(torch::nn::Module& parent, const std::string& name, std::int64_t width, double value) {
  auto module = std::make_shared<torch::nn::Module>();
  torch::Tensor gamma = module->register_parameter("gamma", torch::full({width}, value));
  parent.register_module(name, std::move(module));
  return gamma;
}

template <typename Holder>
Holder below(torch::nn::Module& parent, const std::string& path, const std::string& name, Holder module) {
  const auto& children = parent.named_children();
  std::shared_ptr<torch::nn::Module> group = children.contains(path) ? children[path] : nullptr;
  if (!group) group = parent.register_module(path, std::make_shared<torch::nn::Module>());
  return group->register_module(name, std::move(module));
}

torch::Tensor normalized(const torch::Tensor& image, const std::string& pixels) {
  if (pixels == "centered") return 2 * image - 1;
  if (pixels == "as_given") return image;
  const auto per_channel = [&](std::array<double, 3> v) { return torch::tensor({v[0], v[1], v[2]}, image.options()).view({1, 3, 1, 1}); };
  return (image - per_channel({0.485, 0.456, 0.406})) / per_channel({0.229, 0.224, 0.225});
}

}  // namespace

AttentionImpl::AttentionImpl(const VitOptions& o) : options_(o) {
  qkv = register_module("qkv", torch::nn::Linear(torch::nn::LinearOptions(o.dim, 3 * o.dim).bias(o.qkv_bias)));
  proj = register_module("proj", torch::nn::Linear(o.dim, o.dim));
  if (o.qk_norm) {
    q_norm = register_module("q_norm", layer_norm(o.head_dim(), o.norm_eps));
    k_norm = register_module("k_norm", layer_norm(o.head_dim(), o.norm_eps));
  }
  if (o.attention == "sigmoid" && o.sigmoid_bias == "learnable") {
    const double n = static_cast<double>(o.grid()) * o.grid() + o.prefix_tokens();
    bias_ = register_parameter("bias", torch::full({o.heads}, -std::log(n)));
  }
}

torch::Tensor AttentionImpl::sigmoid_bias(const torch::Tensor& q, std::int64_t keys) const {
  if (bias_.defined()) return bias_;
  const double value = options_.sigmoid_bias == "fixed" ? options_.sigmoid_bias_value : -std::log(static_cast<double>(keys));
  const bool wide = q.scalar_type() == torch::kDouble;
  return torch::full({}, value, torch::TensorOptions(q.device()).dtype(wide ? torch::kDouble : torch::kFloat));
}

torch::Tensor AttentionImpl::forward(const torch::Tensor& x, const Rotation& rotation) {
  const std::int64_t batch = x.size(0), tokens = x.size(1), heads = options_.heads;
  const torch::Tensor all = qkv->forward(x).view({batch, tokens, 3, heads, options_.head_dim()}).permute({2, 0, 3, 1, 4});
  torch::Tensor q = all[0], k = all[1];
  const torch::Tensor v = all[2];
  if (q_norm) q = q_norm->forward(q), k = k_norm->forward(k);
  q = rotated(q, rotation), k = rotated(k, rotation);
  const torch::Tensor o = options_.attention == "sigmoid" ? ops::sigmoid_attention(q, k, v, sigmoid_bias(q, tokens))
                                                          : at::scaled_dot_product_attention(q, k, v);
  return proj->forward(o.transpose(1, 2).reshape({batch, tokens, options_.dim}));
}

BlockImpl::BlockImpl(const VitOptions& o) {
  const auto hidden = static_cast<std::int64_t>(std::lround(o.dim * o.mlp_ratio));
  norm1 = register_module("norm1", layer_norm(o.dim, o.norm_eps));
  attn = register_module("attn", Attention(o));
  if (o.hybrid_norm) out_norm1 = register_module("out_norm1", layer_norm(o.dim, o.norm_eps));
  if (o.layer_scale > 0) gain1_ = gain(*this, "ls1", o.dim, o.layer_scale);
  norm2 = register_module("norm2", layer_norm(o.dim, o.norm_eps));
  fc1 = below(*this, "mlp", "fc1", torch::nn::Linear(o.dim, hidden));
  fc2 = below(*this, "mlp", "fc2", torch::nn::Linear(hidden, o.dim));
  if (o.hybrid_norm) out_norm2 = register_module("out_norm2", layer_norm(o.dim, o.norm_eps));
  if (o.layer_scale > 0) gain2_ = gain(*this, "ls2", o.dim, o.layer_scale);
}

torch::Tensor BlockImpl::forward(torch::Tensor x, const Rotation& rotation) {
  const auto branch = [](torch::Tensor y, torch::nn::LayerNorm& norm, const torch::Tensor& gain_) {
    if (norm) y = norm->forward(y);
    return gain_.defined() ? y * gain_ : y;
  };
  x = x + branch(attn->forward(norm1->forward(x), rotation), out_norm1, gain1_);
  return x + branch(fc2->forward(torch::gelu(fc1->forward(norm2->forward(x)))), out_norm2, gain2_);
}

VisionTransformerImpl::VisionTransformerImpl(const VitOptions& options) : options_(options) {
  check(options_);
  const VitOptions& o = options_;
  if (o.class_token) class_token_ = register_parameter("cls_token", torch::zeros({1, 1, o.dim}));
  if (o.registers > 0) registers_ = register_parameter("reg_token", torch::zeros({1, o.registers, o.dim}));
  if (o.position == "learnable") {
    const std::int64_t count = std::int64_t{o.grid()} * o.grid() + (o.class_token && o.registers == 0 ? 1 : 0);
    positions_ = register_parameter("pos_embed", torch::zeros({1, count, o.dim}));
  }
  patch_ = below(*this, "patch_embed", "proj",
                 torch::nn::Conv2d(torch::nn::Conv2dOptions(o.channels, o.dim, o.patch_size).stride(o.patch_size)));
  blocks_ = register_module("blocks", torch::nn::ModuleList());
  for (int i = 0; i < o.depth; ++i) blocks_->push_back(Block(o));
  norm_ = register_module("norm", layer_norm(o.dim, o.norm_eps));
  initialise();
}

void VisionTransformerImpl::initialise() {
  const torch::NoGradGuard no_grad;
  const auto draw = [](torch::Tensor p) { p.copy_(torch::fmod(torch::randn_like(p), 2) * 0.02); };
  for (auto& item : named_parameters()) {
    torch::Tensor p = item.value();
    if (p.dim() >= 2)
      draw(p);
    else if (item.key().ends_with("bias") && !item.key().ends_with("attn.bias"))
      p.zero_();
  }
}

Grid VisionTransformerImpl::grid_of(const torch::Tensor& image) const {
  const std::int64_t p = options_.patch_size;
  if (image.dim() != 4 || image.size(1) != options_.channels || image.size(2) == 0 || image.size(3) == 0 || image.size(2) % p || image.size(3) % p)
    fail_usage("vit: the image is {}, expected [batch, {}, height, width] with height and width multiples of {}", shape_of(image),
               options_.channels, p);
  return {image.size(2) / p, image.size(3) / p};
}

torch::Tensor VisionTransformerImpl::embedded(const torch::Tensor& image, Grid grid) {
  torch::Tensor x = patch_->forward(normalized(image, options_.pixels)).flatten(2).transpose(1, 2);
  if (options_.position == "sincos") x = x + sincos_positions(grid, options_.dim, x.options());
  const std::int64_t first = positions_.defined() ? positions_.size(1) - std::int64_t{options_.grid()} * options_.grid() : 0;
  torch::Tensor places, class_token = class_token_;
  if (positions_.defined()) {
    places = resampled_positions(positions_, first, {options_.grid(), options_.grid()}, grid);
    x = x + places.slice(1, first);
    if (first > 0) class_token = class_token + places.slice(1, 0, first);
  }
  std::vector<torch::Tensor> parts;
  if (class_token.defined()) parts.push_back(class_token.expand({x.size(0), -1, -1}));
  if (registers_.defined()) parts.push_back(registers_.expand({x.size(0), -1, -1}));
  parts.push_back(x);
  return parts.size() == 1 ? x : torch::cat(parts, 1);
}

Rotation VisionTransformerImpl::rotation_for(const torch::Tensor& tokens, Grid grid) const {
  if (options_.position != "rope2d") return {};
  return rope2d(grid, options_.head_dim(), options_.rope_base, tokens.options());
}

VisionTransformerImpl::Features VisionTransformerImpl::features(const torch::Tensor& image, const std::vector<int>& layers) {
  const Grid grid = grid_of(image);
  torch::Tensor x = embedded(image, grid);
  const Rotation rotation = rotation_for(x, grid);
  Features out;
  for (int i = 0; i < options_.depth; ++i) {
    x = blocks_[static_cast<std::size_t>(i)]->as<Block>()->forward(x, rotation);
    if (out.maps.size() == layers.size() || layers[out.maps.size()] != i) continue;
    const torch::Tensor patches = norm_->forward(x).slice(1, options_.prefix_tokens());
    out.maps.push_back(patches.transpose(1, 2).reshape({x.size(0), options_.dim, grid.height, grid.width}));
  }
  if (out.maps.size() != layers.size())
    fail_usage("vit: layer {} was asked for; layers have to rise and lie within 0 and {}", layers[out.maps.size()], options_.depth - 1);
  out.tokens = norm_->forward(x);
  return out;
}

torch::Tensor VisionTransformerImpl::pooled(const torch::Tensor& tokens) const {
  return options_.class_token ? tokens.select(1, 0) : tokens.slice(1, options_.prefix_tokens()).mean(1);
}

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t sum = 0;
  for (const torch::Tensor& p : module.parameters()) sum += p.numel();
  return sum;
}

}  // namespace simulacra::nn
