// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/vit_features/vit_features.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "learning/nn/weights.h"
#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

namespace fs = std::filesystem;

constexpr int kHeadChannels = 64;

fs::path file_of(const fs::path& source) {
  if (!fs::is_directory(source)) return source;
  for (const char* name : {"model.safetensors", "encoder.safetensors"})
    if (fs::exists(source / name)) return source / name;
  fail_usage("{}: is no folder of a finished training: it holds neither model.safetensors nor encoder.safetensors", source.string());
}

std::int64_t whole_root(std::int64_t n) { return std::llround(std::sqrt(static_cast<double>(n))); }

/// Of weights without options, under our names.
nn::VitOptions options_of_shapes(const nn::TensorMap& own, nn::Naming naming, const std::string& pixels) {
  const auto size = [&](const char* name, std::int64_t dimension) {
    const auto found = own.find(name);
    if (found == own.end() || found->second.dim() <= dimension) fail("there is no tensor '{}' of {} dimensions or more", name, dimension + 1);
    return found->second.size(dimension);
  };
  const auto has = [&](const char* name) { return own.contains(name); };
  nn::VitOptions o;
  o.pixels = pixels;
  o.dim = static_cast<int>(size("vit.patch_embed.proj.weight", 0));
  o.channels = static_cast<int>(size("vit.patch_embed.proj.weight", 1));
  o.patch_size = static_cast<int>(size("vit.patch_embed.proj.weight", 3));
  if (o.dim % kHeadChannels != 0) fail("its width of {} is no multiple of {}, the channels of a head of the public ViTs", o.dim, kHeadChannels);
  o.heads = o.dim / kHeadChannels;
  o.depth = 0;
  while (own.contains(fmt::format("vit.blocks.{}.norm1.weight", o.depth))) ++o.depth;
  o.mlp_ratio = static_cast<double>(size("vit.blocks.0.mlp.fc1.weight", 0)) / o.dim;
  o.class_token = has("vit.cls_token");
  o.registers = has("vit.reg_token") ? static_cast<int>(size("vit.reg_token", 1)) : 0;
  o.qkv_bias = has("vit.blocks.0.attn.qkv.bias");
  o.qk_norm = has("vit.blocks.0.attn.q_norm.weight");
  o.layer_scale = has("vit.blocks.0.ls1.gamma") ? 1 : 0;   // the gains themselves are loaded
  o.norm_eps = naming == nn::Naming::hugging_face ? 1e-12 : 1e-6;
  const std::int64_t patches = size("vit.pos_embed", 1) - (o.class_token && o.registers == 0 ? 1 : 0);
  if (whole_root(patches) * whole_root(patches) != patches) fail("its {} positions are no square grid", patches);
  o.image_size = static_cast<int>(whole_root(patches)) * o.patch_size;
  return o;
}

nn::Model load(const fs::path& file, const std::string& pixels) {
  const nn::TensorFile stored = nn::read_tensors(file);
  const nn::Naming naming = nn::naming_of(stored.tensors);
  nn::TensorMap encoder;
  for (const auto& [name, tensor] : nn::to_own_names(stored.tensors, naming))
    if (name.starts_with("vit.")) encoder.emplace(name, tensor);
  std::optional<nn::VitOptions> vit = nn::encoder_options(stored.metadata, file.string());
  // Of our own, shapes do not tell attention and positions.
  if (!vit && naming == nn::Naming::simulacra) fail("its metadata holds no options; write it again with this version's train or pretrain");
  if (!vit) vit = options_of_shapes(encoder, naming, pixels);
  if (vit->channels != 3) fail("it takes pictures of {} channels, not 3", vit->channels);
  nn::ModelOptions options;
  options.vit = *vit, options.image_classes = 2;   // a model predicts something; its classifier is not asked
  nn::Model model(options);
  for (const std::string& missing : nn::load_weights(model, encoder, /*partial=*/true))
    if (missing.starts_with("vit.")) fail("it lacks {}", missing);
  model->eval();
  return model;
}

/// (1, 3, side, side).
torch::Tensor input_of(const Plane& image, std::int64_t side) {
  torch::Tensor x = torch::from_blob(const_cast<float*>(image.f.data()), {1, image.height, image.width, image.channels}).permute({0, 3, 1, 2});
  const double scale = static_cast<double>(side) / std::min(image.width, image.height);
  const auto scaled = [&](int length) { return std::max(side, static_cast<std::int64_t>(std::llround(scale * length))); };
  const std::int64_t height = scaled(image.height), width = scaled(image.width);
  x = at::_upsample_bilinear2d_aa(x.contiguous(), {height, width}, /*align_corners=*/false);
  x = x.slice(2, (height - side) / 2, (height - side) / 2 + side).slice(3, (width - side) / 2, (width - side) / 2 + side);
  return x.expand({1, 3, side, side}).clamp(0, 1).contiguous();
}

}  // namespace

gap::FeatureMap vit_features(const fs::path& source, const std::string& pixels) {
  const fs::path file = file_of(source);
  if (!fs::is_regular_file(file)) fail_usage("{}: there is no such file", file.string());
  std::shared_ptr<nn::Model> model;
  try {
    model = std::make_shared<nn::Model>(load(file, pixels));
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    const std::string text = e.what();
    fail_usage("{}", text.find(file.string()) != std::string::npos ? text : file.string() + ": " + text);
  }
  return {"ViT " + source.string(), [model](const Plane& image) {
            const torch::InferenceMode no_gradients;
            nn::VisionTransformer& vit = (*model)->backbone();
            const torch::Tensor tokens = vit->forward(input_of(image, vit->options().image_size));
            const torch::Tensor pooled = vit->pooled(tokens).to(torch::kFloat64).contiguous();
            return std::vector<double>(pooled.data_ptr<double>(), pooled.data_ptr<double>() + pooled.numel());
          }};
}

}  // namespace simulacra::sim2real
