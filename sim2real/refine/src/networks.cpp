// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/networks.h"

#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <span>
#include <utility>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

namespace F = torch::nn::functional;
using Kind = PatchLayer::Kind;

torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t filter, std::int64_t stride = 1) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, filter).stride(stride));
}

torch::Tensor padded(const torch::Tensor& x, std::int64_t filter, Padding padding) {
  const std::int64_t p = (filter - 1) / 2;
  if (p == 0) return x;
  const auto options = F::PadFuncOptions({p, p, p, p});
  switch (padding) {
    case Padding::zeros: return F::pad(x, options);
    case Padding::replicate: return F::pad(x, F::PadFuncOptions(options).mode(torch::kReplicate));
    case Padding::reflect: return F::pad(x, F::PadFuncOptions(options).mode(torch::kReflect));
    case Padding::none: return x;
  }
  return x;
}

torch::Tensor activated(const torch::Tensor& x, double slope) { return torch::leaky_relu(x, slope); }

torch::Tensor convolved(const std::shared_ptr<torch::nn::Module>& layer, const torch::Tensor& x, Padding padding) {
  auto* conv = layer->as<torch::nn::Conv2d>();
  return conv->forward(padded(x, conv->weight.size(-1), padding));
}

void check_filter(std::int64_t filter) {
  if (filter < 1 || filter % 2 == 0) fail_usage("a filter's size is to be odd, not {}", filter);
}

void check(const RefinerOptions& o) {
  check_filter(o.first_filter), check_filter(o.block_filter);
  if (o.image_channels < 1 || o.width < 1 || o.blocks < 0)
    fail_usage("a refiner needs channels: {} of the image, {} inside, {} blocks", o.image_channels, o.width, o.blocks);
  if (o.padding == Padding::none) fail_usage("a refiner keeps the size of its images, so it needs a padding");
}

void check(const DiscriminatorOptions& o) {
  for (const PatchLayer& l : o.layers) {
    check_filter(l.filter);
    if (l.stride < 1 || (l.kind == Kind::convolution && l.channels < 1))
      fail_usage("a discriminator's layer has {} channels and stride {}", l.channels, l.stride);
  }
  if (o.layers.empty() || o.layers.back().kind != Kind::convolution || o.layers.back().channels != 2)
    fail_usage("a discriminator ends in a convolution with 2 channels, the logits of real and refined");
  if (o.global_for[0] > 0 && (o.global_layers < 1 || o.global_layers > std::ssize(o.layers)))
    fail_usage("a discriminator of {} layers cannot end in {} fully connected ones", o.layers.size(), o.global_layers);
}

/// What judges locally.
std::span<const PatchLayer> trunk_of(const DiscriminatorOptions& o) {
  const std::int64_t global = o.global_for[0] > 0 ? o.global_layers : 0;
  return std::span(o.layers).first(static_cast<std::size_t>(std::ssize(o.layers) - global));
}

std::int64_t size_after(const PatchLayer& l, std::int64_t n, Padding padding) {
  if (padding != Padding::none) return (n + l.stride - 1) / l.stride;
  return n < l.filter ? 0 : (n - l.filter) / l.stride + 1;
}

std::array<std::int64_t, 2> size_after(std::span<const PatchLayer> layers, std::array<std::int64_t, 2> size, Padding padding) {
  for (const PatchLayer& l : layers) size = {size_after(l, size[0], padding), size_after(l, size[1], padding)};
  if (size[0] < 1 || size[1] < 1) fail_usage("images are too small for this discriminator: its map has no cell");
  return size;
}

}  // namespace

RefinerOptions gaze_refiner() { return {}; }

DiscriminatorOptions gaze_discriminator() {
  return {.layers = {{.channels = 96, .filter = 3, .stride = 2},
                     {.channels = 64, .filter = 3, .stride = 2},
                     {.kind = Kind::max_pool, .filter = 3, .stride = 1},
                     {.channels = 32, .filter = 3},
                     {.channels = 32, .filter = 1},
                     {.channels = 2, .filter = 1}}};
}

RefinerOptions hand_refiner(bool all_filters_7) {
  return {.blocks = 10, .first_filter = 7, .block_filter = all_filters_7 ? 7 : 3};
}

DiscriminatorOptions hand_discriminator() {
  return {.layers = {{.channels = 96, .filter = 7, .stride = 4},
                     {.channels = 64, .filter = 5, .stride = 2},
                     {.kind = Kind::max_pool, .filter = 3, .stride = 2},
                     {.channels = 32, .filter = 3, .stride = 2},
                     {.channels = 32, .filter = 1},
                     {.channels = 2, .filter = 1}}};
}

RefinerOptions frame_refiner(std::int64_t image_channels) {
  return {.image_channels = image_channels, .width = 32, .blocks = 6, .first_filter = 7};
}

DiscriminatorOptions frame_discriminator(std::int64_t image_channels) {
  return {.image_channels = image_channels,
          .layers = {{.channels = 48, .filter = 5, .stride = 2},
                     {.channels = 64, .filter = 5, .stride = 2},
                     {.kind = Kind::max_pool, .filter = 3, .stride = 2},
                     {.channels = 32, .filter = 3},
                     {.channels = 32, .filter = 1},
                     {.channels = 2, .filter = 1}}};
}

std::int64_t receptive_field(const RefinerOptions& options) {
  return options.first_filter + 2 * options.blocks * (options.block_filter - 1);
}

std::int64_t receptive_field(const DiscriminatorOptions& options) {
  std::int64_t field = 1, pixels_a_cell = 1;
  for (const PatchLayer& l : options.layers) {
    field += (l.filter - 1) * pixels_a_cell;
    pixels_a_cell *= l.stride;
  }
  return field;
}

std::array<std::int64_t, 2> map_size(const DiscriminatorOptions& options, std::int64_t rows, std::int64_t columns) {
  if (options.global_for[0] > 0) return {1, 1};
  return size_after(options.layers, {rows, columns}, options.padding);
}

std::int64_t parameter_count(const torch::nn::Module& net) {
  std::int64_t count = 0;
  for (const torch::Tensor& p : net.parameters()) count += p.numel();
  return count;
}

std::int64_t multiply_adds(const RefinerOptions& o, std::int64_t rows, std::int64_t columns) {
  const std::int64_t first = o.first_filter * o.first_filter * o.image_channels * o.width;
  const std::int64_t block = 2 * o.block_filter * o.block_filter * o.width * o.width;
  return rows * columns * (first + o.blocks * block + o.width * o.image_channels);
}

void initialise_weights(torch::nn::Module& net, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  double bound = 1;
  for (torch::Tensor& p : net.parameters()) {  // each weight is followed by its bias
    if (p.dim() > 1) bound = 1 / std::sqrt(static_cast<double>(p.numel() / p.size(0)));
    p.copy_(torch::empty(p.sizes(), torch::kDouble).uniform_(-bound, bound, generator));
  }
}

RefinerImpl::RefinerImpl(const RefinerOptions& options) : options_(options) {
  check(options);
  const std::int64_t width = options.width;
  in_ = register_module("in", convolution(options.image_channels, width, options.first_filter));
  for (std::int64_t b = 0; b < 2 * options.blocks; ++b) blocks_->push_back(convolution(width, width, options.block_filter));
  register_module("blocks", blocks_);
  out_ = register_module("out", convolution(width, options.image_channels, 1));
}

torch::Tensor RefinerImpl::forward(const torch::Tensor& x) {
  const auto [padding, slope] = std::pair(options_.padding, options_.slope);
  torch::Tensor y = activated(convolved(in_.ptr(), x, padding), slope);
  for (std::size_t b = 0; b < blocks_->size(); b += 2) {
    const torch::Tensor inner = activated(convolved(blocks_[b], y, padding), slope);
    y = activated(y + convolved(blocks_[b + 1], inner, padding), slope);
  }
  return torch::tanh(out_->forward(y));
}

DiscriminatorImpl::DiscriminatorImpl(const DiscriminatorOptions& options) : options_(options) {
  check(options);
  std::int64_t channels = options.image_channels;
  const std::span<const PatchLayer> trunk = trunk_of(options_), global = std::span(options_.layers).subspan(trunk.size());
  for (const PatchLayer& l : trunk)
    if (l.kind == Kind::convolution) {
      convolutions_->push_back(convolution(channels, l.channels, l.filter, l.stride));
      channels = l.channels;
    }
  register_module("convolutions", convolutions_);
  if (global.empty()) return;
  const auto [rows, columns] = size_after(trunk, options.global_for, options.padding);
  channels *= rows * columns;
  for (const PatchLayer& l : global) {
    if (l.kind != Kind::convolution) fail_usage("a max pool cannot be fully connected");
    global_->push_back(torch::nn::Linear(channels, l.channels));
    channels = l.channels;
  }
  register_module("global", global_);
}

torch::Tensor DiscriminatorImpl::forward(const torch::Tensor& x) {
  torch::Tensor y = x;
  std::size_t next = 0;
  for (const PatchLayer& l : trunk_of(options_)) {
    if (l.kind == Kind::max_pool) {
      const std::int64_t pad = options_.padding == Padding::none ? 0 : (l.filter - 1) / 2;
      y = torch::max_pool2d(y, {l.filter, l.filter}, {l.stride, l.stride}, {pad, pad});
      continue;
    }
    y = convolved(convolutions_[next++], y, options_.padding);
    const bool logits = global_->is_empty() && next == convolutions_->size();
    if (!logits) y = activated(y, options_.slope);
  }
  if (global_->is_empty()) return y;
  y = y.flatten(1);
  for (std::size_t i = 0; i < global_->size(); ++i) {
    y = global_[i]->as<torch::nn::Linear>()->forward(y);
    if (i + 1 < global_->size()) y = activated(y, options_.slope);
  }
  return y.view({-1, 2, 1, 1});
}

}  // namespace simulacra::sim2real
