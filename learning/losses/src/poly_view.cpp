// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/losses/poly_view.h"

#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "learning/losses/poly_view_scores.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

struct Named {
  PolyView objective;
  std::string_view name;
};
constexpr std::array<Named, 6> kObjectives = {{{PolyView::geometric, "geometric"},
                                               {PolyView::arithmetic, "arithmetic"},
                                               {PolyView::suff_stats_view, "suff_stats_view"},
                                               {PolyView::suff_stats_rest, "suff_stats_rest"},
                                               {PolyView::multi_crop, "multi_crop"},
                                               {PolyView::sup_con, "sup_con"}}};

void check_projections(const torch::Tensor& u, double temperature) {
  if (u.dim() != 3) fail("poly-view projections are [{}], expected [samples, views, features]", fmt::join(u.sizes(), ", "));
  if (!u.is_floating_point()) fail("poly-view projections are {}, expected floating point", c10::toString(u.scalar_type()));
  if (u.size(1) < 2) fail("poly-view needs at least 2 views per sample, got {}", u.size(1));
  if (!(temperature > 0)) fail("poly-view temperature is {}, expected more than 0", temperature);
}

/// Unit vectors, at least in float32.
torch::Tensor normalised(const torch::Tensor& u) {
  namespace F = torch::nn::functional;
  const bool half = u.scalar_type() == torch::kBFloat16 || u.scalar_type() == torch::kHalf;
  return F::normalize(half ? u.to(torch::kFloat) : u, F::NormalizeFuncOptions().dim(-1));
}

/// [k, M, K, M] of anchors [k, M, d] and candidates [K, M, d].
torch::Tensor scores_of(const torch::Tensor& anchors, const torch::Tensor& candidates, double temperature) {
  const std::int64_t m = anchors.size(1), d = anchors.size(2);
  const torch::Tensor a = (anchors / temperature).reshape({-1, d});
  return a.matmul(candidates.reshape({-1, d}).t()).view({anchors.size(0), m, candidates.size(0), m});
}

/// Losses [k, M] of the anchors of samples first … first + k - 1 among all z [K, M, d].
torch::Tensor losses_of(const torch::Tensor& z, std::int64_t first, std::int64_t k, const PolyViewOptions& o) {
  if (z.size(0) < 2) fail("poly-view needs at least 2 samples, got {}", z.size(0));
  torch::Tensor anchors = z.narrow(0, first, k), candidates = z;
  if (o.objective == PolyView::suff_stats_view) candidates = rest_means(z, o.renormalise_rest);
  if (o.objective == PolyView::suff_stats_rest) anchors = rest_means(anchors, o.renormalise_rest);
  return anchor_losses(split_scores(scores_of(anchors, candidates, o.temperature), first), o.objective);
}

}  // namespace

PolyView poly_view_from_name(std::string_view name) {
  std::string known;
  for (const Named& n : kObjectives) {
    if (n.name == name) return n.objective;
    known += (known.empty() ? "" : ", ") + std::string(n.name);
  }
  fail_usage("no poly-view objective is called '{}'; there are {}", name, known);
}

std::string_view name_of(PolyView objective) { return kObjectives[static_cast<std::size_t>(objective)].name; }

torch::Tensor poly_view_loss(const torch::Tensor& u, const PolyViewOptions& options) {
  check_projections(u, options.temperature);
  return losses_of(normalised(u), 0, u.size(0), options).mean();
}

torch::Tensor poly_view_loss(const torch::Tensor& local, const PolyViewOptions& options, std::shared_ptr<Collective> peers) {
  check_projections(local, options.temperature);
  const torch::Tensor z = gather_rows(normalised(local), peers);
  const std::int64_t k = local.size(0);
  const torch::Tensor share = losses_of(z, peers->rank() * k, k, options).sum() / static_cast<double>(z.size(0) * z.size(1));
  return sum_over_ranks(share, std::move(peers));
}

torch::Tensor nt_xent_loss(const torch::Tensor& u, double temperature) {
  if (u.dim() != 3 || u.size(1) != 2) fail("NT-Xent projections are [{}], expected [samples, 2, features]", fmt::join(u.sizes(), ", "));
  return poly_view_loss(u, {.objective = PolyView::geometric, .temperature = temperature});
}

torch::Tensor pair_terms(const torch::Tensor& u, double temperature) {
  check_projections(u, temperature);
  const torch::Tensor z = normalised(u);
  return pair_terms_of(split_scores(scores_of(z, z, temperature)));
}

double relative_compute(int views, double epochs, double reference_epochs) { return 0.5 * views * epochs / reference_epochs; }

}  // namespace simulacra::learning
