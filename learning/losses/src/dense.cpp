// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/losses/dense.h"

#include <algorithm>
#include <numbers>

#include <fmt/ranges.h>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

constexpr double kShort = 1e-6;

torch::Tensor widened(const torch::Tensor& x) {
  return x.scalar_type() == torch::kBFloat16 || x.scalar_type() == torch::kHalf ? x.to(torch::kFloat) : x;
}

/// [B, H, W] or [B, 1, H, W] as [B, 1, H, W].
torch::Tensor with_channel(const torch::Tensor& x) { return x.dim() == 3 ? x.unsqueeze(1) : x; }

/// Prediction, target and mask in one layout: [B, C, H, W], and [B, 1, H, W].
struct Maps {
  torch::Tensor prediction, target, valid;
};

torch::Tensor checked_mask(const char* loss, const torch::Tensor& valid, at::IntArrayRef shape) {
  const torch::Tensor mask = with_channel(valid);
  if (valid.scalar_type() != torch::kBool || mask.sizes() != shape)
    fail("{}: mask is {} [{}], expected Bool [{}]", loss, c10::toString(valid.scalar_type()), fmt::join(valid.sizes(), ", "),
         fmt::join(shape, ", "));
  return mask;
}

Maps maps_of(const char* loss, const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid) {
  if (prediction.dim() < 3 || prediction.dim() > 4 || prediction.sizes() != target.sizes())
    fail("{}: prediction is [{}], target [{}]; expected the same [batch, channels, height, width]", loss,
         fmt::join(prediction.sizes(), ", "), fmt::join(target.sizes(), ", "));
  if (!prediction.is_floating_point()) fail("{}: prediction is {}, expected floating point", loss, c10::toString(prediction.scalar_type()));
  Maps m{widened(with_channel(prediction)), with_channel(target), {}};
  m.target = m.target.to(m.prediction.scalar_type());
  m.valid = m.target.isfinite().all(1, /*keepdim=*/true);
  if (!valid.defined()) return m;
  m.valid = m.valid.logical_and(checked_mask(loss, valid, m.valid.sizes()));
  return m;
}

/// Mean of x [B, C, H, W] over channels and counted pixels.
DenseLoss mean_over(const torch::Tensor& x, const torch::Tensor& valid) {
  const std::int64_t n = valid.sum().item<std::int64_t>();
  const torch::Tensor sum = x.masked_fill(valid.logical_not(), 0).sum();
  return {sum / static_cast<double>(std::max<std::int64_t>(n, 1) * x.size(1)), n};
}

/// x where the pixel counts, elsewhere a harmless value that passes no gradient on.
torch::Tensor only(const torch::Tensor& x, const torch::Tensor& valid, double elsewhere = 0) {
  return x.masked_fill(valid.logical_not(), elsewhere);
}

}  // namespace

DenseLoss scale_invariant_log_loss(const torch::Tensor& log_prediction, const torch::Tensor& target_m, const torch::Tensor& valid,
                                   double lambda) {
  Maps m = maps_of("depth loss", log_prediction, target_m, valid);
  m.valid = m.valid.logical_and((m.target > 0).all(1, true));
  const torch::Tensor d = only(m.prediction, m.valid) - only(m.target, m.valid, 1).log();
  const torch::Tensor n = m.valid.flatten(1).sum(1).to(d.scalar_type());  // pixels per image
  const torch::Tensor sum = d.flatten(1).sum(1), squares = d.square().flatten(1).sum(1);
  const torch::Tensor weighted = squares - lambda * sum.square() / n.clamp_min(1);
  const std::int64_t total = m.valid.sum().item<std::int64_t>();
  return {weighted.sum() / static_cast<double>(std::max<std::int64_t>(total, 1)), total};
}

DenseLoss angular_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid) {
  if (prediction.dim() != 4 || prediction.size(1) != 3)
    fail("normal loss: prediction is [{}], expected [batch, 3, height, width]", fmt::join(prediction.sizes(), ", "));
  Maps m = maps_of("normal loss", prediction, target, valid);
  const torch::Tensor length = m.target.norm(2, 1, true);
  m.valid = m.valid.logical_and(length > kShort);
  const torch::Tensor unit = only(m.target, m.valid) / only(length, m.valid, 1);
  const torch::Tensor dot = (m.prediction * unit).sum(1, true);
  const torch::Tensor has_direction = (m.prediction.norm(2, 1, true) > kShort).logical_and(m.valid);
  // A stand-in for what has no direction, so that the branch not taken has a gradient without NaN.
  const torch::Tensor sine = torch::cross(only(m.prediction, has_direction, 1), unit, 1).norm(2, 1, true);
  const torch::Tensor angle = torch::atan2(sine, only(dot, has_direction, 1));
  return mean_over(torch::where(has_direction, angle, std::numbers::pi / 2 - dot), m.valid);
}

DenseLoss semantic_loss(const torch::Tensor& logits, const torch::Tensor& labels, const torch::Tensor& valid) {
  if (logits.dim() != 4) fail("semantic loss: logits are [{}], expected [batch, classes, height, width]", fmt::join(logits.sizes(), ", "));
  const torch::Tensor stored = labels.dim() == 4 ? labels.squeeze(1) : labels;
  if (c10::isFloatingType(labels.scalar_type()) || stored.dim() != 3 || stored.size(0) != logits.size(0) ||
      stored.size(1) != logits.size(2) || stored.size(2) != logits.size(3))
    fail("semantic loss: labels are {} [{}] for logits [{}], expected integers [batch, height, width]",
         c10::toString(labels.scalar_type()), fmt::join(labels.sizes(), ", "), fmt::join(logits.sizes(), ", "));
  torch::Tensor classes = stored.to(torch::kLong);
  const torch::Tensor foreign = (classes < -1).logical_or(classes == 0).logical_or(classes > logits.size(1));
  if (foreign.any().item<bool>())
    fail("semantic loss: label {}, expected -1 or 1 to {}", classes.masked_select(foreign)[0].item<std::int64_t>(), logits.size(1));
  torch::Tensor counted = classes > 0;
  if (valid.defined()) counted = counted.logical_and(checked_mask("semantic loss", valid, counted.unsqueeze(1).sizes()).squeeze(1));
  classes = (classes - 1).masked_fill(counted.logical_not(), -1);
  namespace F = torch::nn::functional;
  const auto options = F::CrossEntropyFuncOptions().ignore_index(-1).reduction(torch::kSum);
  const std::int64_t n = counted.sum().item<std::int64_t>();
  return {F::cross_entropy(widened(logits), classes, options) / static_cast<double>(std::max<std::int64_t>(n, 1)), n};
}

DenseLoss scale_invariant_l1_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid) {
  const Maps m = maps_of("albedo loss", prediction, target, valid);
  const torch::Tensor p = only(m.prediction, m.valid), t = only(m.target, m.valid);
  const torch::Tensor product = (p * t).flatten(1).sum(1), square = p.square().flatten(1).sum(1);
  const torch::Tensor scale = (product / square.clamp_min(1e-12)).view({-1, 1, 1, 1});
  return mean_over((scale * p - t).abs(), m.valid);
}

DenseLoss log_l1_loss(const torch::Tensor& log_prediction, const torch::Tensor& target, const torch::Tensor& valid, double floor) {
  Maps m = maps_of("shading loss", log_prediction, target, valid);
  m.valid = m.valid.logical_and((m.target >= 0).all(1, true));
  return mean_over((only(m.prediction, m.valid) - (only(m.target, m.valid) + floor).log()).abs(), m.valid);
}

DenseLoss masked_l1_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid) {
  const Maps m = maps_of("L1 loss", prediction, target, valid);
  return mean_over((only(m.prediction, m.valid) - only(m.target, m.valid)).abs(), m.valid);
}

}  // namespace simulacra::learning
