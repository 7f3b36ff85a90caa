// SPDX-License-Identifier: Apache-2.0
// Poly-view losses of any critic: what poly_view.h computes once the scores are there.
//
// Scores are [k, M, K, M], already divided by the temperature: scores[i, a, j, c] compares anchor (first + i, a) with
// candidate (j, c). k = K and first = 0 but for one process's share of the anchors.
// Every function gives one value per anchor, [k, M]; the mean over all anchors is the loss.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "learning/losses/poly_view.h"

namespace simulacra::learning {

/// What the losses need of a score matrix.
struct Scores {
  torch::Tensor positives;      ///< [k, M, M]: scores within the anchor's own sample
  torch::Tensor log_negatives;  ///< [k, M, M]: log of the sum over other samples j of exp scores[i, a, j, c], per view c
};

/// Takes the scores over: they are changed in place. Throws Error when they are no [k, M, K, M] with K, M >= 2.
Scores split_scores(torch::Tensor scores, std::int64_t first = 0);

/// e_iab [k, M, M] with a zero diagonal.
torch::Tensor pair_terms_of(const Scores& s);

torch::Tensor geometric_of(const torch::Tensor& pair_terms);
torch::Tensor arithmetic_of(const torch::Tensor& pair_terms);
torch::Tensor multi_crop_of(const Scores& s);
torch::Tensor sup_con_of(const Scores& s);
/// For scores of views against means of the other views: the positive of anchor (i, a) is scores[i, a, i, a].
torch::Tensor suff_stats_of(const Scores& s);

/// The objective of scores between views, or for the sufficient statistics between views and means.
torch::Tensor anchor_losses(const Scores& s, PolyView objective);

/// zbar_{i,-a} = mean over b != a of z_ib, [K, M, d]; of length 1 when `renormalise`.
torch::Tensor rest_means(const torch::Tensor& z, bool renormalise = false);

}  // namespace simulacra::learning
