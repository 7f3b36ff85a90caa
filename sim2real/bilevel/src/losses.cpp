// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "render/base/error.h"
#include "sim2real/bilevel/hypergradient.h"
#include "sim2real/dense/logistic.h"

namespace simulacra::bilevel {
namespace {

double sigmoid(double t) { return t >= 0 ? 1 / (1 + std::exp(-t)) : std::exp(t) / (1 + std::exp(t)); }

void need_fit(const dense::Matrix& a, const std::vector<double>& b) {
  if (a.rows == 0 || a.rows != b.size()) fail("a loss takes as many values as rows; there are {} rows and {} values", a.rows, b.size());
}

}  // namespace

SquaredLoss::SquaredLoss(dense::Matrix a, std::vector<double> b, double factor) : a_(std::move(a)), b_(std::move(b)), factor_(factor) {
  need_fit(a_, b_);
}

std::vector<double> SquaredLoss::residuals(std::span<const double> x) const {
  std::vector<double> r = dense::times(a_, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b_[i];
  return r;
}

double SquaredLoss::value(std::span<const double> x) const {
  const std::vector<double> r = residuals(x);
  return factor_ / 2 * dense::dot(r, r);
}

std::vector<double> SquaredLoss::gradient(std::span<const double> x) const {
  std::vector<double> g = dense::transposed_times(a_, residuals(x));
  for (double& v : g) v *= factor_;
  return g;
}

dense::Matrix SquaredLoss::hessian(std::span<const double>) const {
  return dense::weighted_gram(a_, std::vector<double>(a_.rows, factor_), 0);
}

LogisticLoss::LogisticLoss(dense::Matrix a, std::vector<double> labels) : a_(std::move(a)), labels_(std::move(labels)) { need_fit(a_, labels_); }

double LogisticLoss::value(std::span<const double> x) const {
  double sum = 0;
  for (std::size_t i = 0; i < a_.rows; ++i) sum += dense::log1p_exp(-labels_[i] * dense::dot(a_.row(i), x));
  return sum / static_cast<double>(a_.rows);
}

std::vector<double> LogisticLoss::gradient(std::span<const double> x) const {
  std::vector<double> pull(a_.rows);
  for (std::size_t i = 0; i < a_.rows; ++i)
    pull[i] = -labels_[i] * sigmoid(-labels_[i] * dense::dot(a_.row(i), x)) / static_cast<double>(a_.rows);
  return dense::transposed_times(a_, pull);
}

dense::Matrix LogisticLoss::hessian(std::span<const double> x) const {
  std::vector<double> w(a_.rows);
  for (std::size_t i = 0; i < a_.rows; ++i) {
    const double t = dense::dot(a_.row(i), x);
    w[i] = sigmoid(t) * sigmoid(-t) / static_cast<double>(a_.rows);
  }
  return dense::weighted_gram(a_, w, 0);
}

}  // namespace simulacra::bilevel
