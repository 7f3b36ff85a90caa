// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/training.h"

#include <cmath>
#include <limits>
#include <optional>

#include "render/base/error.h"
#include "sim2real/refine/src/frozen.h"

namespace simulacra::sim2real {
namespace {

void descend(torch::optim::Optimizer& optimiser, const torch::Tensor& loss) {
  optimiser.zero_grad();
  loss.backward();
  optimiser.step();
}

torch::Tensor refined_without_graph(Players& players, const torch::Tensor& synthetic) {
  const torch::NoGradGuard no_grad;
  return players.refiner->forward(synthetic);
}

double descend_discriminator(Players& players, const torch::Tensor& real, const torch::Tensor& fakes) {
  Discriminator& d = players.discriminator;
  const torch::Tensor loss = discriminator_loss(d->forward(real), d->forward(fakes));
  descend(*players.discriminator_optimiser, loss);
  return loss.item<double>();
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double finite(double loss, std::int64_t step) {
  if (!std::isfinite(loss)) fail("the refiner's training diverged in step {}: a loss is {}", step, loss);
  return loss;
}

}  // namespace

void check(const TrainingOptions& o) {
  if (!(o.lambda >= 0) || !std::isfinite(o.lambda)) fail_usage("lambda is to be at least 0, not {}", o.lambda);
  if (o.batch < 1 || o.refiner_steps < 1 || o.discriminator_steps < 1)
    fail_usage("batch ({}), refiner steps ({}) and discriminator steps ({}) are to be at least 1", o.batch, o.refiner_steps, o.discriminator_steps);
  if (o.refiner_warmup < 0 || o.discriminator_warmup < 0 || o.rounds < 0 || o.history < 0)
    fail_usage("steps of the warm-up, rounds and history cannot be negative");
}

Players make_players(const RefinerOptions& refiner, const DiscriminatorOptions& discriminator, double learning_rate, std::uint64_t seed) {
  Players p;
  p.refiner = Refiner(refiner);
  p.discriminator = Discriminator(discriminator);
  initialise_weights(*p.refiner, seed);
  initialise_weights(*p.discriminator, seed + 1);
  const auto adam = torch::optim::AdamOptions(learning_rate).betas({0.5, 0.999});
  p.refiner_optimiser = std::make_unique<torch::optim::Adam>(p.refiner->parameters(), adam);
  p.discriminator_optimiser = std::make_unique<torch::optim::Adam>(p.discriminator->parameters(), adam);
  return p;
}

double warm_refiner(Players& players, const torch::Tensor& synthetic, const FeatureMap& psi) {
  const torch::Tensor loss = self_regularisation(players.refiner->forward(synthetic), synthetic, psi).mean();
  descend(*players.refiner_optimiser, loss);
  return loss.item<double>();
}

RefinerStep step_refiner(Players& players, const torch::Tensor& synthetic, double lambda, const FeatureMap& psi) {
  const Frozen frozen(*players.discriminator);
  const torch::Tensor refined = players.refiner->forward(synthetic);
  const RefinerLoss loss = refiner_loss(players.discriminator->forward(refined), refined, synthetic, lambda, psi);
  descend(*players.refiner_optimiser, loss.total);
  return {loss.adversarial.item<double>(), loss.regulariser.item<double>()};
}

double step_discriminator(Players& players, const torch::Tensor& synthetic, const torch::Tensor& real) {
  return descend_discriminator(players, real, refined_without_graph(players, synthetic));
}

double step_discriminator(Players& players,
                          const torch::Tensor& synthetic,
                          const torch::Tensor& real,
                          History& history,
                          const HistoryDraws& draws) {
  const torch::Tensor fresh = refined_without_graph(players, synthetic);
  const double loss = descend_discriminator(players, real, history.fakes(fresh, draws.read));
  history.keep(fresh, draws.write);
  return loss;
}

std::int64_t step_count(const TrainingOptions& o) { return o.refiner_warmup + o.discriminator_warmup + o.rounds; }

Round play_step(Players& players, History* history, const Batches& synthetic, const Batches& real, const TrainingOptions& o, std::int64_t step) {
  Round round{step - o.refiner_warmup - o.discriminator_warmup, kNone, kNone, kNone};
  const auto teach_discriminator = [&](bool with_history) {
    const torch::Tensor y = real(o.batch), x = synthetic(o.batch);
    const double loss = history && with_history ? step_discriminator(players, x, y, *history, history->draw()) : step_discriminator(players, x, y);
    round.discriminator_loss = finite(loss, step);
  };
  // 1. The refiner learns to change nothing.
  if (step < o.refiner_warmup) {
    round.regulariser = finite(warm_refiner(players, synthetic(o.batch), o.psi), step);
    return round;
  }
  // 2. The discriminator learns to tell its images from real ones. The history is for what a refiner has done.
  if (round.index < 0) {
    teach_discriminator(false);
    return round;
  }
  // 3. They take turns.
  for (std::int64_t s = 0; s < o.refiner_steps; ++s) {
    const RefinerStep losses = step_refiner(players, synthetic(o.batch), o.lambda, o.psi);
    round.adversarial = finite(losses.adversarial, step);
    round.regulariser = finite(losses.regulariser, step);
  }
  for (std::int64_t s = 0; s < o.discriminator_steps; ++s) teach_discriminator(true);
  return round;
}

std::int64_t train(Players& players, const Batches& synthetic, const Batches& real, const TrainingOptions& options, const OnRound& on_round) {
  check(options);
  std::optional<History> history;
  if (options.history > 0) history.emplace(options.history, options.batch, options.seed);
  for (std::int64_t step = 0; step < step_count(options); ++step) {
    const Round round = play_step(players, history ? &*history : nullptr, synthetic, real, options, step);
    if (round.index >= 0 && !on_round(round)) return round.index + 1;
  }
  return options.rounds;
}

}  // namespace simulacra::sim2real
