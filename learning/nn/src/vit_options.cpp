// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/vit_options.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/ranges.h>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::nn {
namespace {

constexpr std::array<std::string_view, 3> kPositions = {"learnable", "sincos", "rope2d"};
constexpr std::array<std::string_view, 3> kPixels = {"as_given", "centered", "imagenet"};
constexpr std::array<std::string_view, 2> kAttentions = {"softmax", "sigmoid"};
constexpr std::array<std::string_view, 3> kBiases = {"minus_ln_n", "fixed", "learnable"};

struct Preset {
  std::string_view name;
  int dim, depth, heads;
};
constexpr std::array<Preset, 4> kPresets = {{{"tiny", 192, 12, 3}, {"small", 384, 12, 6}, {"base", 768, 12, 12}, {"large", 1024, 24, 16}}};

void require_word(std::string_view key, const std::string& value, std::span<const std::string_view> words) {
  if (std::ranges::find(words, std::string_view(value)) != words.end()) return;
  fail_usage("vit: {} = '{}', expected one of {}", key, value, fmt::join(words, ", "));
}

}  // namespace

void fields(config::Fields& f, VitOptions& o) {
  f.field("image_size", o.image_size, "pixels a side, of the learnable positions' grid", {1, 8192});
  f.field("patch_size", o.patch_size, "pixels a side", {1, 256});
  f.field("channels", o.channels, "of the image", {1, 1024});
  f.field("pixels", o.pixels, "what is done to pixels in [0, 1] first: nothing, 2 x - 1, or ImageNet's mean and deviation", kPixels);
  f.field("dim", o.dim, "width of a token", {1, 16384});
  f.field("depth", o.depth, "blocks", {1, 200});
  f.field("heads", o.heads, "heads of the attention", {1, 256});
  f.field("mlp_ratio", o.mlp_ratio, "hidden width of the MLP over dim", {0.1, 32});
  f.field("class_token", o.class_token, "one token that stands for the image");
  f.field("registers", o.registers, "further tokens without meaning of their own", {0, 64});
  f.field("position", o.position, "how a patch knows its place", kPositions);
  f.field("rope_base", o.rope_base, "rope2d: ratio of the longest wave to the shortest", {1, 1e9});
  f.field("qkv_bias", o.qkv_bias, "bias of queries, keys and values");
  f.field("qk_norm", o.qk_norm, "layer norm of queries and keys over a head's width");
  f.field("layer_scale", o.layer_scale, "initial gain of each residual branch; 0 = no gains", {0, 10});
  f.field("hybrid_norm", o.hybrid_norm, "a norm also behind each branch");
  f.field("attention", o.attention, "weights of the keys", kAttentions);
  f.field("sigmoid_bias", o.sigmoid_bias, "sigmoid: minus_ln_n of the call's keys, a fixed value, or one learnt a head", kBiases);
  f.field("sigmoid_bias_value", o.sigmoid_bias_value, "sigmoid: the fixed value", {-1000, 1000});
  f.field("norm_eps", o.norm_eps, "added to the variance in layer norms", {0, 1});
}

VitOptions vit_preset(const std::string& name) {
  std::string known;
  for (const Preset& p : kPresets) {
    if (p.name == name) {
      VitOptions o;
      o.dim = p.dim, o.depth = p.depth, o.heads = p.heads;
      return o;
    }
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  }
  fail_usage("no vision transformer is called '{}'; there are {}", name, known);
}

void check(const VitOptions& o) {
  require_word("pixels", o.pixels, kPixels);
  require_word("position", o.position, kPositions);
  require_word("attention", o.attention, kAttentions);
  require_word("sigmoid_bias", o.sigmoid_bias, kBiases);
  if (o.dim <= 0 || o.heads <= 0 || o.depth <= 0 || o.patch_size <= 0 || o.channels <= 0)
    fail_usage("vit: dim, heads, depth, patch_size and channels have to be above 0");
  if (o.pixels == "imagenet" && o.channels != 3) fail_usage("vit: pixels = imagenet is for 3 channels, not {}", o.channels);
  if (o.dim % o.heads) fail_usage("vit: dim = {} is no multiple of heads = {}", o.dim, o.heads);
  if (o.image_size % o.patch_size) fail_usage("vit: image_size = {} is no multiple of patch_size = {}", o.image_size, o.patch_size);
  if (o.position == "rope2d" && o.head_dim() % 4)
    fail_usage("vit: position = rope2d needs a head width that is a multiple of 4; dim {} with {} heads has {}", o.dim, o.heads, o.head_dim());
  if (o.position == "sincos" && o.dim % 4) fail_usage("vit: position = sincos needs dim as a multiple of 4, not {}", o.dim);
}

}  // namespace simulacra::nn
