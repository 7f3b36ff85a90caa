// SPDX-License-Identifier: Apache-2.0
// A vision transformer with heads: dense ones (depth, normals, semantics, albedo, shading) over one light decoder, and a
// classifier.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "learning/nn/vit.h"

namespace simulacra::nn {

struct ModelOptions {
  VitOptions vit;
  std::vector<std::string> tasks;     ///< of depth, normals, semantics, albedo, shading
  std::vector<double> layers;         ///< blocks that the decoder reads, from 0, rising, at most 4; empty: four spread evenly
  int decoder_width = 64;             ///< channels at the coarsest level
  int semantic_classes = 40;          ///< NYU40
  int image_classes = 0;              ///< of the classifier; 0 = none
};
void fields(config::Fields& f, ModelOptions& o);
void check(const ModelOptions& o);

/// Blocks that the decoder reads: those asked for, or the last of four equal parts of the depth.
std::vector<int> decoder_layers(const ModelOptions& o);

/// Tokens of several blocks to one map of pixels. From the deepest block on: 1 x 1 convolution to the width of the level,
/// added to what came from below, a residual pair of 3 x 3 convolutions, twice the size (bilinear) with the next width:
/// as in DPT [Ranftl et al. 2021], without its batch norms. Widths w, w, w/2, w/4 at 1, 2, 4, 8 times the grid.
class DecoderImpl : public torch::nn::Module {
 public:
  DecoderImpl(std::int64_t dim, std::int64_t width, std::size_t levels);
  /// `maps` from shallow to deep, each (batch, dim, h, w); gives (batch, out_width, f h, f w), f = 2^(levels - 1).
  torch::Tensor forward(const std::vector<torch::Tensor>& maps);
  std::int64_t out_width() const { return widths_.back(); }

 private:
  std::vector<std::int64_t> widths_;
  torch::nn::ModuleList project_, first_, second_, narrow_;
};
TORCH_MODULE(Decoder);

/// What forward() gives, each (batch, channels, height, width) of the image:
///   depth      1   logarithm of the depth in meters
///   normals    3   unit length, camera frame
///   semantics  semantic_classes logits; logit c - 1 is NYU40 class c
///   albedo     3   linear, within [0, 1]
///   shading    3   logarithm
///   classes    (batch, image_classes) logits
using Predictions = std::map<std::string, torch::Tensor>;

/// Of one dense task, from what its head gives (batch, channels, h, w): enlarged (bilinear) and brought to its range.
torch::Tensor predictions_of_coarse(std::string_view task, const torch::Tensor& coarse, std::int64_t height, std::int64_t width);

class ModelImpl : public torch::nn::Module {
 public:
  explicit ModelImpl(const ModelOptions& options);
  Predictions forward(const torch::Tensor& image);
  /// What the heads give, before predictions_of_coarse(): at the decoder's resolution, normals of any length, albedo as logits.
  Predictions coarse(const torch::Tensor& image);
  VisionTransformer& backbone() { return vit_; }
  const ModelOptions& options() const { return options_; }

 private:
  ModelOptions options_;
  VisionTransformer vit_{nullptr};
  Decoder decoder_{nullptr};
  torch::nn::ModuleDict heads_;
  torch::nn::Linear classifier_{nullptr};
};
TORCH_MODULE(Model);

}  // namespace simulacra::nn
