// SPDX-License-Identifier: Apache-2.0
#include "sim2real/reweight/learn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "render/base/error.h"
#include "render/config/config.h"
#include "sim2real/bilevel/solvers.h"
#include "sim2real/dense/dense.h"
#include "sim2real/reweight/flow.h"

namespace simulacra::reweight {
namespace {

constexpr std::array<std::string_view, 2> kDynamics = {"alternating", "weights_first"};
constexpr std::array<std::string_view, 3> kDirections = {"identity", "neumann", "conjugate_gradients"};

class Weights {
 public:
  Weights(Learner& learner, std::span<const double> start, const WeightOptions& options)
      : learner_(learner), o_(options), start_(start.begin(), start.end()) {
    for (const double s : start_) z_.push_back(std::log(s));
  }

  std::vector<double> w() const {
    std::vector<double> w = dense::softmax(z_);
    if (o_.floor <= 0) return w;
    double sum = 0;
    for (std::size_t g = 0; g < w.size(); ++g) sum += w[g] = std::max(w[g], o_.floor * start_[g]);
    for (double& v : w) v /= sum;
    return w;
  }

  /// Psi at the model's present parameters.
  std::vector<double> psi(const std::vector<double>& w) {
    const std::vector<double> g = learner_.outer_gradient();
    const std::vector<double> v = direction(w, g);
    const Learner::Slopes slopes = learner_.along(v);
    double scale = 1;
    if (o_.normalise) {
      double square = 0;
      for (const double n : slopes.norm) square += n * n / static_cast<double>(slopes.norm.size());
      scale = dense::norm(v) * std::sqrt(square);
    }
    std::vector<double> psi(slopes.along.size());
    for (std::size_t i = 0; i < psi.size(); ++i) {
      psi[i] = scale > 0 ? -slopes.along[i] / scale : 0;
      if (!std::isfinite(psi[i])) fail("the gradient of group {} is not finite", i);
    }
    return psi;
  }

  void move(const std::vector<double>& w, std::vector<double> psi) {
    if (o_.entropy > 0)
      for (std::size_t g = 0; g < psi.size(); ++g) psi[g] += o_.entropy * (1 + std::log(std::max(w[g], 1e-300) / start_[g]));
    const double mean = dense::dot(w, psi);
    double largest = 0;
    for (std::size_t g = 0; g < psi.size(); ++g) {
      psi[g] -= mean;
      if (std::isfinite(z_[g])) largest = std::max(largest, std::abs(psi[g]));
    }
    const double length = o_.largest_change > 0 && o_.step * largest > o_.largest_change ? o_.largest_change / largest : o_.step;
    for (std::size_t g = 0; g < psi.size(); ++g)
      if (std::isfinite(z_[g])) z_[g] -= length * psi[g];
    const double top = *std::ranges::max_element(z_);
    for (double& z : z_) z -= top;
    if (o_.forget > 0) forget();
  }

 private:
  void forget() {
    const std::vector<double> w = dense::softmax(z_);
    for (std::size_t g = 0; g < w.size(); ++g)
      if (w[g] < o_.forget) z_[g] = -std::numeric_limits<double>::infinity();
  }

  std::vector<double> direction(const std::vector<double>& w, const std::vector<double>& g) {
    if (o_.direction == "identity") return g;
    const bilevel::Product damped = [&](std::span<const double> x) {
      std::vector<double> y = learner_.hessian_times(w, x);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += o_.damping * x[i];
      return y;
    };
    const auto steps = static_cast<std::size_t>(o_.solver_steps);
    if (o_.direction == "conjugate_gradients") return bilevel::conjugate_gradients(damped, g, steps);
    // Power iterations come close to the largest eigenvalue from below; a tenth more keeps the series from growing.
    return bilevel::neumann(damped, g, 1.1 * std::max(o_.damping, bilevel::largest_eigenvalue(damped, g.size(), 12, 1)), steps);
  }

  Learner& learner_;
  const WeightOptions& o_;
  std::vector<double> start_, z_;
};

}  // namespace

void fields(config::Fields& f, WeightOptions& o) {
  f.field("dynamics", o.dynamics, "alternating (warm start), or weights_first, which collapses and is there for comparison", kDynamics);
  f.field("direction", o.direction, "how the implicit gradient's linear system is solved; identity takes one look-ahead step", kDirections);
  f.field("solver_steps", o.solver_steps, "conjugate gradients, or terms of the Neumann series", {1, 1000});
  f.field("damping", o.damping, "added to the Hessian", {0, 1e6});
  f.field("normalise", o.normalise, "hypergradients as cosines, whatever the loss's scale");
  f.field("step", o.step, "of the weights' logarithms, per unit of hypergradient", {0, 1e6});
  f.field("largest_change", o.largest_change, "of a logarithm in one step; 0 = any", {0, 100});
  f.field("entropy", o.entropy, "times the divergence from the starting weights: keeps groups from dying", {0, 100});
  f.field("floor", o.floor, "least weight of a group, as a share of its starting weight", {0, 1});
  f.field("forget", o.forget, "weights below it become 0 for good, as in single precision; 0 = none does", {0, 0.1});
  f.field("rounds", o.rounds, "steps of the weights; cycles of weights_first", {1, 100000});
  f.field("inner_steps", o.inner_steps, "of the model before each of them", {1, 100000});
  f.field("warmup", o.warmup, "steps of the model before the first", {0, 1000000});
  f.field("weight_steps", o.weight_steps, "of the weights at a frozen model, weights_first only", {1, 100000});
  f.field("restart_every", o.restart_every, "rounds after which the model begins anew; 0 = never", {0, 100000});
  f.field("average_from", o.average_from, "the weights are the mean of the logarithms over the rounds after this share; 1 = the last", {0, 1});
}

void check(const WeightOptions& o) {
  if (o.step <= 0) fail_usage("weights.step: 0 moves no weight; give a number above 0");
}

LearnedWeights learn_weights(Learner& learner, std::span<const double> start, const WeightOptions& o, const std::function<void(const WeightRound&)>& told) {
  SIM_CHECK(start.size() == learner.num_groups());
  check(o);
  Weights weights(learner, start, o);
  LearnedWeights result;
  std::vector<double> mean(start.size());
  const int first_averaged = std::min(o.rounds - 1, static_cast<int>(o.average_from * o.rounds));
  if (o.warmup > 0) learner.train(weights.w(), static_cast<std::size_t>(o.warmup));
  for (int round = 0; round < o.rounds; ++round) {
    if (o.restart_every > 0 && round > 0 && round % o.restart_every == 0) {
      learner.restart();
      if (o.warmup > 0) learner.train(weights.w(), static_cast<std::size_t>(o.warmup));
    }
    const auto train = [&] { learner.train(weights.w(), static_cast<std::size_t>(o.inner_steps)); };
    const bool first = o.dynamics == "weights_first";
    WeightRound report{round + 1, 0, 0, weights.w(), {}};
    if (!first) train();
    report.outer_loss = learner.outer_loss();
    for (int k = 0; k < (first ? o.weight_steps : 1); ++k) {
      report.psi = weights.psi(report.w);
      weights.move(report.w, report.psi);
      report.w = weights.w();
    }
    if (first) train();
    report.effective_groups = effective_sample_size(report.w);
    if (round >= first_averaged)
      for (std::size_t g = 0; g < mean.size(); ++g)
        mean[g] += std::log(std::max(report.w[g], 1e-300)) / static_cast<double>(o.rounds - first_averaged);
    if (told) told(report);
    result.rounds.push_back(std::move(report));
  }
  result.w = dense::softmax(mean);
  return result;
}

double effective_members(std::span<const double> w, std::span<const std::size_t> sizes) {
  double squares = 0;
  for (std::size_t g = 0; g < w.size(); ++g) squares += w[g] * w[g] / static_cast<double>(sizes[g]);
  return 1 / squares;
}

std::vector<double> loss_based_weights(std::span<const double> start, std::span<const double> losses, double temperature) {
  SIM_CHECK(start.size() == losses.size() && temperature != 0);
  const double n = static_cast<double>(losses.size());
  double mean = 0, square = 0;
  for (const double l : losses) mean += l / n;
  for (const double l : losses) square += (l - mean) * (l - mean) / n;
  std::vector<double> z;
  for (std::size_t g = 0; g < losses.size(); ++g)
    z.push_back(std::log(start[g]) - (square > 0 ? (losses[g] - mean) / (temperature * std::sqrt(square)) : 0));
  return dense::softmax(z);
}

}  // namespace simulacra::reweight
