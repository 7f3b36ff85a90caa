// SPDX-License-Identifier: Apache-2.0
// Contrastive losses over K samples with M views each (Shidani et al., "Poly-view contrastive learning", ICLR 2024).
//
//  - Layout is sample-major: u[i, a] is the projection of view a of sample i, [K, M, d], not normalised.
//    z = u / |u|, and s(i,a; j,c) = z_ia . z_jc / temperature.
//  - e_iab = -log [ exp s(i,a;i,b) / (exp s(i,a;i,b) + sum over j != i, all c, of exp s(i,a;j,c)) ], a != b: one positive
//    and every view of the other samples. The anchor itself and the other positives of its sample are not counted.
//  - All losses are means over the K*M anchors (i, a), and need K >= 2 and M >= 2.
//  - Projections in half precision are widened first: losses are always at least float32.
//  - One [K*M, K*M] score matrix is made, whatever the number of views; nothing is of size M * (K*M)^2.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <torch/torch.h>

#include "learning/losses/collective.h"

namespace simulacra::learning {

enum class PolyView : std::uint8_t {
  geometric,        ///< mean over b of e_iab
  arithmetic,       ///< -log of the mean over b of exp(-e_iab): at most the geometric loss
  suff_stats_view,  ///< anchor z_ia against the mean of the sample's other views; negatives are other samples' such means
  suff_stats_rest,  ///< anchor is the mean of the sample's other views, candidates are single views
  multi_crop,       ///< mean of the two-view loss over pairs of views, each with denominators of those two views only
  sup_con           ///< e with all other positives kept in the denominator (Khosla et al. 2020): at least the geometric loss
};

/// "geometric" …; the name in configurations. Throws UsageError that lists the names.
PolyView poly_view_from_name(std::string_view name);
std::string_view name_of(PolyView objective);

struct PolyViewOptions {
  PolyView objective = PolyView::geometric;
  double temperature = 0.1;
  bool renormalise_rest = false;  ///< scales the mean of the other views to length 1 (sufficient statistics only)
};

/// The loss of u [K, M, d], a scalar. Throws Error on another rank, K < 2, M < 2, integers, temperature <= 0.
torch::Tensor poly_view_loss(const torch::Tensor& u, const PolyViewOptions& options = {});

/// The same loss when each process holds the projections `local` [k, M, d] of k samples, equally many on each, all
/// samples in rank order. The value is that of all K = k * size samples, equal on every rank; backward gives in `local`
/// its exact derivative. So gradients of weights are to be *summed* over ranks. Every rank calls this, then backward, in
/// the same order: one all_gather and one all_reduce_sum forward, one all_reduce_sum backward.
torch::Tensor poly_view_loss(const torch::Tensor& local, const PolyViewOptions& options, std::shared_ptr<Collective> peers);

/// The two-view loss of SimCLR, u [K, 2, d]: what every objective above is for M = 2.
torch::Tensor nt_xent_loss(const torch::Tensor& u, double temperature = 0.1);

/// e_iab [K, M, M] with a zero diagonal.
torch::Tensor pair_terms(const torch::Tensor& u, double temperature);

/// Encoder evaluations relative to two views for `reference_epochs`, the samples per epoch being the same: does not
/// depend on K.
double relative_compute(int views, double epochs, double reference_epochs = 128);

}  // namespace simulacra::learning
