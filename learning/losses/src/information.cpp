// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/losses/information.h"

#include <cmath>

#include "learning/losses/poly_view_scores.h"

namespace simulacra::learning {
namespace {

/// At least float32.
torch::Tensor widened(const torch::Tensor& x) {
  return x.scalar_type() == torch::kBFloat16 || x.scalar_type() == torch::kHalf ? x.to(torch::kFloat) : x;
}

double mean_of(const torch::Tensor& losses) { return losses.mean().item<double>(); }

/// Mean over anchors (i, a) and b != a of -log softmax over j of scores[i, a, j, b] at j = i.
double strict_geometric_loss(const Scores& s) {
  const torch::Tensor terms = torch::logaddexp(s.log_negatives, s.positives) - s.positives;  // [K, M, M]
  return mean_of(geometric_of(terms));
}

double strict_suff_stats_loss(const Scores& s) {
  const torch::Tensor positive = s.positives.diagonal(0, 1, 2), negatives = s.log_negatives.diagonal(0, 1, 2);
  return mean_of(torch::logaddexp(negatives, positive) - positive);
}

/// log p(x, y) / (p(x) p(y)) of two zero-mean normal variables, for all pairs of x [K, M] and y [K, M].
torch::Tensor log_density_ratio(const torch::Tensor& x, const torch::Tensor& y, double var_x, double var_y, double covariance) {
  const double det = var_x * var_y - covariance * covariance;
  const torch::Tensor xs = x.unsqueeze(-1).unsqueeze(-1), ys = y.unsqueeze(0).unsqueeze(0);
  const double x_weight = 0.5 * (1 / var_x - var_y / det), y_weight = 0.5 * (1 / var_y - var_x / det);
  return 0.5 * std::log(var_x * var_y / det) + x_weight * xs * xs + y_weight * ys * ys + covariance / det * xs * ys;
}

}  // namespace

double bound_constant(int samples, int views) { return std::log(static_cast<double>(samples) * views - views + 1); }

InformationEstimates estimate_information(const torch::Tensor& pair_scores, const torch::Tensor& rest_scores) {
  const torch::NoGradGuard no_grad;
  const Scores pair = split_scores(pair_scores.clone()), view = split_scores(rest_scores.clone());
  const Scores rest = split_scores(rest_scores.permute({2, 3, 0, 1}).clone());
  const int samples = static_cast<int>(pair_scores.size(0)), views = static_cast<int>(pair_scores.size(1));
  const double published = bound_constant(samples, views), strict = std::log(static_cast<double>(samples));
  const torch::Tensor terms = pair_terms_of(pair);
  return {.multi_crop = bound_constant(samples, 2) - mean_of(multi_crop_of(pair)),
          .geometric = published - mean_of(geometric_of(terms)),
          .arithmetic = published - mean_of(arithmetic_of(terms)),
          .suff_stats_view = published - mean_of(suff_stats_of(view)),
          .suff_stats_rest = published - mean_of(suff_stats_of(rest)),
          .strict_geometric = strict - strict_geometric_loss(pair),
          .strict_suff_stats = strict - strict_suff_stats_loss(view)};
}

double pair_information(const GaussianViews& g) {
  const double r = g.signal_var / (g.signal_var + g.noise_var);
  return -0.5 * std::log1p(-r * r);
}

double one_vs_rest_information(const GaussianViews& g) {
  return limit_information(g) + 0.5 * std::log1p(-g.signal_var / (g.views * g.signal_var + g.noise_var));
}

double limit_information(const GaussianViews& g) { return 0.5 * std::log1p(g.signal_var / g.noise_var); }

torch::Tensor pair_critic(const torch::Tensor& x, const GaussianViews& g) {
  const double var = g.signal_var + g.noise_var;
  const torch::Tensor wide = widened(x);
  return log_density_ratio(wide, wide, var, var, g.signal_var);
}

torch::Tensor rest_critic(const torch::Tensor& x, const GaussianViews& g) {
  const torch::Tensor wide = widened(x), rest = rest_means(wide.unsqueeze(-1)).squeeze(-1);
  return log_density_ratio(wide, rest, g.signal_var + g.noise_var, g.signal_var + g.noise_var / (g.views - 1), g.signal_var);
}

}  // namespace simulacra::learning
