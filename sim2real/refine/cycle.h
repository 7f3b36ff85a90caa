// SPDX-License-Identifier: Apache-2.0
// Baseline: two refiners, synthetic to real (G) and back (F), each with a discriminator of its own [Zhu et al. 2017].
//
//   L = adversarial(G) + adversarial(F) + cycle (|F(G(x)) - x| + |G(F(y)) - y|) + identity (|G(y) - y| + |F(x) - x|)
//
// All terms are means: adversarial ones over cells, distances over values. The adversarial terms are those of losses.h.
#pragma once

#include <torch/torch.h>

#include "sim2real/refine/history.h"
#include "sim2real/refine/training.h"

namespace simulacra::sim2real {

struct CycleWeights {
  double cycle = 10, identity = 5;
};

/// to_real.discriminator tells G's images from real ones, to_synthetic.discriminator F's from synthetic ones.
struct CyclePlayers {
  Players to_real, to_synthetic;
};

/// Losses before the step, without their weights: sums of both directions.
struct CycleStep {
  double adversarial = 0, cycle = 0, identity = 0;
};
/// One step of both refiners. Neither weights nor gradients of the discriminators change. Throws Error when a loss is not finite.
CycleStep step_refiners(CyclePlayers& players, const torch::Tensor& synthetic, const torch::Tensor& real, const CycleWeights& weights);

/// One step of both discriminators; returns the sum of their losses a cell before it. A history of nullptr is none.
double step_discriminators(CyclePlayers& players, const torch::Tensor& synthetic, const torch::Tensor& real, History* of_real, History* of_synthetic);

}  // namespace simulacra::sim2real
