// SPDX-License-Identifier: Apache-2.0
// A vision transformer [Dosovitskiy et al. 2021], with softmax or sigmoid attention. Names of parameters are those of timm.
//
//  - Images are (batch, channels, height, width), height and width multiples of the patch; tokens (batch, tokens, dim):
//    class token, registers, patches in row-major order.
//  - A learnable position also belongs to the class token when there are no registers (as in the original and timm);
//    with registers, only to patches.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "learning/nn/positions.h"
#include "learning/nn/vit_options.h"

namespace simulacra::nn {

class AttentionImpl : public torch::nn::Module {
 public:
  explicit AttentionImpl(const VitOptions& o);
  /// x (batch, tokens, dim); the rotation is of the patches, the last tokens.
  torch::Tensor forward(const torch::Tensor& x, const Rotation& rotation);

 private:
  torch::Tensor sigmoid_bias(const torch::Tensor& q, std::int64_t keys) const;

  VitOptions options_;
  torch::nn::Linear qkv{nullptr}, proj{nullptr};
  torch::nn::LayerNorm q_norm{nullptr}, k_norm{nullptr};
  torch::Tensor bias_;  ///< (heads), learnable
};
TORCH_MODULE(Attention);

class BlockImpl : public torch::nn::Module {
 public:
  explicit BlockImpl(const VitOptions& o);
  torch::Tensor forward(torch::Tensor x, const Rotation& rotation);

 private:
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr}, out_norm1{nullptr}, out_norm2{nullptr};
  Attention attn{nullptr};
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
  torch::Tensor gain1_, gain2_;
};
TORCH_MODULE(Block);

class VisionTransformerImpl : public torch::nn::Module {
 public:
  /// Matrices, kernels, positions and tokens from a normal distribution of 0.02 cut at two standard deviations, of LibTorch's
  /// generator; biases 0, gains 1. Throws UsageError as check(VitOptions) does.
  explicit VisionTransformerImpl(const VitOptions& options);

  struct Features {
    torch::Tensor tokens;             ///< all, behind the last norm: (batch, prefix + patches, dim)
    std::vector<torch::Tensor> maps;  ///< patches behind each layer asked for, through the last norm: (batch, dim, grid height, grid width)
  };
  /// `layers`: blocks from 0, rising. Throws UsageError that gives both shapes when the image does not fit.
  Features features(const torch::Tensor& image, const std::vector<int>& layers);
  torch::Tensor forward(const torch::Tensor& image) { return features(image, {}).tokens; }
  /// (batch, dim): the class token of `tokens`, or the mean of the patches where there is none.
  torch::Tensor pooled(const torch::Tensor& tokens) const;

  /// The patches of an image. Throws as forward() does.
  Grid grid_of(const torch::Tensor& image) const;
  const VitOptions& options() const { return options_; }

 private:
  torch::Tensor embedded(const torch::Tensor& image, Grid grid);
  Rotation rotation_for(const torch::Tensor& tokens, Grid grid) const;
  void initialise();

  VitOptions options_;
  torch::nn::Conv2d patch_{nullptr};
  torch::Tensor class_token_, registers_, positions_;
  torch::nn::ModuleList blocks_;
  torch::nn::LayerNorm norm_{nullptr};
};
TORCH_MODULE(VisionTransformer);

/// Number of values in the parameters of a module.
std::int64_t count_parameters(const torch::nn::Module& module);

}  // namespace simulacra::nn
