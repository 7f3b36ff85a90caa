// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "render/base/error.h"
#include "sim2real/dense/logistic.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

using dense::Matrix;

/// A column of ones before the features.
Matrix with_intercept(const Matrix& x) {
  Matrix a(x.rows, x.columns + 1);
  for (std::size_t i = 0; i < x.rows; ++i) {
    a(i, 0) = 1;
    for (std::size_t j = 0; j < x.columns; ++j) a(i, j + 1) = x(i, j);
  }
  return a;
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
    training.rows += others.rows, y.resize(training.rows, -1.0);
    const std::vector<double> w = dense::fit_logistic(with_intercept(standardised(training, training)), y, options.ridge);
    const auto scores = [&](const Matrix& held_out) {
      return dense::times(with_intercept(standardised(held_out, training)), w);
    };
    sum += dense::area_under_curve(scores(rows_in(a, fold_a, fold, true)), scores(rows_in(b, fold_b, fold, true)));
  }
  return area_interval(sum / options.folds, a.rows, b.rows);
}

}  // namespace simulacra::gap
