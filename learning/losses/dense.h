// SPDX-License-Identifier: Apache-2.0
// Losses of dense predictions.
//
//  - Images are [B, C, H, W], one-channel quantities and masks [B, H, W] or [B, 1, H, W].
//  - A pixel counts where `valid` is true and the target is a value (finite, and what each loss asks besides); an
//    undefined `valid` allows every pixel. Targets elsewhere may be NaN: no NaN reaches the loss or a gradient.
//  - `value` is the mean over the counted pixels of the batch; with none it is 0 with zero gradients. To average over
//    parts of a batch, weight by `num_valid`.
//  - Half precision is widened first: losses are always at least float32.
//  - Throws Error that names both shapes when they do not fit.
#pragma once

#include <cstdint>

#include <torch/torch.h>

namespace simulacra::learning {

struct DenseLoss {
  torch::Tensor value;         ///< a scalar
  std::int64_t num_valid = 0;  ///< counted pixels
};

/// Per image mean(d^2) - lambda * mean(d)^2 with d = log prediction - log target, images weighted by their counted
/// pixels [Eigen, Puhrsch, Fergus 2014, equation 4]: lambda 0 is the squared log error, 1 does not see a global scale.
/// The prediction is the logarithm of a length; the target is the length in meters, counted where it is above 0.
DenseLoss scale_invariant_log_loss(const torch::Tensor& log_prediction, const torch::Tensor& target_m,
                                   const torch::Tensor& valid = {}, double lambda = 0.5);

/// Mean angle in radians between prediction and target [B, 3, H, W], of any length. Computed by atan2(|p x t|, p . t),
/// whose gradient is finite where that of the arc cosine is not. Counted where the target is longer than 1e-6; a
/// prediction shorter than that is taken as at a right angle, with the gradient that turns it to the target.
DenseLoss angular_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid = {});

/// Cross entropy of logits [B, C, H, W] with labels as stored: NYU40 classes 1 … C, -1 where there is none. Class c is
/// logit c - 1. Any other label (and so a stored 0) is an Error that names it.
DenseLoss semantic_loss(const torch::Tensor& logits, const torch::Tensor& labels, const torch::Tensor& valid = {});

/// Mean of |s p - t| over counted pixels and channels, where s = <p, t> / <p, p> per image over its counted pixels, the
/// least-squares scale of [Grosse et al. 2009, "Ground truth dataset and baseline evaluations for intrinsic image
/// algorithms"]. For albedo, whose scale a photograph does not tell.
DenseLoss scale_invariant_l1_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid = {});

/// Mean of |log prediction - log(target + floor)| over counted pixels and channels, the prediction being a logarithm;
/// counted where the target is finite and not negative. For shading, which spans decades: equal ratios weigh the same,
/// as in the logarithmic intrinsic losses since [Narihira, Maire, Yu 2015]. `floor` is in units of the target.
DenseLoss log_l1_loss(const torch::Tensor& log_prediction, const torch::Tensor& target, const torch::Tensor& valid = {},
                      double floor = 1e-3);

/// The first three for a coarse map [B, C, h, w] that is enlarged to the labels' size: as enlarged() before them, at a fraction
/// of the time and memory, since nothing of the size of C images is made (on a CPU in up to float32; else they do just that).
DenseLoss scale_invariant_log_loss_of_coarse(const torch::Tensor& log_prediction, const torch::Tensor& target_m,
                                             const torch::Tensor& valid = {}, double lambda = 0.5);
DenseLoss angular_loss_of_coarse(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid = {});
DenseLoss semantic_loss_of_coarse(const torch::Tensor& logits, const torch::Tensor& labels, const torch::Tensor& valid = {});
/// Bilinear, centres of pixels at half, edges held.
torch::Tensor enlarged(const torch::Tensor& map, std::int64_t height, std::int64_t width);

/// Mean of |prediction - target| over counted pixels and channels.
DenseLoss masked_l1_loss(const torch::Tensor& prediction, const torch::Tensor& target, const torch::Tensor& valid = {});

}  // namespace simulacra::learning
