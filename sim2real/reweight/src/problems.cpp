// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "render/base/error.h"
#include "sim2real/reweight/flow.h"

namespace simulacra::reweight {

std::vector<double> Problem::hypergradient(std::span<const double> theta, std::span<const double> w) const {
  std::vector<double> psi = along(theta, solve_hessian(w, outer_gradient(theta)));
  for (double& v : psi) v = -v;
  return psi;
}

Regression::Regression(dense::Matrix x, std::vector<double> y, dense::Matrix x_outer, std::vector<double> y_outer, double mu)
    : x_(std::move(x)), x_outer_(std::move(x_outer)), y_(std::move(y)), y_outer_(std::move(y_outer)), mu_(mu) {
  if (x_.rows == 0 || x_outer_.rows == 0) fail("reweighting takes training and outer points; there are {} and {}", x_.rows, x_outer_.rows);
  if (x_.columns != x_outer_.columns || y_.size() != x_.rows || y_outer_.size() != x_outer_.rows)
    fail("training points of {} x {} with {} labels do not go with outer points of {} x {} with {}", x_.rows, x_.columns, y_.size(),
         x_outer_.rows, x_outer_.columns, y_outer_.size());
}

std::vector<double> Regression::residuals(std::span<const double> theta) const {
  std::vector<double> r = dense::times(x_, theta);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= y_[i];
  return r;
}

std::vector<double> Regression::inner_solution(std::span<const double> w) const {
  std::vector<double> weighted = y_;
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= w[i];
  return solve_hessian(w, dense::transposed_times(x_, weighted));
}

std::vector<double> Regression::inner_gradient(std::span<const double> theta, std::span<const double> w) const {
  std::vector<double> r = residuals(theta);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] *= w[i];
  std::vector<double> gradient = dense::transposed_times(x_, r);
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += mu_ * theta[j];
  return gradient;
}

double Regression::outer_loss(std::span<const double> theta) const {
  double sum = 0;
  for (std::size_t i = 0; i < x_outer_.rows; ++i) {
    const double r = dense::dot(x_outer_.row(i), theta) - y_outer_[i];
    sum += 0.5 * r * r;
  }
  return sum / static_cast<double>(x_outer_.rows);
}

std::vector<double> Regression::outer_gradient(std::span<const double> theta) const {
  std::vector<double> r = dense::times(x_outer_, theta);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = (r[i] - y_outer_[i]) / static_cast<double>(r.size());
  return dense::transposed_times(x_outer_, r);
}

std::vector<double> Regression::along(std::span<const double> theta, std::span<const double> v) const {
  std::vector<double> r = residuals(theta);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] *= dense::dot(x_.row(i), v);
  return r;
}

std::vector<double> Regression::solve_hessian(std::span<const double> w, std::span<const double> v) const {
  return dense::solve_spd(dense::weighted_gram(x_, w, mu_), v);
}

MeanEstimation::MeanEstimation(dense::Matrix x, std::vector<double> target) : x_(std::move(x)), target_(std::move(target)) {
  if (x_.rows == 0 || x_.columns != target_.size())
    fail("mean estimation of {} points with {} coordinates takes a target of as many; it has {}", x_.rows, x_.columns, target_.size());
}

std::vector<double> MeanEstimation::inner_solution(std::span<const double> w) const { return dense::transposed_times(x_, w); }

std::vector<double> MeanEstimation::inner_gradient(std::span<const double> theta, std::span<const double> w) const {
  std::vector<double> gradient = dense::transposed_times(x_, w);
  for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] = theta[j] - gradient[j];
  return gradient;
}

double MeanEstimation::outer_loss(std::span<const double> theta) const {
  const std::vector<double> difference = outer_gradient(theta);
  return 0.5 * dense::dot(difference, difference);
}

std::vector<double> MeanEstimation::outer_gradient(std::span<const double> theta) const {
  std::vector<double> difference(theta.begin(), theta.end());
  for (std::size_t j = 0; j < difference.size(); ++j) difference[j] -= target_[j];
  return difference;
}

std::vector<double> MeanEstimation::along(std::span<const double> theta, std::span<const double> v) const {
  std::vector<double> products = dense::times(x_, v);
  const double own = dense::dot(theta, v);
  for (double& p : products) p = own - p;
  return products;
}

std::vector<double> MeanEstimation::solve_hessian(std::span<const double>, std::span<const double> v) const { return {v.begin(), v.end()}; }

}  // namespace simulacra::reweight
