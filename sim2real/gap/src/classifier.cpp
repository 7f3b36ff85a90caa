// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/base/error.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

using dense::Matrix;

/// Weights of the features, then the intercept.
using Weights = std::vector<double>;

double logit(const Weights& w, std::span<const double> x) {
  double sum = w.back();
  for (std::size_t j = 0; j < x.size(); ++j) sum += w[j] * x[j];
  return sum;
}

double log1p_exp(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }

double loss_of(const Matrix& x, const std::vector<double>& y, const Weights& w, double ridge) {
  double sum = 0;
  for (std::size_t j = 0; j + 1 < w.size(); ++j) sum += ridge / 2 * w[j] * w[j];
  for (std::size_t i = 0; i < x.rows; ++i) {
    const double t = logit(w, x.row(i));
    sum += log1p_exp(t) - y[i] * t;
  }
  return sum;
}

/// Newton's step: (H)^-1 gradient. The intercept is not regularised, up to what keeps H regular.
Weights newton_step(const Matrix& x, const std::vector<double>& y, const Weights& w, double ridge) {
  const std::size_t d = w.size();
  Matrix hessian(d, d);
  Weights gradient(d);
  std::vector<double> row(d, 1.0);
  for (std::size_t i = 0; i < x.rows; ++i) {
    std::ranges::copy(x.row(i), row.begin());
    const double p = 1 / (1 + std::exp(-logit(w, x.row(i))));
    for (std::size_t j = 0; j < d; ++j) {
      gradient[j] += (p - y[i]) * row[j];
      for (std::size_t k = 0; k < d; ++k) hessian(j, k) += p * (1 - p) * row[j] * row[k];
    }
  }
  for (std::size_t j = 0; j + 1 < d; ++j) gradient[j] += ridge * w[j], hessian(j, j) += ridge;
  hessian(d - 1, d - 1) += 1e-9;
  return dense::solve_spd(std::move(hessian), gradient);
}

Weights logistic_regression(const Matrix& x, const std::vector<double>& y, double ridge) {
  Weights w(x.columns + 1);
  double loss = loss_of(x, y, w, ridge);
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Weights step = newton_step(x, y, w, ridge);
    double scale = 1, next = 0;
    Weights moved = w;
    for (int halving = 0; halving < 30; ++halving, scale /= 2) {
      for (std::size_t j = 0; j < w.size(); ++j) moved[j] = w[j] - scale * step[j];
      if ((next = loss_of(x, y, moved, ridge)) <= loss) break;
    }
    if (!(next < loss - 1e-10 * (1 + loss))) break;
    w = moved, loss = next;
  }
  return w;
}

/// Rows of a and b that are, or are not, in the fold.
Matrix rows_in(const Matrix& m, const std::vector<int>& fold_of, int fold, bool inside) {
  Matrix out;
  out.columns = m.columns;
  for (std::size_t i = 0; i < m.rows; ++i)
    if ((fold_of[i] == fold) == inside) out.values.insert(out.values.end(), m.row(i).begin(), m.row(i).end()), ++out.rows;
  return out;
}

std::vector<int> folds_of(std::size_t rows, int folds, std::uint64_t seed, std::uint64_t stream) {
  const std::vector<std::size_t> order = Random(seed, stream).permutation(rows);
  std::vector<int> fold(rows);
  for (std::size_t i = 0; i < rows; ++i) fold[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  return fold;
}

double variance(double t, double m, double n) {
  const double extra = (m + n) / 2 - 1;
  return t * (1 - t) * (1 + extra * ((1 - t) / (2 - t) + t / (1 + t))) / (m * n);
}

}  // namespace

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

Area area_interval(double area, std::size_t positives, std::size_t negatives, double z) {
  const auto m = static_cast<double>(positives), n = static_cast<double>(negatives);
  // The limit where |area - t| = z sqrt(variance(t)), between the estimate and the end.
  const auto limit = [&](double end) {
    double inside = area, outside = end;
    for (int i = 0; i < 200; ++i) {
      const double t = 0.5 * (inside + outside);
      (std::abs(area - t) <= z * std::sqrt(variance(t, m, n)) ? inside : outside) = t;
    }
    return 0.5 * (inside + outside);
  };
  return {area, limit(0), limit(1)};
}

Area domain_classifier(const Matrix& a, const Matrix& b, const ClassifierOptions& options) {
  SIM_CHECK(a.columns == b.columns);
  const auto folds = static_cast<std::size_t>(options.folds);
  if (folds < 2 || a.rows < folds || b.rows < folds)
    fail("a classifier with {} folds cannot be made of {} and {} feature vectors", options.folds, a.rows, b.rows);
  const std::vector<int> fold_a = folds_of(a.rows, options.folds, options.seed, 0), fold_b = folds_of(b.rows, options.folds, options.seed, 1);
  double sum = 0;
  for (int fold = 0; fold < options.folds; ++fold) {
    Matrix training = rows_in(a, fold_a, fold, false);
    std::vector<double> y(training.rows, 1.0);
    const Matrix others = rows_in(b, fold_b, fold, false);
    training.values.insert(training.values.end(), others.values.begin(), others.values.end());
    training.rows += others.rows, y.resize(training.rows, 0.0);
    const Weights w = logistic_regression(standardised(training, training), y, options.ridge);
    const auto scores = [&](const Matrix& held_out) {
      const Matrix x = standardised(held_out, training);
      std::vector<double> s;
      for (std::size_t i = 0; i < x.rows; ++i) s.push_back(logit(w, x.row(i)));
      return s;
    };
    sum += area_under_curve(scores(rows_in(a, fold_a, fold, true)), scores(rows_in(b, fold_b, fold, true)));
  }
  return area_interval(sum / options.folds, a.rows, b.rows);
}

}  // namespace simulacra::gap
