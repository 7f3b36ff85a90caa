// SPDX-License-Identifier: Apache-2.0
// Training distributions adapted online (Grangier, Ablin, Hannun 2023): a cheap network scores the items of a large generic batch,
// the model trains on those drawn by their scores, and the scores learn from how the items' gradients u_i lie to the gradient g of
// the specialist loss. w = softmax(scores) over the batch. All gradients below are in the scores; each sums to 0 over the batch.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::reweight {

/// SOBA: of sum_i w_i <u_i, v>, where v follows -H^-1 g (auxiliary_direction()). Row i of `gradients` is u_i. To be descended.
std::vector<double> soba_scores_gradient(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> v);

/// DDS: of the specialist loss after the step theta - eta sum_i w_i u_i. `specialist_gradient` is asked there. To be descended.
std::vector<double> look_ahead_scores_gradient(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> theta, double eta,
                                               const std::function<std::vector<double>(std::span<const double>)>& specialist_gradient);

struct Alignment {
  double value = 0;                      ///< <gbar, g> / |gbar| with gbar = sum_i w_i u_i
  std::vector<double> gradient_w;        ///< in w; w . gradient_w = 0, since the scale of w does not matter
  std::vector<double> gradient_scores;   ///< to be ascended
};
/// Anograd: the normalised alignment. Throws Error when gbar is 0.
Alignment normalised_alignment(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> g);

/// Items drawn one after another without replacement with probability proportional to exp(log_w): the `count` largest of
/// log_w_i + Gumbel_i with Gumbel = -log(-log(u + 2^-25)), largest first. `uniforms` are in [0, 1 - 2^-24].
std::vector<std::size_t> draw_without_replacement(std::span<const double> log_w, std::span<const double> uniforms, std::size_t count);

/// The `count` largest scores, largest first; of equal ones the first.
std::vector<std::size_t> largest(std::span<const double> scores, std::size_t count);

/// Contrastive data selection (Moore and Lewis 2010): loss after some steps on specialist data minus loss before; the lowest are
/// taken. To first order in the step eta it is -eta <u_i, g>.
std::vector<double> contrastive_scores(std::span<const double> loss_before, std::span<const double> loss_after);

/// A linear domain classifier, specialist against generic rows, each side weighted 1/2.
struct DomainLoss {
  double value = 0;
  std::vector<double> gradient;
};
DomainLoss domain_loss(const dense::Matrix& specialist, const dense::Matrix& generic, std::span<const double> a);

/// Whether selection can help: cosines with a specialist gradient from data that was held out.
struct AlignmentTest {
  double training = 0;    ///< a: of the gradient on the specialist training data
  double selected = 0;    ///< b: of the mean gradient of the selected generic items
  double uniform = 0;     ///< c: of the mean gradient of all generic items
};
/// After long fine-tuning b is near 1 where the generic data hold the specialist's function, and well below elsewhere; the sign of
/// b - a tells nothing.
AlignmentTest alignment_test(const dense::Matrix& generic_gradients, std::span<const std::size_t> selected, std::span<const double> training,
                             std::span<const double> held_out);

}  // namespace simulacra::reweight
