// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/weights.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string_view>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::nn {
namespace {

constexpr const char* kModelKey = "simulacra.model";
constexpr const char* kEncoderKey = "simulacra.vit";

/// Hugging Face's part of a name and ours; the words of transformers 4 come first and are the ones written. "{}" stands for
/// the number of the block, q, k, v for the thirds of attn.qkv.
struct Pair {
  std::string_view theirs, ours;
};
constexpr std::array<Pair, 21> kHuggingFace = {{
    {"embeddings.cls_token", "cls_token"},
    {"embeddings.position_embeddings", "pos_embed"},
    {"embeddings.patch_embeddings.projection", "patch_embed.proj"},
    {"encoder.layer.{}.layernorm_before", "blocks.{}.norm1"},
    {"encoder.layer.{}.attention.attention.query", "blocks.{}.attn.q"},
    {"encoder.layer.{}.attention.attention.key", "blocks.{}.attn.k"},
    {"encoder.layer.{}.attention.attention.value", "blocks.{}.attn.v"},
    {"encoder.layer.{}.attention.output.dense", "blocks.{}.attn.proj"},
    {"encoder.layer.{}.layernorm_after", "blocks.{}.norm2"},
    {"encoder.layer.{}.intermediate.dense", "blocks.{}.mlp.fc1"},
    {"encoder.layer.{}.output.dense", "blocks.{}.mlp.fc2"},
    {"layernorm", "norm"},
    {"classifier", "head"},
    {"layers.{}.layernorm_before", "blocks.{}.norm1"},
    {"layers.{}.attention.q_proj", "blocks.{}.attn.q"},
    {"layers.{}.attention.k_proj", "blocks.{}.attn.k"},
    {"layers.{}.attention.v_proj", "blocks.{}.attn.v"},
    {"layers.{}.attention.o_proj", "blocks.{}.attn.proj"},
    {"layers.{}.layernorm_after", "blocks.{}.norm2"},
    {"layers.{}.mlp.fc1", "blocks.{}.mlp.fc1"},
    {"layers.{}.mlp.fc2", "blocks.{}.mlp.fc2"},
}};

/// A name without its number and its last word, "weight" or "bias".
struct Parts {
  std::string stem, number, leaf;
};
Parts parts_of(const std::string& name) {
  static const std::regex kNumber(R"(\.(\d+)\.)"), kLeaf(R"(\.(weight|bias)$)");
  Parts parts{name, "", ""};
  std::smatch m;
  if (std::regex_search(parts.stem, m, kLeaf)) {
    parts.leaf = m.str();
    parts.stem = std::string(m.prefix());
  }
  if (std::regex_search(parts.stem, m, kNumber)) {
    parts.number = m.str(1);
    parts.stem = std::string(m.prefix()) + ".{}." + std::string(m.suffix());
  }
  return parts;
}

std::string joined(std::string_view stem, const Parts& parts) {
  std::string name(stem);
  if (const auto at = name.find("{}"); at != std::string::npos) name.replace(at, 2, parts.number);
  return name + parts.leaf;
}

std::string in_model(const std::string& name) { return name.starts_with("head.") ? name : "vit." + name; }

bool is_third(const std::string& name) {
  static const std::regex kThird(R"(\.attn\.[qkv]\.(weight|bias)$)");
  return std::regex_search(name, kThird);
}

/// attn.q, attn.k, attn.v to attn.qkv.
TensorMap stacked(const TensorMap& thirds) {
  TensorMap out;
  for (const auto& [name, tensor] : thirds) {
    if (!is_third(name)) {
      out.emplace(name, tensor);
      continue;
    }
    const auto at = name.rfind(".attn.") + 6;
    if (name[at] != 'q') continue;
    const auto third = [&](char letter) {
      std::string other = name;
      other[at] = letter;
      const auto found = thirds.find(other);
      if (found == thirds.end()) fail("weights: '{}' is missing beside '{}'", other, name);
      return found->second;
    };
    out.emplace(name.substr(0, at) + "qkv" + name.substr(at + 1), torch::cat({tensor, third('k'), third('v')}));
  }
  return out;
}

TensorMap split(const TensorMap& own) {
  TensorMap out;
  for (const auto& [name, tensor] : own) {
    const auto at = name.find(".attn.qkv.");
    if (at == std::string::npos) {
      out.emplace(name, tensor);
      continue;
    }
    const auto thirds = tensor.chunk(3);
    for (std::size_t i = 0; i < 3; ++i) out.emplace(name.substr(0, at + 6) + "qkv"[i] + name.substr(at + 9), thirds[i].contiguous());
  }
  return out;
}

std::string from_hugging_face(const std::string& name) {
  const Parts parts = parts_of(name.starts_with("vit.") ? name.substr(4) : name);
  for (const Pair& p : kHuggingFace)
    if (p.theirs == parts.stem) return joined(p.ours, parts);
  fail("weights: '{}' of Hugging Face has no counterpart", name);
}

std::string to_hugging_face(const std::string& name) {
  const Parts parts = parts_of(name);
  for (const Pair& p : kHuggingFace)
    if (p.ours == parts.stem) return (p.ours == "head" ? "" : "vit.") + joined(p.theirs, parts);
  fail("weights: '{}' has no counterpart at Hugging Face", name);
}

std::string shape_of(const torch::Tensor& t) {
  std::ostringstream text;
  text << t.sizes();
  return text.str();
}

/// The options as JSON; what is in quotes stays text.
nlohmann::ordered_json json_of(const config::Node& node) {
  if (node.kind == config::Node::Kind::map) {
    nlohmann::ordered_json map = nlohmann::ordered_json::object();
    for (const auto& [key, value] : node.entries) map[key] = json_of(value);
    return map;
  }
  if (node.kind == config::Node::Kind::sequence) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const config::Node& item : node.items) list.push_back(json_of(item));
    return list;
  }
  if (node.quoted) return node.text;
  auto value = nlohmann::ordered_json::parse(node.text, nullptr, /*allow_exceptions=*/false);
  return value.is_number() || value.is_boolean() ? value : nlohmann::ordered_json(node.text);
}

}  // namespace

Naming naming_of(const TensorMap& weights) {
  for (const auto& [name, tensor] : weights) {
    if (name.starts_with("vit.patch_embed.")) return Naming::simulacra;
    if (name.starts_with("patch_embed.")) return Naming::timm;
    if (name.starts_with("embeddings.") || name.starts_with("vit.embeddings.")) return Naming::hugging_face;
  }
  fail("weights: neither 'patch_embed' (timm) nor 'embeddings' (Hugging Face) occurs among {} names", weights.size());
}

TensorMap to_own_names(const TensorMap& weights, Naming naming) {
  if (naming == Naming::simulacra) return weights;
  TensorMap named;
  for (const auto& [name, tensor] : weights) {
    if (naming == Naming::timm) {
      named.emplace(in_model(name), tensor);
    } else if (!name.starts_with("pooler.") && !name.starts_with("vit.pooler.")) {
      named.emplace(in_model(from_hugging_face(name)), tensor);
    }
  }
  return stacked(named);
}

TensorMap to_foreign_names(const TensorMap& own, Naming naming) {
  if (naming == Naming::simulacra) return own;
  TensorMap inner;
  for (const auto& [name, tensor] : own) {
    if (name.starts_with("vit."))
      inner.emplace(name.substr(4), tensor);
    else if (name.starts_with("head."))
      inner.emplace(name, tensor);
  }
  if (naming == Naming::timm) return inner;
  TensorMap out;
  for (const auto& [name, tensor] : split(inner)) out.emplace(to_hugging_face(name), tensor);
  return out;
}

std::vector<std::string> load_weights(Model& model, const TensorMap& own, bool partial) {
  const torch::NoGradGuard no_grad;
  auto parameters = model->named_parameters();
  std::vector<std::string> missing;
  for (const auto& [name, tensor] : own) {
    torch::Tensor* parameter = parameters.find(name);
    if (!parameter) fail("weights: '{}' is no parameter of this model", name);
    if (parameter->sizes() != tensor.sizes())
      fail("weights: '{}' is {}, expected {}", name, shape_of(tensor), shape_of(*parameter));
  }
  for (auto& item : parameters)
    if (!own.contains(item.key())) missing.push_back(item.key());
  if (!partial && !missing.empty()) fail("weights: '{}' is missing, and {} more", missing.front(), missing.size() - 1);
  for (const auto& [name, tensor] : own) parameters[name].copy_(tensor);
  return missing;
}

TensorMap weights_of(const Model& model) {
  TensorMap weights;
  for (const auto& item : model->named_parameters()) weights.emplace(item.key(), item.value().detach().clone());
  return weights;
}

void save_model(const std::filesystem::path& path, const Model& model, const std::map<std::string, std::string>& more) {
  TensorFile file{weights_of(model), more};
  file.metadata.insert({{"format", "pt"}, {kModelKey, json_of(config::write(model->options())).dump()}, {kSumKey, sum_of(file.tensors)}});
  write_tensors(path, file);
}

void save_encoder(const std::filesystem::path& path, const VisionTransformer& encoder) {
  TensorFile file;
  for (const auto& p : encoder->named_parameters()) file.tensors["vit." + p.key()] = p.value().detach();
  file.metadata = {{"format", "pt"}, {kEncoderKey, json_of(config::write(encoder->options())).dump()}, {kSumKey, sum_of(file.tensors)}};
  write_tensors(path, file);
}

std::optional<VitOptions> encoder_options(const std::map<std::string, std::string>& metadata, const std::string& file) {
  if (const auto model = metadata.find(kModelKey); model != metadata.end()) {
    ModelOptions o;
    config::read(config::parse_text(model->second, file + ", " + kModelKey), o);
    return o.vit;
  }
  const auto vit = metadata.find(kEncoderKey);
  if (vit == metadata.end()) return std::nullopt;
  VitOptions o;
  config::read(config::parse_text(vit->second, file + ", " + kEncoderKey), o);
  return o;
}

Model load_model(const std::filesystem::path& path) {
  const TensorFile file = read_tensors(path);
  const auto options = file.metadata.find(kModelKey);
  if (options == file.metadata.end()) fail("{}: its metadata has no '{}'; it was not written by simulacra", path.string(), kModelKey);
  ModelOptions o;
  config::read(config::parse_text(options->second, path.string() + ", " + kModelKey), o);
  Model model(o);
  load_weights(model, file.tensors);
  return model;
}

}  // namespace simulacra::nn
