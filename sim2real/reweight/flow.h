// SPDX-License-Identifier: Apache-2.0
// Weights of training points as a bilevel problem, in closed form: theta*(w) = argmin sum_i w_i l_i(theta), and w is to make
// the outer loss F(theta*(w)) small. Here for losses whose Hessian does not depend on theta; all in double.
//
//   hypergradient   Psi_i = - < grad l_i(theta), H(w)^-1 grad F(theta) >,  H(w) = sum_i w_i Hess l_i + mu I
//   weights         kept as logarithms z, w = softmax(z); a multiplicative step is z - s Psi
//
// Logarithms are no matter of speed: a weight that was multiplied to 0 never comes back, a logarithm does.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::reweight {

/// 1 / sum w^2: how many points the weights are worth.
double effective_sample_size(std::span<const double> w);

/// A bilevel problem of n points and p parameters.
class Problem {
 public:
  virtual ~Problem() = default;
  virtual std::size_t num_points() const = 0;
  virtual std::size_t num_parameters() const = 0;
  virtual std::vector<double> inner_solution(std::span<const double> w) const = 0;
  virtual std::vector<double> inner_gradient(std::span<const double> theta, std::span<const double> w) const = 0;
  virtual double outer_loss(std::span<const double> theta) const = 0;
  virtual std::vector<double> outer_gradient(std::span<const double> theta) const = 0;
  /// < grad l_i(theta), v > for every i.
  virtual std::vector<double> along(std::span<const double> theta, std::span<const double> v) const = 0;
  virtual std::vector<double> solve_hessian(std::span<const double> w, std::span<const double> v) const = 0;

  /// Psi of any theta; at theta*(w) it is the gradient of the outer loss in w.
  std::vector<double> hypergradient(std::span<const double> theta, std::span<const double> w) const;
};

/// l_i = (x_i.theta - y_i)^2 / 2, inner + mu/2 |theta|^2, F = mean of (x.theta - y)^2 / 2 on outer points.
class Regression : public Problem {
 public:
  Regression(dense::Matrix x, std::vector<double> y, dense::Matrix x_outer, std::vector<double> y_outer, double mu);
  std::size_t num_points() const override { return x_.rows; }
  std::size_t num_parameters() const override { return x_.columns; }
  std::vector<double> inner_solution(std::span<const double> w) const override;
  std::vector<double> inner_gradient(std::span<const double> theta, std::span<const double> w) const override;
  double outer_loss(std::span<const double> theta) const override;
  std::vector<double> outer_gradient(std::span<const double> theta) const override;
  std::vector<double> along(std::span<const double> theta, std::span<const double> v) const override;
  std::vector<double> solve_hessian(std::span<const double> w, std::span<const double> v) const override;

 private:
  std::vector<double> residuals(std::span<const double> theta) const;
  dense::Matrix x_, x_outer_;
  std::vector<double> y_, y_outer_;
  double mu_;
};

/// l_i = |theta - x_i|^2 / 2, F = |theta - target|^2 / 2: Psi does not depend on the weights.
class MeanEstimation : public Problem {
 public:
  MeanEstimation(dense::Matrix x, std::vector<double> target);
  std::size_t num_points() const override { return x_.rows; }
  std::size_t num_parameters() const override { return x_.columns; }
  std::vector<double> inner_solution(std::span<const double> w) const override;
  std::vector<double> inner_gradient(std::span<const double> theta, std::span<const double> w) const override;
  double outer_loss(std::span<const double> theta) const override;
  std::vector<double> outer_gradient(std::span<const double> theta) const override;
  std::vector<double> along(std::span<const double> theta, std::span<const double> v) const override;
  std::vector<double> solve_hessian(std::span<const double> w, std::span<const double> v) const override;

 private:
  dense::Matrix x_;
  std::vector<double> target_;
};

/// w_i exp(-step psi_i), normalised (entropic mirror descent).
std::vector<double> multiplicative_step(std::span<const double> w, std::span<const double> psi, double step);
/// Gradient in the logits of w = softmax(z): (diag(w) - w w^T) psi.
std::vector<double> logit_gradient(std::span<const double> w, std::span<const double> psi);
/// psi with the entropy term eta sum w log w: + eta (1 + log w_i). It keeps weights from dying.
std::vector<double> with_entropy(std::span<const double> psi, std::span<const double> w, double eta);
/// Learning to reweight (Ren et al. 2018): the positive part of < grad l_i, grad F > at theta, normalised; uniform when no
/// point points along.
std::vector<double> look_ahead_weights(const Problem& problem, std::span<const double> theta);

struct FlowOptions {
  double ratio = 1;         ///< speed of the weights over that of the parameters
  double dt = 0.1;          ///< of the parameters
  std::size_t steps = 1000;
  double entropy = 0;
};
struct FlowState {
  std::vector<double> theta, log_w;     ///< log_w up to a constant, its largest 0
  double smallest_ess = 0;              ///< on the way
  std::vector<double> weights() const;
};
/// Warm start: theta -= dt grad G, log w -= dt ratio Psi, both at the old point (Euler). Fast weights collapse on a few points
/// before theta has moved.
FlowState joint_flow(const Problem& problem, std::vector<double> theta, std::vector<double> log_w, const FlowOptions& options);

/// The weights move while theta stays: log w -= dt (Psi - mean). Ends on at most p points (Hessian of the weights) or one.
std::vector<double> frozen_flow(const Problem& problem, std::span<const double> theta, std::vector<double> log_w, double dt, std::size_t steps);

struct WeightsFirst {
  std::vector<double> theta, w;
  std::vector<std::size_t> support;  ///< points left after each cycle
};
/// The limit of fast weights: they run at frozen theta to rest, those below `floor` become 0, then theta = theta*(w).
WeightsFirst weights_first(const Problem& problem, std::size_t cycles, std::size_t steps_per_cycle = 4000, double floor = 1e-8);

struct Tilt {
  std::vector<double> c, w;
};
/// w_i ~ exp(c.x_i) with mean `target`: the weights of largest entropy, where slow weights of MeanEstimation end. Newton with
/// halved steps on log sum exp(c.(x_i - target)). Throws Error when the target lies outside the points' hull.
Tilt exponential_tilt(const dense::Matrix& x, std::span<const double> target);

}  // namespace simulacra::reweight
