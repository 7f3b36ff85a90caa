// SPDX-License-Identifier: Apache-2.0
// The two players: a refiner that keeps the size of its images, and a discriminator that judges patches. Both are fully
// convolutional, know no batch statistics, and take [B, C, H, W] in [-1, 1]. Every convolution has a bias.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstdint>
#include <vector>

namespace simulacra::sim2real {

/// What lies beyond the border, (filter - 1) / 2 wide. zeros tell a discriminator where the border is, which prints a
/// frame into refined images; none is for discriminators only, and their map shrinks.
enum class Padding { zeros, replicate, reflect, none };

/// conv -> act -> blocks of (conv -> act -> conv, add input, act) -> conv 1x1 -> tanh.
struct RefinerOptions {
  std::int64_t image_channels = 1;
  std::int64_t width = 64;
  std::int64_t blocks = 4;
  std::int64_t first_filter = 3;  ///< odd
  std::int64_t block_filter = 3;  ///< odd
  double slope = 0.1;             ///< of LeakyReLU below 0; 0 is ReLU
  Padding padding = Padding::replicate;
};

struct PatchLayer {
  enum class Kind { convolution, max_pool };
  Kind kind = Kind::convolution;
  std::int64_t channels = 0;  ///< of the output; a max pool keeps those it gets
  std::int64_t filter = 3;    ///< odd
  std::int64_t stride = 1;
};

/// The layers, an activation after each convolution but the last, which gives the two logits.
struct DiscriminatorOptions {
  std::int64_t image_channels = 1;
  std::vector<PatchLayer> layers;
  double slope = 0.1;
  Padding padding = Padding::replicate;
  /// Where given (rows, columns of the images), the last `global_layers` layers are fully connected ones of as many channels:
  /// a global judgement, map 1x1. To compare with, on an equal trunk.
  std::array<std::int64_t, 2> global_for = {0, 0};
  std::int64_t global_layers = 1;
};

/// As published: 35 x 55 grey eyes, 224 x 224 depth of hands (the text leaves open whether 7x7 is the first filter only).
RefinerOptions gaze_refiner();
DiscriminatorOptions gaze_discriminator();
RefinerOptions hand_refiner(bool all_filters_7 = false);
DiscriminatorOptions hand_discriminator();
/// Ours, for whole frames of any size: fewer channels, and receptive fields of 31 and 37 pixels.
RefinerOptions frame_refiner(std::int64_t image_channels = 3);
DiscriminatorOptions frame_discriminator(std::int64_t image_channels = 3);

/// Pixels along an axis that one output value depends on.
std::int64_t receptive_field(const RefinerOptions& options);
std::int64_t receptive_field(const DiscriminatorOptions& options);
/// Rows and columns of the map of logits. Throws UsageError when nothing is left.
std::array<std::int64_t, 2> map_size(const DiscriminatorOptions& options, std::int64_t rows, std::int64_t columns);
std::int64_t parameter_count(const torch::nn::Module& net);
/// Multiplications and additions, in pairs, of one image of this size.
std::int64_t multiply_adds(const RefinerOptions& options, std::int64_t rows, std::int64_t columns);

/// Every weight and bias uniform in +-1 / sqrt(fan in); the same seed gives the same bits.
void initialise_weights(torch::nn::Module& net, std::uint64_t seed);

/// Throws UsageError for options that make no network (here and below).
class RefinerImpl : public torch::nn::Module {
 public:
  explicit RefinerImpl(const RefinerOptions& options);
  /// Of the shape of x, in (-1, 1).
  torch::Tensor forward(const torch::Tensor& x);

 private:
  RefinerOptions options_;
  torch::nn::Conv2d in_{nullptr}, out_{nullptr};
  torch::nn::ModuleList blocks_;
};
TORCH_MODULE(Refiner);

class DiscriminatorImpl : public torch::nn::Module {
 public:
  explicit DiscriminatorImpl(const DiscriminatorOptions& options);
  /// [B, 2, h, w] logits: channel 0 real, channel 1 refined.
  torch::Tensor forward(const torch::Tensor& x);

 private:
  DiscriminatorOptions options_;
  torch::nn::ModuleList convolutions_;  ///< in the order of the layers
  torch::nn::ModuleList global_;        ///< what follows them; empty for a local judgement
};
TORCH_MODULE(Discriminator);

}  // namespace simulacra::sim2real
