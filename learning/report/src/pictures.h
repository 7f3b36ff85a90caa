// SPDX-License-Identifier: Apache-2.0
// Predictions and labels as pictures.
#pragma once

#include <torch/torch.h>

#include <string>

namespace simulacra::learning {

/// How the values of a task are shown: both pictures of a pair alike.
struct Look {
  std::string task;
  double lo = 0, hi = 1;               ///< depth: metres at the ends of the color scale; shading: hi is white
};
/// From the label's values that count, so that a prediction off the scale shows.
Look look_of(const std::string& task, const torch::Tensor& target, const torch::Tensor& mask);

/// "data:image/png;base64,…" of [C, H, W] values (semantics [H, W]); gray where `mask` is false.
std::string picture_uri(const torch::Tensor& values, const torch::Tensor& mask, const Look& look);
/// Of an image in [0, 1], [3, H, W].
std::string image_uri(const torch::Tensor& image);
/// The error, black to yellow: |d - d*| / d* up to 0.25, degrees up to 45, wrong classes, |difference| up to 0.25.
std::string error_uri(const std::string& task, const torch::Tensor& predicted, const torch::Tensor& target, const torch::Tensor& mask);
/// What white is in error_uri: "25 %", "45°", …
std::string error_scale(const std::string& task);

}  // namespace simulacra::learning
