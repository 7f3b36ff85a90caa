// SPDX-License-Identifier: Apache-2.0
#include "sim2real/dense/logistic.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace simulacra::dense {

double log1p_exp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

std::vector<double> fit_logistic(const Matrix& a, const std::vector<double>& y, double penalty) {
  std::vector<double> w(a.columns);
  const auto loss = [&](const std::vector<double>& at) {
    double sum = 0;
    for (std::size_t i = 0; i < a.rows; ++i) sum += log1p_exp(-y[i] * dot(a.row(i), at));
    for (std::size_t j = 1; j < at.size(); ++j) sum += 0.5 * penalty * at[j] * at[j];
    return sum;
  };
  double now = loss(w);
  for (int step = 0; step < 50; ++step) {
    std::vector<double> residual(a.rows), curvature(a.rows);
    for (std::size_t i = 0; i < a.rows; ++i) {
      const double p = 1 / (1 + std::exp(-dot(a.row(i), w)));
      residual[i] = p - (y[i] > 0 ? 1 : 0), curvature[i] = p * (1 - p);
    }
    std::vector<double> gradient = transposed_times(a, residual);
    Matrix hessian = weighted_gram(a, curvature, 0);
    for (std::size_t j = 0; j < w.size(); ++j) {
      hessian(j, j) += j > 0 ? penalty : 1e-9;
      if (j > 0) gradient[j] += penalty * w[j];
    }
    const std::vector<double> way = solve_spd(std::move(hessian), gradient);
    double length = 1, next = now;
    std::vector<double> candidate(w.size());
    for (int half = 0; half < 30; ++half, length *= 0.5) {
      for (std::size_t j = 0; j < w.size(); ++j) candidate[j] = w[j] - length * way[j];
      if ((next = loss(candidate)) <= now) break;
    }
    if (!(now - next > 1e-10 * (1 + now))) break;
    w = candidate, now = next;
  }
  return w;
}

double area_under_curve(const std::vector<double>& positive, const std::vector<double>& negative) {
  std::vector<double> sorted = negative;
  std::ranges::sort(sorted);
  double sum = 0;
  for (const double v : positive) {
    const auto [first, last] = std::ranges::equal_range(sorted, v);
    sum += static_cast<double>(first - sorted.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return sum / (static_cast<double>(positive.size()) * static_cast<double>(negative.size()));
}

}  // namespace simulacra::dense
