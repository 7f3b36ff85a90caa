// SPDX-License-Identifier: Apache-2.0
// What contrastive losses say about information, in nats: estimators for any critic, and a Gaussian test bed where the
// truth is known.
//
// The published bound is I(x_a; all other views) >= log(K*M - M + 1) - loss. It counts the M views of another sample as
// independent, so at small K the estimate can exceed the truth. The strict estimators compare with matching views only
// (K candidates, constant log K): those are bounds.
#pragma once

#include <torch/torch.h>

namespace simulacra::learning {

/// log(K*M - M + 1).
double bound_constant(int samples, int views);

/// Means over anchors.
struct InformationEstimates {
  double multi_crop = 0;        ///< log(2K - 1) - loss
  double geometric = 0;         ///< these four: log(K*M - M + 1) - loss
  double arithmetic = 0;
  double suff_stats_view = 0;
  double suff_stats_rest = 0;
  double strict_geometric = 0;  ///< these two: log K - loss over matching views
  double strict_suff_stats = 0;
};

/// From scores [K, M, K, M] of views against views, and of views against the mean of a sample's other views
/// (rest_scores[i, a, j, c] compares view (i, a) with the mean of sample j without view c).
InformationEstimates estimate_information(const torch::Tensor& pair_scores, const torch::Tensor& rest_scores);

/// x_ia = c_i + n_ia with c ~ N(0, signal_var), n ~ N(0, noise_var).
struct GaussianViews {
  double signal_var = 1;
  double noise_var = 1;
  int views = 2;
};

double pair_information(const GaussianViews& g);         ///< I(x_a; x_b)
double one_vs_rest_information(const GaussianViews& g);  ///< I(x_a; all other views)
double limit_information(const GaussianViews& g);        ///< I(x_a; c): infinitely many views

/// The best critics, log p(x, y) / (p(x) p(y)), for x [K, M]: of two views; of a view and the mean of other views.
torch::Tensor pair_critic(const torch::Tensor& x, const GaussianViews& g);
torch::Tensor rest_critic(const torch::Tensor& x, const GaussianViews& g);

}  // namespace simulacra::learning
