// SPDX-License-Identifier: Apache-2.0
// Weights of groups of training data for any model, as a bilevel problem: the model follows sum_g w_g L_g(theta), and w follows
// the outer loss F on a small set of what the model is for.
//
//   Psi_g = - < grad L_g(theta), v >,  v ~ H(w)^-1 grad F(theta)          hypergradient at the current theta
//   z_g  <- z_g - step (Psi_g + entropy (1 + log(w_g / start_g)) - mean),  w = softmax(z)
//
// z is kept in double: what was nearly forgotten can come back. How fast w moves against theta decides what comes out: weights that
// are faster than the model collapse on as many groups as there are parameters, then on one (flow.h has the closed forms).
// What is known of the model is the interface below; it may live anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace simulacra::config {
class Fields;
}

namespace simulacra::reweight {

/// A model with groups of training data and an outer set. Vectors of parameters are flat, in any fixed order.
class Learner {
 public:
  virtual ~Learner() = default;
  virtual std::size_t num_groups() const = 0;
  /// Parameters and optimizer as they were at the start.
  virtual void restart() = 0;
  /// `steps` steps on sum_g w_g L_g from where the parameters are.
  virtual void train(std::span<const double> w, std::size_t steps) = 0;
  virtual double outer_loss() = 0;
  virtual std::vector<double> outer_gradient() = 0;
  /// What the gradients of the groups' losses are along v.
  struct Slopes {
    std::vector<double> along;   ///< <grad L_g, v>
    std::vector<double> norm;    ///< |grad L_g|
  };
  virtual Slopes along(std::span<const double> v) = 0;
  /// Hessian of sum_g w_g L_g times v.
  virtual std::vector<double> hessian_times(std::span<const double> w, std::span<const double> v) = 0;
};

struct WeightOptions {
  /// alternating: `inner_steps` of the model, then one of the weights, from where both are (warm start). weights_first: the
  /// weights run `weight_steps` at a frozen model, then the model; collapses, and is here to be compared with.
  std::string dynamics = "alternating";
  /// v: identity (grad F itself: one look-ahead step), neumann or conjugate_gradients.
  std::string direction = "identity";
  int solver_steps = 10;
  double damping = 0.01;        ///< added to the Hessian
  bool normalise = true;        ///< Psi_g / (|v| root of mean |grad L_g|^2): cosines, whatever the loss's scale
  double step = 0.3;            ///< of the logarithms, per unit of Psi
  double largest_change = 0.2;  ///< of a logarithm in one step; larger steps make weights sparse by themselves. 0 = any
  double entropy = 0.05;        ///< times the divergence from the starting weights, added to what the weights make small
  double floor = 0;             ///< least weight of a group, as a share of its starting weight
  double forget = 0;            ///< weights below it become 0 for good, as in single precision; 0 = none does
  int rounds = 60;              ///< steps of the weights; with weights_first, cycles
  int inner_steps = 10;         ///< of the model before each
  int warmup = 0;               ///< steps of the model before the first
  int weight_steps = 200;       ///< of the weights at a frozen model, weights_first only
  int restart_every = 0;        ///< rounds after which the model begins anew; 0 = never
  double average_from = 0.5;    ///< the answer is the mean of the logarithms over the rounds after this share; 1 = the last
};
void fields(config::Fields& f, WeightOptions& o);
/// Throws UsageError that names what is wrong.
void check(const WeightOptions& o);

/// What one round left behind.
struct WeightRound {
  int round = 0;
  double outer_loss = 0;        ///< before the step of the weights
  double effective_groups = 0;  ///< 1 / sum w^2
  std::vector<double> w, psi;   ///< after the step; what it was made from
};

struct LearnedWeights {
  std::vector<double> w;        ///< of the groups, sum 1
  std::vector<WeightRound> rounds;
};

/// From weights `start` (positive, sum 1), which also are what `entropy` and `floor` refer to. `told` hears of every round, and may
/// throw to end it. Throws Error when a gradient is not finite.
LearnedWeights learn_weights(Learner& learner, std::span<const double> start, const WeightOptions& options,
                             const std::function<void(const WeightRound&)>& told = {});

/// Mass of each group's weight spread over its members: 1 / sum_i w_i^2 of n members, w_i = w_g / size_g.
double effective_members(std::span<const double> w, std::span<const std::size_t> sizes);

/// Baseline: w_g proportional to start_g exp(-loss_g / (temperature times the losses' deviation)): a positive temperature prefers
/// what is easy, a negative one what is hard.
std::vector<double> loss_based_weights(std::span<const double> start, std::span<const double> losses, double temperature);

}  // namespace simulacra::reweight
