// SPDX-License-Identifier: Apache-2.0
// Models on disk: safetensors whose names are those of the parameters, with the options that rebuild them in the metadata.
#pragma once

#include <torch/torch.h>

#include <filesystem>

#include "learning/nn/model.h"
#include "learning/train/options.h"

namespace simulacra::learning {

/// The encoder of a training, a pretraining, or of timm or Hugging Face transformers, into the model's. Throws UsageError when
/// there is no such file, or it is of a transformer that means something else by such weights (heads, positions, attention,
/// pixels); Error that names file and tensor when it is damaged or does not fit.
void load_encoder(const std::filesystem::path& file, nn::Model& model);
/// Metadata of a trained model: the fingerprint() of the frames it was trained on.
inline constexpr const char* kTrainedOn = "simulacra.trained_on";
/// That of a file; "" when it does not say.
std::string trained_on(const std::filesystem::path& file);
/// What train() writes. Throws Error when the model does not predict the tasks of `options`.
nn::Model load_trained_model(const std::filesystem::path& file, const TrainOptions& options);

}  // namespace simulacra::learning
