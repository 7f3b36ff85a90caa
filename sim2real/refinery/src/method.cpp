// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/method.h"

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "learning/train/checkpoint.h"
#include "render/base/error.h"
#include "sim2real/refine/cycle.h"
#include "sim2real/refine/histogram.h"
#include "sim2real/refinery/src/players_state.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

std::optional<History> history_of(const TrainingOptions& o, std::uint64_t seed) {
  if (o.history == 0) return std::nullopt;
  return History(o.history, o.batch, seed);
}

void set_rate(torch::optim::Optimizer& optimiser, double rate) {
  for (auto& group : optimiser.param_groups()) static_cast<torch::optim::AdamOptions&>(group.options()).lr(rate);
}

Players players_of(const RefineOptions& o, std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Players p = make_players(refiner_options(o), discriminator_options(o, rows, columns), o.train.refiner_lr, seed);
  set_rate(*p.discriminator_optimiser, o.train.discriminator_lr);
  return p;
}

Tensor without_graph(Refiner& refiner, const Tensor& images) {
  const torch::NoGradGuard no_grad;
  return refiner->forward(images);
}

/// S+U learning.
class LearnedRefiner : public Method {
 public:
  LearnedRefiner(const RefineOptions& o, std::int64_t rows, std::int64_t columns)
      : options_(training_options(o, rows, columns)), players_(players_of(o, rows, columns, o.seed)), history_(history_of(options_, o.seed)) {
    const auto map = map_size(discriminator_options(o, rows, columns), rows, columns);
    cells_ = static_cast<double>(map[0] * map[1]);
    values_ = static_cast<double>(channels_of(o) * rows * columns);
  }
  std::int64_t steps() const override { return step_count(options_); }
  std::int64_t warmup() const override { return options_.refiner_warmup + options_.discriminator_warmup; }

  NamedScalars step(std::int64_t step, const Batches& synthetic, const Batches& real) override {
    const Round r = play_step(players_, history_ ? &*history_ : nullptr, synthetic, real, options_, step);
    // Per cell and per value, so that sizes of crops compare; 0.693 a cell is a discriminator that guesses.
    return {{"refiner/adversarial", r.adversarial / cells_}, {"refiner/change", r.regulariser / values_}, {"discriminator/loss", r.discriminator_loss / (2 * cells_)}};
  }
  Tensor refine(const Tensor& images) override { return without_graph(players_.refiner, images); }
  NamedTensors weights() const override { return learning::state_of(*players_.refiner); }
  NamedTensors state() const override {
    NamedTensors all;
    add_state(all, "players", players_);
    add_state(all, "history", history_);
    return all;
  }
  void restore(const NamedTensors& from, const std::string& file) override {
    restore_state(from, "players", players_, file);
    restore_state(from, "history", history_, file);
  }

 private:
  TrainingOptions options_;
  Players players_;
  std::optional<History> history_;
  double cells_ = 1, values_ = 1;
};

/// There and back. Both warm-ups are as the refiner's: identity, then the discriminators alone.
class CycleGan : public Method {
 public:
  CycleGan(const RefineOptions& o, std::int64_t rows, std::int64_t columns)
      : options_(training_options(o, rows, columns)), weights_{o.loss.cycle, o.loss.identity},
        players_{players_of(o, rows, columns, o.seed), players_of(o, rows, columns, o.seed + 2)},
        of_real_(history_of(options_, o.seed)), of_synthetic_(history_of(options_, o.seed + 1)) {}
  std::int64_t steps() const override { return step_count(options_); }
  std::int64_t warmup() const override { return options_.refiner_warmup + options_.discriminator_warmup; }

  NamedScalars step(std::int64_t step, const Batches& synthetic, const Batches& real) override {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const auto pair = [&] { const Tensor x = synthetic(options_.batch); return std::pair(x, real(options_.batch)); };
    if (step < options_.refiner_warmup) {
      const auto [x, y] = pair();
      const double change = warm_refiner(players_.to_real, x, options_.psi) + warm_refiner(players_.to_synthetic, y, options_.psi);
      return {{"refiner/adversarial", kNone}, {"refiner/cycle", kNone}, {"refiner/change", change / static_cast<double>(2 * x[0].numel())}, {"discriminator/loss", kNone}};
    }
    CycleStep s{kNone, kNone, kNone};
    double judged = kNone;
    for (std::int64_t k = 0; step >= warmup() && k < options_.refiner_steps; ++k) {
      const auto [x, y] = pair();
      s = step_refiners(players_, x, y, weights_);
    }
    for (std::int64_t k = 0; k < options_.discriminator_steps; ++k) {
      const auto [x, y] = pair();
      judged = step_discriminators(players_, x, y, of_real_ ? &*of_real_ : nullptr, of_synthetic_ ? &*of_synthetic_ : nullptr);
    }
    return {{"refiner/adversarial", s.adversarial / 2}, {"refiner/cycle", s.cycle / 2}, {"refiner/change", s.identity / 2}, {"discriminator/loss", judged / 4}};
  }
  Tensor refine(const Tensor& images) override { return without_graph(players_.to_real.refiner, images); }
  NamedTensors weights() const override { return learning::state_of(*players_.to_real.refiner); }
  NamedTensors state() const override {
    NamedTensors all;
    add_state(all, "to_real", players_.to_real);
    add_state(all, "to_synthetic", players_.to_synthetic);
    add_state(all, "history_of_real", of_real_);
    add_state(all, "history_of_synthetic", of_synthetic_);
    return all;
  }
  void restore(const NamedTensors& from, const std::string& file) override {
    restore_state(from, "to_real", players_.to_real, file);
    restore_state(from, "to_synthetic", players_.to_synthetic, file);
    restore_state(from, "history_of_real", of_real_, file);
    restore_state(from, "history_of_synthetic", of_synthetic_, file);
  }

 private:
  TrainingOptions options_;
  CycleWeights weights_;
  CyclePlayers players_;
  std::optional<History> of_real_, of_synthetic_;
};

/// One step that reads batches of both sets.
class Histograms : public Method {
 public:
  explicit Histograms(const RefineOptions& o) : batches_(o.train.histogram_batches), batch_(o.train.batch) {}
  std::int64_t steps() const override { return 1; }
  std::int64_t warmup() const override { return 0; }
  NamedScalars step(std::int64_t, const Batches& synthetic, const Batches& real) override {
    std::vector<Tensor> x, y;
    for (int i = 0; i < batches_; ++i) x.push_back(synthetic(batch_).transpose(0, 1).flatten(1)), y.push_back(real(batch_).transpose(0, 1).flatten(1));
    // As one picture with all values in a row.
    const auto joined = [](const std::vector<Tensor>& parts) { return torch::cat(parts, 1).unsqueeze(0).unsqueeze(2); };
    match_ = HistogramMatch(joined(x), joined(y));
    const Tensor q = (torch::arange(1000, torch::kFloat) + 0.5) / 1000;
    return {{"histogram/moved", (match_.from().quantile(q, 1) - match_.to().quantile(q, 1)).abs().mean().item<double>()}};
  }
  Tensor refine(const Tensor& images) override { return match_.apply(images); }
  NamedTensors weights() const override {
    if (!match_.from().defined()) return {};   // before its step
    return {{"from", match_.from()}, {"to", match_.to()}};
  }
  NamedTensors state() const override { return weights(); }
  void restore(const NamedTensors& from, const std::string& file) override {
    if (from.empty()) return;
    if (!from.contains("from") || !from.contains("to")) fail("{}: holds no curve of a histogram matching", file);
    match_ = HistogramMatch::of(from.at("from"), from.at("to"));
  }

 private:
  std::int64_t batches_, batch_;
  HistogramMatch match_;
};

}  // namespace

std::unique_ptr<Method> make_method(const RefineOptions& o, std::int64_t rows, std::int64_t columns) {
  check(o);
  if (o.method == "histogram_matching") return std::make_unique<Histograms>(o);
  if (o.method == "cycle_gan") return std::make_unique<CycleGan>(o, rows, columns);
  return std::make_unique<LearnedRefiner>(o, rows, columns);
}

}  // namespace simulacra::sim2real
