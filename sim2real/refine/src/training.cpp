// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/training.h"

#include <cmath>
#include <optional>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

/// The weights of a net get no gradient while this lives; its input does.
class Frozen {
 public:
  explicit Frozen(torch::nn::Module& net) : net_(net) { set(false); }
  ~Frozen() { set(true); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  void set(bool wanted) {
    for (torch::Tensor& p : net_.parameters()) p.requires_grad_(wanted);
  }
  torch::nn::Module& net_;
};

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

void check(const TrainingOptions& o) {
  if (!(o.lambda >= 0) || !std::isfinite(o.lambda)) fail_usage("lambda is to be at least 0, not {}", o.lambda);
  if (o.batch < 1 || o.refiner_steps < 1 || o.discriminator_steps < 1)
    fail_usage("batch ({}), refiner steps ({}) and discriminator steps ({}) are to be at least 1", o.batch, o.refiner_steps, o.discriminator_steps);
  if (o.refiner_warmup < 0 || o.discriminator_warmup < 0 || o.rounds < 0 || o.history < 0)
    fail_usage("steps of the warm-up, rounds and history cannot be negative");
}

void check_finite(const Round& r) {
  if (!std::isfinite(r.adversarial + r.regulariser + r.discriminator_loss))
    fail("the refiner's training diverged in round {}: losses {}, {} and {}", r.index, r.adversarial, r.regulariser, r.discriminator_loss);
}

}  // namespace

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

std::int64_t train(Players& players,
                   const Batches& synthetic,
                   const Batches& real,
                   const TrainingOptions& options,
                   const OnRound& on_round) {
  check(options);
  const std::int64_t b = options.batch;
  std::optional<History> history;
  if (options.history > 0) history.emplace(options.history, b, options.seed);
  const auto step_of_discriminator = [&] {
    if (!history) return step_discriminator(players, synthetic(b), real(b));
    return step_discriminator(players, synthetic(b), real(b), *history, history->draw());
  };

  // 1. The refiner learns to change nothing.
  for (std::int64_t s = 0; s < options.refiner_warmup; ++s) warm_refiner(players, synthetic(b), options.psi);
  // 2. The discriminator learns to tell its images from real ones.
  for (std::int64_t s = 0; s < options.discriminator_warmup; ++s) step_of_discriminator();
  // 3. They take turns.
  for (std::int64_t r = 0; r < options.rounds; ++r) {
    Round round;
    round.index = r;
    for (std::int64_t s = 0; s < options.refiner_steps; ++s) {
      const RefinerStep step = step_refiner(players, synthetic(b), options.lambda, options.psi);
      round.adversarial = step.adversarial;
      round.regulariser = step.regulariser;
    }
    for (std::int64_t s = 0; s < options.discriminator_steps; ++s) round.discriminator_loss = step_of_discriminator();
    check_finite(round);
    if (!on_round(round)) return r + 1;
  }
  return options.rounds;
}

}  // namespace simulacra::sim2real
