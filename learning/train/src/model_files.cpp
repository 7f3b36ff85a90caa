// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/model_files.h"

#include <fmt/ranges.h>

#include "learning/nn/weights.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

constexpr const char* kEncoderPrefix = "vit.";

}  // namespace

void load_encoder(const std::filesystem::path& file, nn::Model& model) {
  if (!std::filesystem::exists(file)) fail_usage("run.start_from: there is no file {}", file.string());
  const nn::TensorMap all = nn::read_tensors(file).tensors;
  try {
    nn::TensorMap encoder;
    for (const auto& [name, value] : nn::to_own_names(all, nn::naming_of(all)))
      if (name.starts_with(kEncoderPrefix)) encoder[name] = value;
    for (const std::string& missing : nn::load_weights(model, encoder, /*partial=*/true))
      if (missing.starts_with(kEncoderPrefix)) fail("it lacks {}", missing);
  } catch (const Error& e) {
    fail("{}: {}", file.string(), e.what());
  }
}

void save_encoder(const std::filesystem::path& file, const nn::VisionTransformer& encoder) {
  nn::TensorFile out;
  for (const auto& p : encoder->named_parameters()) out.tensors[kEncoderPrefix + p.key()] = p.value().detach();
  out.metadata = {{"simulacra.encoder", "1"}};
  nn::write_tensors(file, out);
}

nn::Model load_trained_model(const std::filesystem::path& file, const TrainOptions& options) {
  nn::Model model = nn::load_model(file);
  if (model->options().tasks != task_names(options.tasks))
    fail("{}: predicts {}, and the configuration beside it asks for {}", file.string(), fmt::join(model->options().tasks, ", "),
         fmt::join(task_names(options.tasks), ", "));
  return model;
}

}  // namespace simulacra::learning
