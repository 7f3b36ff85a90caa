// SPDX-License-Identifier: Apache-2.0
// The game of refiner and discriminator: both are warmed up alone, then take turns.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "sim2real/refine/history.h"
#include "sim2real/refine/losses.h"
#include "sim2real/refine/networks.h"

namespace simulacra::sim2real {

struct TrainingOptions {
  double lambda = 0.5;  ///< of per-image sums: see losses.h
  FeatureMap psi = feature_map("identity");
  std::int64_t batch = 32;                 ///< even
  std::int64_t refiner_warmup = 1000;      ///< steps with the regulariser alone
  std::int64_t discriminator_warmup = 200;
  std::int64_t rounds = 10000;
  std::int64_t refiner_steps = 1;  ///< K_g of a round: above 2 the refiner runs away from a discriminator without batch norm
  std::int64_t discriminator_steps = 1;  ///< K_d of a round
  std::int64_t history = 1024;           ///< images; 0: the discriminator sees fresh ones only
  std::uint64_t seed = 1;                ///< of the history's draws
};

/// Throws UsageError for options out of range.
void check(const TrainingOptions& options);

/// Who plays, and what moves their weights. The optimisers hold exactly the parameters of their player.
struct Players {
  Refiner refiner{nullptr};
  Discriminator discriminator{nullptr};
  std::unique_ptr<torch::optim::Optimizer> refiner_optimiser, discriminator_optimiser;
};
/// New players on Adam (beta1 0.5, beta2 0.999).
Players make_players(const RefinerOptions& refiner, const DiscriminatorOptions& discriminator, double learning_rate, std::uint64_t seed);

/// A step on the regulariser alone. Returns its loss before the step.
double warm_refiner(Players& players, const torch::Tensor& synthetic, const FeatureMap& psi);

/// Losses are of the images before the step. Neither weights nor gradients of the discriminator change.
struct RefinerStep {
  double adversarial = 0, regulariser = 0;
};
RefinerStep step_refiner(Players& players, const torch::Tensor& synthetic, double lambda, const FeatureMap& psi);

/// The loss before the step. Neither weights nor gradients of the refiner change. With a history, its fakes are half of
/// the refined images, and half of the fresh ones are kept; `draws` names the slots.
double step_discriminator(Players& players, const torch::Tensor& synthetic, const torch::Tensor& real);
double step_discriminator(Players& players, const torch::Tensor& synthetic, const torch::Tensor& real, History& history,
                          const HistoryDraws& draws);

/// The next mini-batch of so many images, [batch, C, H, W] in [-1, 1].
using Batches = std::function<torch::Tensor(std::int64_t batch)>;

/// What a step did; NaN where nothing was.
struct Round {
  std::int64_t index = 0;  ///< from 0; negative in the warm-up
  /// Of the round's last step each.
  double adversarial = 0, regulariser = 0, discriminator_loss = 0;
};

/// Both warm-ups and the rounds.
std::int64_t step_count(const TrainingOptions& options);
/// Step `step`, from 0: of the refiner's warm-up, then of the discriminator's, then a round. For trainings that are left and
/// taken up again: players, history and batches are all that a step depends on. A discriminator's step asks for real images
/// before synthetic ones; the history takes part in rounds only, and nullptr is none. Throws Error
/// when a loss is not finite.
Round play_step(Players& players, History* history, const Batches& synthetic, const Batches& real, const TrainingOptions& options,
                std::int64_t step);

/// Returns whether to go on.
using OnRound = std::function<bool(const Round&)>;

/// All steps; on_round() hears of rounds only. Returns the number of rounds played. Throws Error as play_step(), UsageError
/// for options out of range.
std::int64_t train(Players& players, const Batches& synthetic, const Batches& real, const TrainingOptions& options,
                   const OnRound& on_round);

}  // namespace simulacra::sim2real
