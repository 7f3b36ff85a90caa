// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/predict.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "render/base/error.h"
#include "sim2real/dense/logistic.h"

namespace simulacra::preference {
namespace {

using dense::Matrix;
using Rows = std::vector<std::size_t>;

Rows all_rows_but(std::size_t count, std::size_t left_out) {
  Rows rows;
  for (std::size_t i = 0; i < count; ++i)
    if (i != left_out) rows.push_back(i);
  return rows;
}

double mean_of(std::span<const double> values, const Rows& rows) {
  double sum = 0;
  for (const std::size_t i : rows) sum += values[i];
  return sum / static_cast<double>(rows.size());
}

std::vector<double> column_means(const Matrix& x, std::span<const std::size_t> rows) {
  std::vector<double> mean(x.columns);
  for (const std::size_t i : rows)
    for (std::size_t j = 0; j < x.columns; ++j) mean[j] += x(i, j);
  for (double& m : mean) m /= static_cast<double>(rows.size());
  return mean;
}

std::vector<double> signs(const std::vector<bool>& labels) {
  std::vector<double> y;
  for (const bool l : labels) y.push_back(l ? 1 : -1);
  return y;
}

/// Standardised, chosen features of a fold, an intercept first.
struct Scaling {
  std::vector<std::size_t> columns;
  std::vector<double> mean, scale;
  std::vector<double> row(const Matrix& x, std::size_t i) const {
    std::vector<double> r = {1};
    for (std::size_t k = 0; k < columns.size(); ++k) r.push_back((x(i, columns[k]) - mean[k]) / scale[k]);
    return r;
  }
};

/// Features are standardised before they are chosen, so a large unit is no advantage.
Scaling fit_scaling(const Matrix& x, std::span<const double> y, const Rows& rows, std::size_t top) {
  const std::vector<double> mean = column_means(x, rows);
  const double y_mean = mean_of(y, rows);
  std::vector<double> scale(x.columns), strength(x.columns);
  for (std::size_t j = 0; j < x.columns; ++j) {
    double square = 0, product = 0;
    for (const std::size_t i : rows) {
      const double d = x(i, j) - mean[j];
      square += d * d, product += d * (y[i] - y_mean);
    }
    scale[j] = std::sqrt(square / static_cast<double>(rows.size()));
    if (!(scale[j] > 0)) scale[j] = 1;
    strength[j] = std::abs(product) / scale[j];
  }
  Scaling s;
  s.columns.resize(x.columns);
  std::iota(s.columns.begin(), s.columns.end(), std::size_t{0});
  if (top > 0 && top < x.columns) {
    std::ranges::stable_sort(s.columns, std::ranges::greater{}, [&](std::size_t j) { return strength[j]; });
    s.columns.resize(top);
  }
  for (const std::size_t j : s.columns) s.mean.push_back(mean[j]), s.scale.push_back(scale[j]);
  return s;
}

Matrix design(const Matrix& x, const Scaling& scaling, const Rows& rows) {
  Matrix a(rows.size(), scaling.columns.size() + 1);
  for (std::size_t r = 0; r < rows.size(); ++r) std::ranges::copy(scaling.row(x, rows[r]), a.values.begin() + static_cast<std::ptrdiff_t>(r * a.columns));
  return a;
}

std::vector<double> picked(std::span<const double> values, const Rows& rows) {
  std::vector<double> out;
  for (const std::size_t i : rows) out.push_back(values[i]);
  return out;
}

/// The penalty with the least log-loss when each row of the fold is left out in turn.
double best_penalty(const Matrix& x, std::span<const double> y, const Rows& rows, const PredictorOptions& options) {
  if (options.penalties.size() == 1) return options.penalties[0];
  std::vector<double> loss(options.penalties.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Rows rest = rows;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(r));
    const Scaling scaling = fit_scaling(x, y, rest, options.top);
    const Matrix a = design(x, scaling, rest);
    const std::vector<double> labels = picked(y, rest), row = scaling.row(x, rows[r]);
    for (std::size_t p = 0; p < loss.size(); ++p) loss[p] += dense::log1p_exp(-y[rows[r]] * dense::dot(row, dense::fit_logistic(a, labels, options.penalties[p])));
  }
  return options.penalties[static_cast<std::size_t>(std::ranges::min_element(loss) - loss.begin())];
}

}  // namespace

Metrics metrics(std::span<const double> scores, const std::vector<bool>& labels, double threshold) {
  SIM_CHECK(scores.size() == labels.size());
  Metrics m;
  std::vector<double> positive, negative;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool says = scores[i] > threshold;
    (labels[i] ? (says ? m.tp : m.fn) : (says ? m.fp : m.tn)) += 1;
    m.log_loss += dense::log1p_exp(labels[i] ? -scores[i] : scores[i]) / static_cast<double>(scores.size());
    (labels[i] ? positive : negative).push_back(scores[i]);
  }
  const double positives = m.tp + m.fn, negatives = m.tn + m.fp;
  if (positives == 0 || negatives == 0) fail("metrics of a classifier take both classes; there are {} and {}", positives, negatives);
  m.accuracy = (m.tp + m.tn) / (positives + negatives);
  m.balanced_accuracy = 0.5 * (m.tp / positives + m.tn / negatives);
  m.auc = dense::area_under_curve(positive, negative);
  return m;
}

std::vector<std::size_t> top_features(const Matrix& x, std::span<const double> labels, std::span<const std::size_t> use, std::size_t k) {
  const Rows rows(use.begin(), use.end());
  const std::vector<double> mean = column_means(x, use);
  const double label_mean = mean_of(labels, rows);
  std::vector<double> strength(x.columns);
  for (std::size_t j = 0; j < x.columns; ++j) {
    double product = 0;
    for (const std::size_t i : use) product += (x(i, j) - mean[j]) * (labels[i] - label_mean);
    strength[j] = std::abs(product);
  }
  std::vector<std::size_t> order(x.columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return strength[j]; });
  order.resize(std::min(k, order.size()));
  return order;
}

std::vector<double> leave_one_out_ridge(const Matrix& x, std::span<const double> labels, std::size_t top, double penalty, bool choose_inside) {
  SIM_CHECK(labels.size() == x.rows && x.rows >= 3);
  const auto leaked = top_features(x, labels, all_rows_but(x.rows, x.rows), top);
  std::vector<double> predictions;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Rows rows = all_rows_but(x.rows, i);
    const auto columns = choose_inside ? top_features(x, labels, rows, top) : leaked;
    const std::vector<double> mean = column_means(x, rows);
    const double label_mean = mean_of(labels, rows);
    Matrix a(rows.size(), columns.size());
    std::vector<double> target, here;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      for (std::size_t k = 0; k < columns.size(); ++k) a(r, k) = x(rows[r], columns[k]) - mean[columns[k]];
      target.push_back(labels[rows[r]] - label_mean);
    }
    for (const std::size_t j : columns) here.push_back(x(i, j) - mean[j]);
    const std::vector<double> ones(rows.size(), 1);
    const auto slope = dense::solve_spd(dense::weighted_gram(a, ones, penalty), dense::transposed_times(a, target));
    predictions.push_back(dense::dot(here, slope) + label_mean);
  }
  return predictions;
}

std::vector<double> leave_one_out_majority(const std::vector<bool>& labels) {
  const std::vector<double> y = signs(labels);
  const double sum = std::accumulate(y.begin(), y.end(), 0.0);
  std::vector<double> scores;
  for (const double own : y) scores.push_back(sum - own > 0 ? 1 : -1);
  return scores;
}

std::vector<double> leave_one_out_logistic(const Matrix& x, const std::vector<bool>& labels, const PredictorOptions& options) {
  SIM_CHECK(labels.size() == x.rows && !options.penalties.empty());
  if (x.rows < 4) fail("a predictor takes at least 4 participants; there are {}", x.rows);
  const std::vector<double> y = signs(labels);
  std::vector<double> scores;
  for (std::size_t i = 0; i < x.rows; ++i) {
    const Rows rows = all_rows_but(x.rows, i);
    const double penalty = best_penalty(x, y, rows, options);
    const Scaling scaling = fit_scaling(x, y, rows, options.top);
    scores.push_back(dense::dot(scaling.row(x, i), dense::fit_logistic(design(x, scaling, rows), picked(y, rows), penalty)));
  }
  return scores;
}

double permutation_p(const Matrix& x, const std::vector<bool>& labels, const PredictorOptions& options, int permutations, std::uint64_t seed) {
  const double observed = metrics(leave_one_out_logistic(x, labels, options), labels).balanced_accuracy;
  std::mt19937_64 random(seed);
  int count = 0;
  for (int p = 0; p < permutations; ++p) {
    std::vector<bool> shuffled = labels;
    for (std::size_t i = shuffled.size(); i > 1; --i) {
      const std::size_t j = random() % i;
      const bool kept = shuffled[i - 1];
      shuffled[i - 1] = shuffled[j], shuffled[j] = kept;
    }
    count += metrics(leave_one_out_logistic(x, shuffled, options), shuffled).balanced_accuracy >= observed - 1e-12;
  }
  return (1.0 + count) / (1.0 + permutations);
}

}  // namespace simulacra::preference
