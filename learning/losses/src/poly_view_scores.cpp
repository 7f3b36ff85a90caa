// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/losses/poly_view_scores.h"

#include <cmath>
#include <limits>

#include <fmt/ranges.h>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// log(1 + exp x) without cancellation or overflow.
torch::Tensor log1p_exp(const torch::Tensor& x) { return -torch::log_sigmoid(-x); }

torch::Tensor diagonal_mask(const torch::Tensor& like) {
  return torch::eye(like.size(-1), like.options().dtype(torch::kBool));
}

/// Mean over b != a of x [k, M, M].
torch::Tensor mean_of_others(const torch::Tensor& x) {
  return x.masked_fill(diagonal_mask(x), 0).sum(-1) / static_cast<double>(x.size(-1) - 1);
}

/// log of the sum over b != a of exp x [k, M, M].
torch::Tensor logsumexp_of_others(const torch::Tensor& x) { return x.masked_fill(diagonal_mask(x), -kInfinity).logsumexp(-1); }

}  // namespace

Scores split_scores(torch::Tensor scores, std::int64_t first) {
  const auto shape = scores.sizes();
  if (shape.size() != 4 || shape[1] != shape[3] || first < 0 || first + shape[0] > shape[2])
    fail("poly-view scores are [{}], expected [k, M, K, M] with k anchors from {} on among K samples", fmt::join(shape, ", "), first);
  if (shape[1] < 2 || shape[2] < 2)
    fail("poly-view needs at least 2 samples and 2 views, got {} samples and {} views", shape[2], shape[1]);
  // The block of an anchor's own sample: the positives, and no negatives.
  torch::Tensor own = scores.diagonal(first, 0, 2);  // [M, M, k]
  Scores s;
  s.positives = own.permute({2, 0, 1}).clone();
  own.fill_(-kInfinity);
  s.log_negatives = scores.logsumexp(2);
  return s;
}

torch::Tensor pair_terms_of(const Scores& s) {
  const torch::Tensor all_negatives = s.log_negatives.logsumexp(-1, /*keepdim=*/true);
  return log1p_exp(all_negatives - s.positives).masked_fill(diagonal_mask(s.positives), 0);
}

torch::Tensor geometric_of(const torch::Tensor& pair_terms) { return mean_of_others(pair_terms); }

torch::Tensor arithmetic_of(const torch::Tensor& pair_terms) {
  return std::log(static_cast<double>(pair_terms.size(-1) - 1)) - logsumexp_of_others(-pair_terms);
}

torch::Tensor multi_crop_of(const Scores& s) {
  // For anchor (i, a) and positive view b: the negatives of view a and of view b of the other samples.
  const torch::Tensor own_view = s.log_negatives.diagonal(0, 1, 2).unsqueeze(-1);
  return mean_of_others(log1p_exp(torch::logaddexp(own_view, s.log_negatives) - s.positives));
}

torch::Tensor sup_con_of(const Scores& s) {
  const torch::Tensor candidates = torch::logaddexp(s.log_negatives.logsumexp(-1), logsumexp_of_others(s.positives));
  return candidates - mean_of_others(s.positives);
}

torch::Tensor suff_stats_of(const Scores& s) {
  return log1p_exp(s.log_negatives.logsumexp(-1) - s.positives.diagonal(0, 1, 2));
}

torch::Tensor anchor_losses(const Scores& s, PolyView objective) {
  switch (objective) {
    case PolyView::geometric: return geometric_of(pair_terms_of(s));
    case PolyView::arithmetic: return arithmetic_of(pair_terms_of(s));
    case PolyView::suff_stats_view:
    case PolyView::suff_stats_rest: return suff_stats_of(s);
    case PolyView::multi_crop: return multi_crop_of(s);
    case PolyView::sup_con: return sup_con_of(s);
  }
  SIM_CHECK(false);
  return {};
}

torch::Tensor rest_means(const torch::Tensor& z, bool renormalise) {
  const torch::Tensor rest = (z.sum(1, /*keepdim=*/true) - z) / static_cast<double>(z.size(1) - 1);
  namespace F = torch::nn::functional;
  return renormalise ? F::normalize(rest, F::NormalizeFuncOptions().dim(-1)) : rest;
}

}  // namespace simulacra::learning
