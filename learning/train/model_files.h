// SPDX-License-Identifier: Apache-2.0
// Models on disk: safetensors whose names are those of the parameters, with the options that rebuild them in the metadata.
#pragma once

#include <torch/torch.h>

#include <filesystem>

#include "learning/nn/model.h"
#include "learning/train/options.h"

namespace simulacra::learning {

/// The encoder of a training, a pretraining, or of timm or Hugging Face transformers, into the model's. Throws UsageError when
/// there is no such file; Error that names file and tensor when it is damaged or does not fit.
void load_encoder(const std::filesystem::path& file, nn::Model& model);
/// What pretrain() writes: the encoder under the names that it has in a model.
void save_encoder(const std::filesystem::path& file, const nn::VisionTransformer& encoder);
/// What train() writes. Throws Error when the model does not predict the tasks of `options`.
nn::Model load_trained_model(const std::filesystem::path& file, const TrainOptions& options);

}  // namespace simulacra::learning
