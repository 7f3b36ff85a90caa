// SPDX-License-Identifier: Apache-2.0
// Pictures as vectors of a vision transformer, for the gap meters.
#pragma once

#include <filesystem>
#include <string>

#include "sim2real/gap/features.h"

namespace simulacra::sim2real {

/// The pooled token (the class token, or the mean of the patches) behind the last norm. A picture is shrunk or enlarged (bilinear,
/// with its low pass) until its shorter side is the transformer's image_size, and its middle is taken; gray counts as three equal channels.
///
/// `source`: the folder of a `simulacra train` or `pretrain`, or a safetensors file: ours, whose metadata holds the options, or one with the
/// names of timm or Hugging Face, whose options follow from its shapes: heads of 64 channels, as in ViT-Ti to ViT-L, and
/// `pixels` (VitOptions::pixels), which no file tells. Safe to call from several threads. Throws UsageError with one line that
/// names the file when there is none, it is damaged, or it is no such transformer.
gap::FeatureMap vit_features(const std::filesystem::path& source, const std::string& pixels = "centered");

}  // namespace simulacra::sim2real
