// SPDX-License-Identifier: Apache-2.0
#include "sim2real/reweight/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "render/base/error.h"

namespace simulacra::reweight {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

void recenter(std::vector<double>& log_w) {
  const double top = *std::ranges::max_element(log_w);
  for (double& z : log_w) z -= top;
}

std::vector<double> logarithms(std::span<const double> w) {
  std::vector<double> z;
  for (const double v : w) z.push_back(v > 0 ? std::log(v) : kMinusInfinity);
  return z;
}

}  // namespace

double effective_sample_size(std::span<const double> w) { return 1 / dense::dot(w, w); }

std::vector<double> multiplicative_step(std::span<const double> w, std::span<const double> psi, double step) {
  std::vector<double> z = logarithms(w);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] -= step * psi[i];
  return dense::softmax(z);
}

std::vector<double> logit_gradient(std::span<const double> w, std::span<const double> psi) {
  const double mean = dense::dot(w, psi);
  std::vector<double> gradient(w.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = w[i] * (psi[i] - mean);
  return gradient;
}

std::vector<double> with_entropy(std::span<const double> psi, std::span<const double> w, double eta) {
  std::vector<double> result(psi.begin(), psi.end());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += eta * (1 + std::log(std::max(w[i], std::numeric_limits<double>::min())));
  return result;
}

std::vector<double> look_ahead_weights(const Problem& problem, std::span<const double> theta) {
  std::vector<double> w = problem.along(theta, problem.outer_gradient(theta));
  double sum = 0;
  for (double& v : w) sum += v = std::max(v, 0.0);
  for (double& v : w) v = sum > 0 ? v / sum : 1 / static_cast<double>(w.size());
  return w;
}

std::vector<double> FlowState::weights() const { return dense::softmax(log_w); }

FlowState joint_flow(const Problem& problem, std::vector<double> theta, std::vector<double> log_w, const FlowOptions& options) {
  FlowState state{std::move(theta), std::move(log_w), std::numeric_limits<double>::infinity()};
  for (std::size_t step = 0; step < options.steps; ++step) {
    const std::vector<double> w = state.weights();
    state.smallest_ess = std::min(state.smallest_ess, effective_sample_size(w));
    std::vector<double> psi = problem.hypergradient(state.theta, w);
    if (options.entropy > 0) psi = with_entropy(psi, w, options.entropy);
    const std::vector<double> gradient = problem.inner_gradient(state.theta, w);
    for (std::size_t j = 0; j < gradient.size(); ++j) state.theta[j] -= options.dt * gradient[j];
    for (std::size_t i = 0; i < psi.size(); ++i) state.log_w[i] -= options.dt * options.ratio * psi[i];
    recenter(state.log_w);
  }
  return state;
}

std::vector<double> frozen_flow(const Problem& problem, std::span<const double> theta, std::vector<double> log_w, double dt, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    const std::vector<double> w = dense::softmax(log_w), psi = problem.hypergradient(theta, w);
    const double mean = dense::dot(w, psi);
    for (std::size_t i = 0; i < psi.size(); ++i) log_w[i] -= dt * (psi[i] - mean);
    recenter(log_w);
  }
  return log_w;
}

WeightsFirst weights_first(const Problem& problem, std::size_t cycles, std::size_t steps_per_cycle, double floor) {
  const std::size_t n = problem.num_points();
  WeightsFirst result{std::vector<double>(problem.num_parameters()), std::vector<double>(n, 1 / static_cast<double>(n)), {}};
  for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
    std::vector<double> z = logarithms(result.w);
    for (std::size_t step = 0; step < steps_per_cycle; ++step) {
      const std::vector<double> w = dense::softmax(z);
      std::vector<double> psi = problem.hypergradient(result.theta, w);
      const double mean = dense::dot(w, psi);
      double largest = 0;   // of the living; a step changes no logarithm by more than 0.2
      for (std::size_t i = 0; i < n; ++i)
        if (z[i] > kMinusInfinity) largest = std::max(largest, std::abs(psi[i] -= mean));
      const double length = largest > 0 ? std::min(5.0, 0.2 / largest) : 0;
      for (std::size_t i = 0; i < n; ++i)
        if (z[i] > kMinusInfinity) z[i] -= length * psi[i];
      recenter(z);
    }
    double sum = 0;
    result.w = dense::softmax(z);
    for (double& w : result.w) sum += w = w < floor ? 0 : w;
    for (double& w : result.w) w /= sum;
    result.theta = problem.inner_solution(result.w);
    result.support.push_back(static_cast<std::size_t>(std::ranges::count_if(result.w, [](double w) { return w > 0; })));
  }
  return result;
}

Tilt exponential_tilt(const dense::Matrix& x, std::span<const double> target) {
  dense::Matrix centered = x;
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.columns; ++j) centered(i, j) -= target[j];
  const auto potential = [&](std::span<const double> c) {
    const std::vector<double> z = dense::times(centered, c);
    const double top = *std::ranges::max_element(z);
    double sum = 0;
    for (const double v : z) sum += std::exp(v - top);
    return top + std::log(sum);
  };
  Tilt tilt{std::vector<double>(x.columns), {}};
  for (int step = 0; step < 200; ++step) {
    tilt.w = dense::softmax(dense::times(centered, tilt.c));
    const std::vector<double> mean = dense::transposed_times(centered, tilt.w);
    if (dense::norm(mean) < 1e-14) return tilt;
    dense::Matrix covariance = dense::weighted_gram(centered, tilt.w, 1e-300);
    for (std::size_t j = 0; j < x.columns; ++j)
      for (std::size_t k = 0; k < x.columns; ++k) covariance(j, k) -= mean[j] * mean[k];
    std::vector<double> way;
    try {
      way = dense::solve_spd(std::move(covariance), mean);
    } catch (const Error&) {
      break;   // the weights lie on a face: answered below
    }
    const double now = potential(tilt.c);
    double length = 1;
    std::vector<double> next(x.columns);
    for (int half = 0; half < 50; ++half, length *= 0.5) {
      for (std::size_t j = 0; j < next.size(); ++j) next[j] = tilt.c[j] - length * way[j];
      if (potential(next) <= now) break;
    }
    if (next == tilt.c) break;
    tilt.c = next;
  }
  tilt.w = dense::softmax(dense::times(centered, tilt.c));
  const std::vector<double> mean = dense::transposed_times(centered, tilt.w);
  const double miss = dense::norm(mean);
  if (!(miss < 1e-9)) fail("no weights give the target as their mean (the nearest miss it by {}): it lies outside the points' hull", miss);
  return tilt;
}

}  // namespace simulacra::reweight
