// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/losses.h"

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

/// [B, h, w]: one logit a cell, positive when refined. A softmax of two channels is the sigmoid of their difference.
torch::Tensor difference_of(const torch::Tensor& logits) {
  if (logits.dim() != 4 || logits.size(1) != 2)
    fail("the discriminator's logits are to be [batch, 2, rows, columns], not of {} dimensions with {} channels",
         logits.dim(),
         logits.dim() > 1 ? logits.size(1) : 0);
  return logits.select(1, 1) - logits.select(1, 0);
}

std::vector<torch::Tensor> neighbour_differences(const torch::Tensor& images) {
  return {images.diff(1, -1), images.diff(1, -2)};
}

double checked_ratio(std::int64_t values, std::int64_t cells) {
  if (values < 1 || cells < 1) fail_usage("lambda needs at least one value and one cell, not {} and {}", values, cells);
  return static_cast<double>(values) / static_cast<double>(cells);
}

}  // namespace

torch::Tensor probability_refined(const torch::Tensor& logits) { return torch::sigmoid(difference_of(logits)); }

torch::Tensor local_loss(const torch::Tensor& logits, ImageClass image_class) {
  const torch::Tensor t = difference_of(logits);
  return -torch::log_sigmoid(image_class == ImageClass::refined ? t : -t).sum({1, 2});
}

torch::Tensor discriminator_loss(const torch::Tensor& logits_of_real, const torch::Tensor& logits_of_refined) {
  return local_loss(logits_of_real, ImageClass::real).mean() + local_loss(logits_of_refined, ImageClass::refined).mean();
}

FeatureMap feature_map(const std::string& name) {
  if (name == "identity") return [](const torch::Tensor& images) { return std::vector{images}; };
  if (name == "derivative") return neighbour_differences;
  if (name == "channel_mean") return [](const torch::Tensor& images) { return std::vector{images.mean(1)}; };
  fail_usage("feature map '{}' is not known: identity, derivative or channel_mean", name);
}

torch::Tensor self_regularisation(const torch::Tensor& refined, const torch::Tensor& synthetic, const FeatureMap& psi) {
  if (refined.sizes() != synthetic.sizes()) fail("the refiner changed the shape of its images");
  const std::vector<torch::Tensor> after = psi(refined), before = psi(synthetic);
  torch::Tensor sum = torch::zeros({refined.size(0)}, refined.options());
  for (std::size_t k = 0; k < after.size(); ++k) sum = sum + (after[k] - before[k]).abs().flatten(1).sum(1);
  return sum;
}

RefinerLoss refiner_loss(const torch::Tensor& logits_of_refined,
                         const torch::Tensor& refined,
                         const torch::Tensor& synthetic,
                         double lambda,
                         const FeatureMap& psi) {
  const torch::Tensor adversarial = local_loss(logits_of_refined, ImageClass::real).mean();
  const torch::Tensor regulariser = self_regularisation(refined, synthetic, psi).mean();
  return {adversarial, regulariser, adversarial + lambda * regulariser};
}

double lambda_for_means(double lambda, std::int64_t values, std::int64_t cells) { return lambda * checked_ratio(values, cells); }

double lambda_for_sums(double lambda_of_means, std::int64_t values, std::int64_t cells) {
  return lambda_of_means / checked_ratio(values, cells);
}

}  // namespace simulacra::sim2real
