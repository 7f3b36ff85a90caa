// SPDX-License-Identifier: Apache-2.0
#include "sim2real/bilevel/hypergradient.h"

#include <cmath>

#include "render/base/error.h"

namespace simulacra::bilevel {

std::vector<double> PenaltyTuning::penalties(std::span<const double> y) const {
  std::vector<double> d;
  for (const double v : y) d.push_back(scale_ * std::exp(v));
  return d;
}

std::vector<double> PenaltyTuning::inner_gradient(std::span<const double> x, std::span<const double> y) const {
  std::vector<double> g = data_.gradient(x);
  const std::vector<double> d = penalties(y);
  for (std::size_t j = 0; j < g.size(); ++j) g[j] += d[j] * x[j];
  return g;
}

dense::Matrix PenaltyTuning::inner_hessian(std::span<const double> x, std::span<const double> y) const {
  dense::Matrix h = data_.hessian(x);
  const std::vector<double> d = penalties(y);
  for (std::size_t j = 0; j < d.size(); ++j) h(j, j) += d[j];
  return h;
}

std::vector<double> PenaltyTuning::solution(std::span<const double> y) const {
  std::vector<double> x(data_.size());
  double last = std::numeric_limits<double>::infinity();
  for (int step = 0; step < 100; ++step) {
    const std::vector<double> way = dense::solve_spd(inner_hessian(x, y), inner_gradient(x, y));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= way[j];
    const double length = dense::norm(way);
    if (length == 0 || (step > 1 && length >= last)) return x;   // only rounding is left
    last = length;
  }
  fail("the inner problem is not solved after 100 Newton steps (the last is {} long)", last);
}

std::vector<double> PenaltyTuning::hypergradient(std::span<const double> x, std::span<const double> y, const Solver& solver) const {
  std::vector<double> gamma = solver(inner_hessian(x, y), outer_.gradient(x));
  const std::vector<double> d = penalties(y);
  for (std::size_t j = 0; j < gamma.size(); ++j) gamma[j] *= -d[j] * x[j];
  return gamma;
}

std::vector<double> PenaltyTuning::hypergradient(std::span<const double> x, std::span<const double> y, Estimator estimator) const {
  if (estimator == Estimator::reparam_diag || estimator == Estimator::reparam_exp)
    return reparameterised(x, y, estimator == Estimator::reparam_exp);
  std::vector<double> nearer(x.begin(), x.end());
  if (estimator != Estimator::vanilla) {
    const dense::Matrix h = inner_hessian(x, y);
    std::vector<double> step = inner_gradient(x, y);
    if (estimator == Estimator::newton) step = dense::solve_spd(h, step);
    else for (std::size_t j = 0; j < step.size(); ++j) step[j] /= h(j, j);
    for (std::size_t j = 0; j < step.size(); ++j) nearer[j] -= step[j];
  }
  return hypergradient(nearer, y, Solver(dense::solve_spd));
}

// With x = phi(z, y) and G(z, y) = phi_z F(phi(z, y), y), diagonal phi_z:
//   G_z = phi_z F_x phi_z + phi_zz F,   G_y = phi_z (F_x phi_y + F_y) + phi_zy F,
//   Gamma = (phi_y - phi_z G_z^-1 G_y)^T grad ell.
std::vector<double> PenaltyTuning::reparameterised(std::span<const double> x, std::span<const double> y, bool exponential) const {
  const std::size_t p = x.size();
  const dense::Matrix h = inner_hessian(x, y);
  const std::vector<double> f = inner_gradient(x, y), d = penalties(y), outer = outer_.gradient(x);
  // exp: phi_z = x = phi_zz, phi_y = 0.  diag: phi_z = 1/h_jj, phi_y = -x d / h_jj, phi_zy = -d / h_jj^2.
  std::vector<double> z(p), by_y(p), mixed(p), pulled(p);
  dense::Matrix g(p, p);
  for (std::size_t j = 0; j < p; ++j) {
    z[j] = exponential ? x[j] : 1 / h(j, j);
    by_y[j] = exponential ? 0 : -x[j] * d[j] / h(j, j);
    mixed[j] = exponential ? 0 : -d[j] / (h(j, j) * h(j, j));
  }
  for (std::size_t i = 0; i < p; ++i) {
    for (std::size_t j = 0; j < p; ++j) g(i, j) = z[i] * h(i, j) * z[j];
    if (exponential) g(i, i) += x[i] * f[i];
    pulled[i] = z[i] * outer[i];
  }
  const std::vector<double> u = dense::solve(g, pulled);   // G_z is symmetric
  std::vector<double> gamma(p);
  for (std::size_t k = 0; k < p; ++k) {
    double along = z[k] * d[k] * x[k] * u[k] + mixed[k] * f[k] * u[k];
    for (std::size_t i = 0; i < p; ++i) along += u[i] * z[i] * h(i, k) * by_y[k];
    gamma[k] = by_y[k] * outer[k] - along;
  }
  return gamma;
}

}  // namespace simulacra::bilevel
