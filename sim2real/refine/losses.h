// SPDX-License-Identifier: Apache-2.0
// Losses of simulated+unsupervised learning, after Shrivastava et al., "Learning from simulated and unsupervised images
// through adversarial training" (2017).
//
//   L_D = sum over cells of -log D(refined) - log(1 - D(real))         the discriminator D tells refined (1) from real (0)
//   L_R = sum over cells of -log(1 - D(R(x)))  +  lambda |psi(R(x)) - psi(x)|_1
//
// D gives a map of 2-class logits [B, 2, h, w], channel 0 real and channel 1 refined; each of the h*w cells has the class
// of its image. Everywhere here a loss is the sum over the cells or values of one image, and a scalar is the mean over
// the batch of such sums. lambda belongs to these sums; lambda_for_means() converts it. Images are [B, C, H, W] in [-1, 1].
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace simulacra::sim2real {

enum class ImageClass : std::int64_t { real = 0, refined = 1 };

/// [B, h, w]: the probability that a cell is refined.
torch::Tensor probability_refined(const torch::Tensor& logits);

/// [B]: cross entropy against the class, summed over an image's cells. Finite for any finite logits. Throws Error when
/// logits are no [B, 2, h, w].
torch::Tensor local_loss(const torch::Tensor& logits, ImageClass image_class);

/// A scalar: mean over the batch of both kinds of images.
torch::Tensor discriminator_loss(const torch::Tensor& logits_of_real, const torch::Tensor& logits_of_refined);

/// psi: what of an image refinement shall keep. Each tensor has the batch in dimension 0.
using FeatureMap = std::function<std::vector<torch::Tensor>(const torch::Tensor& images)>;

/// "identity"; "derivative": differences of neighbours along both axes, no padding; "channel_mean". Throws UsageError for
/// another name. A learned map is any FeatureMap whose weights are frozen.
FeatureMap feature_map(const std::string& name);

/// [B]: sum over an image's features of |psi(refined) - psi(synthetic)|.
torch::Tensor self_regularisation(const torch::Tensor& refined, const torch::Tensor& synthetic, const FeatureMap& psi);

struct RefinerLoss {
  torch::Tensor adversarial;  ///< a scalar: refined images taken for real ones, per image
  torch::Tensor regulariser;  ///< a scalar, without lambda, per image
  torch::Tensor total;        ///< adversarial + lambda * regulariser
};
RefinerLoss refiner_loss(const torch::Tensor& logits_of_refined, const torch::Tensor& refined, const torch::Tensor& synthetic,
                         double lambda, const FeatureMap& psi);

/// The weight of mean |psi(R(x)) - psi(x)| where the adversarial term is the mean over cells: lambda * values / cells. With
/// it the total of means is the total of sums divided by `cells`. values = C * H * W for the identity.
double lambda_for_means(double lambda, std::int64_t values, std::int64_t cells);
/// Its inverse.
double lambda_for_sums(double lambda_of_means, std::int64_t values, std::int64_t cells);

}  // namespace simulacra::sim2real
