// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/model_files.h"

#include <fmt/ranges.h>

#include "learning/nn/weights.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

constexpr const char* kEncoderPrefix = "vit.";

/// Options that no tensor's name or shape shows: with others, the same weights are another function.
void need_same_meaning(const std::string& file, const nn::VitOptions& there, const nn::VitOptions& here) {
  const auto need = [&](const char* key, const auto& a, const auto& b) {
    if (a != b) fail_usage("run.start_from: {} was made with {} = {}, and model.vit has {}", file, key, a, b);
  };
  need("heads", there.heads, here.heads);
  need("pixels", there.pixels, here.pixels);
  need("position", there.position, here.position);
  need("attention", there.attention, here.attention);
  if (here.position == "rope2d") need("rope_base", there.rope_base, here.rope_base);
  if (here.attention != "sigmoid") return;
  need("sigmoid_bias", there.sigmoid_bias, here.sigmoid_bias);
  if (here.sigmoid_bias == "fixed") need("sigmoid_bias_value", there.sigmoid_bias_value, here.sigmoid_bias_value);
}

}  // namespace

void load_encoder(const std::filesystem::path& file, nn::Model& model) {
  if (!std::filesystem::exists(file)) fail_usage("run.start_from: there is no file {}", file.string());
  const nn::TensorFile read = nn::read_tensors(file);
  if (const auto options = nn::encoder_options(read.metadata, file.string())) need_same_meaning(file.string(), *options, model->options().vit);
  try {
    nn::TensorMap encoder;
    for (const auto& [name, value] : nn::to_own_names(read.tensors, nn::naming_of(read.tensors)))
      if (name.starts_with(kEncoderPrefix)) encoder[name] = value;
    for (const std::string& missing : nn::load_weights(model, encoder, /*partial=*/true))
      if (missing.starts_with(kEncoderPrefix)) fail("it lacks {}", missing);
  } catch (const Error& e) {
    fail("{}: {}", file.string(), e.what());
  }
}

std::string trained_on(const std::filesystem::path& file) { return nn::read_metadata(file)[kTrainedOn]; }

nn::Model load_trained_model(const std::filesystem::path& file, const TrainOptions& options) {
  nn::Model model = nn::load_model(file);
  if (model->options().tasks != task_names(options.tasks))
    fail("{}: predicts {}, and the configuration beside it asks for {}", file.string(), fmt::join(model->options().tasks, ", "),
         fmt::join(task_names(options.tasks), ", "));
  return model;
}

}  // namespace simulacra::learning
