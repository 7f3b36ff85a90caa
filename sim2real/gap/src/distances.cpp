// SPDX-License-Identifier: Apache-2.0
#include "sim2real/gap/distances.h"

#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "sim2real/dense/eigen.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

using dense::Matrix;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t k = 0; k < a.columns; ++k)
      for (std::size_t j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

/// Of a positive semidefinite matrix; rounding below zero counts as zero.
Matrix square_root(const Matrix& a) {
  const dense::Eigen e = dense::symmetric_eigen(a);
  Matrix scaled = e.vectors, transposed(a.rows, a.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.rows; ++j) {
      scaled(i, j) *= std::sqrt(std::max(0.0, e.values[j]));
      transposed(j, i) = e.vectors(i, j);
    }
  return product(scaled, transposed);
}

double kernel(std::span<const double> x, std::span<const double> y) {
  const double base = dense::dot(x, y) / static_cast<double>(x.size()) + 1;
  return base * base * base;
}

/// mmd^2 of the first n of `order` against the rest, from the sums of the kernel matrix without its diagonal.
double mmd2(const Matrix& k, const std::vector<std::size_t>& order, std::size_t n) {
  const std::size_t all = order.size();
  double within_a = 0, within_b = 0, between = 0;
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double value = k(order[i], order[j]);
      (i < n ? within_a : j < n ? between : within_b) += value;
    }
  const auto na = static_cast<double>(n), nb = static_cast<double>(all - n);
  return 2 * within_a / (na * (na - 1)) + 2 * within_b / (nb * (nb - 1)) - 2 * between / (na * nb);
}

Matrix stacked(const Matrix& a, const Matrix& b) {
  SIM_CHECK(a.columns == b.columns);
  std::vector<double> values = a.values;
  values.insert(values.end(), b.values.begin(), b.values.end());
  return Matrix(a.rows + b.rows, a.columns, std::move(values));
}

/// Rows minus their mean, over sqrt(n - 1); the covariance's trace is added to `trace`.
Matrix centered(const Matrix& rows, std::vector<double>& mean, double& trace) {
  if (rows.rows < 2) fail("a covariance of {} feature vectors: at least 2 are needed", rows.rows);
  mean.assign(rows.columns, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) mean[j] += rows(i, j) / static_cast<double>(rows.rows);
  Matrix out = rows;
  const double scale = 1 / std::sqrt(static_cast<double>(rows.rows) - 1);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) {
      out(i, j) = (rows(i, j) - mean[j]) * scale;
      trace += out(i, j) * out(i, j);
    }
  return out;
}

}  // namespace

Gaussian gaussian_of(const Matrix& rows) {
  if (rows.rows < 2) fail("a covariance of {} feature vectors: at least 2 are needed", rows.rows);
  Gaussian g{std::vector<double>(rows.columns), Matrix(rows.columns, rows.columns)};
  const auto n = static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j) g.mean[j] += rows(i, j) / n;
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.columns; ++j)
      for (std::size_t k = 0; k <= j; ++k) g.covariance(j, k) += (rows(i, j) - g.mean[j]) * (rows(i, k) - g.mean[k]) / (n - 1);
  for (std::size_t j = 0; j < rows.columns; ++j)
    for (std::size_t k = 0; k < j; ++k) g.covariance(k, j) = g.covariance(j, k);
  return g;
}

double frechet_distance(const Gaussian& a, const Gaussian& b) {
  SIM_CHECK(a.mean.size() == b.mean.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.mean.size(); ++i) {
    const double d = a.mean[i] - b.mean[i];
    sum += d * d + a.covariance(i, i) + b.covariance(i, i);
  }
  const Matrix root = square_root(a.covariance);
  for (const double v : dense::symmetric_eigen(product(product(root, b.covariance), root)).values) sum -= 2 * std::sqrt(std::max(0.0, v));
  return std::max(0.0, sum);
}

double frechet_distance(const Matrix& a, const Matrix& b) {
  SIM_CHECK(a.columns == b.columns);
  if (a.columns <= std::min(a.rows, b.rows)) return frechet_distance(gaussian_of(a), gaussian_of(b));
  double sum = 0;
  std::vector<double> mean_a, mean_b;
  const Matrix x = centered(a, mean_a, sum), y = centered(b, mean_b, sum);
  for (std::size_t j = 0; j < a.columns; ++j) sum += (mean_a[j] - mean_b[j]) * (mean_a[j] - mean_b[j]);
  const bool tall = x.rows > y.rows;
  const Matrix &few = tall ? y : x, &many = tall ? x : y;
  Matrix cross(few.rows, many.rows);
  for (std::size_t i = 0; i < few.rows; ++i)
    for (std::size_t j = 0; j < many.rows; ++j) cross(i, j) = dense::dot(few.row(i), many.row(j));
  Matrix squared(few.rows, few.rows);
  for (std::size_t i = 0; i < few.rows; ++i)
    for (std::size_t j = 0; j <= i; ++j) squared(i, j) = squared(j, i) = dense::dot(cross.row(i), cross.row(j));
  for (const double v : dense::symmetric_eigen(squared).values) sum -= 2 * std::sqrt(std::max(0.0, v));
  return std::max(0.0, sum);
}

Reduced leading_components(const Matrix& a, const Matrix& b, std::size_t count, std::uint64_t seed) {
  if (a.columns <= count) return {a, b};
  double unused = 0;
  std::vector<double> mean;
  const Matrix all = centered(stacked(a, b), mean, unused);
  std::vector<std::vector<double>> directions(count, std::vector<double>(a.columns));
  for (std::size_t k = 0; k < count; ++k) {
    Random random(seed, 3000 + k);
    for (double& v : directions[k]) v = random.normal();
  }
  constexpr int kIterations = 30;   // what matters is the span; the last of its directions may be mixed with the next
  for (int iteration = 0; iteration < kIterations; ++iteration)
    for (std::size_t k = 0; k < count; ++k) {
      std::vector<double> v = dense::transposed_times(all, dense::times(all, directions[k]));
      for (std::size_t other = 0; other < k; ++other) {
        const double along = dense::dot(v, directions[other]);
        for (std::size_t j = 0; j < v.size(); ++j) v[j] -= along * directions[other][j];
      }
      const double length = dense::norm(v);
      for (std::size_t j = 0; j < v.size(); ++j) directions[k][j] = length > 1e-300 ? v[j] / length : 0;
    }
  const auto projected = [&](const Matrix& rows) {
    Matrix out(rows.rows, count);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < count; ++k) out(i, k) = dense::dot(rows.row(i), directions[k]);
    return out;
  };
  return {projected(a), projected(b)};
}

Matrix standardised(const Matrix& rows, const Matrix& reference) {
  SIM_CHECK(rows.columns == reference.columns);
  const Gaussian g = gaussian_of(reference);
  Matrix out = rows;
  for (std::size_t j = 0; j < rows.columns; ++j) {
    const double deviation = std::sqrt(g.covariance(j, j));
    const double scale = deviation > 1e-12 * (1 + std::abs(g.mean[j])) ? 1 / deviation : 1;
    for (std::size_t i = 0; i < rows.rows; ++i) out(i, j) = (rows(i, j) - g.mean[j]) * scale;
  }
  return out;
}

KernelDistance kernel_distance(const Matrix& a, const Matrix& b, std::uint64_t seed, int permutations) {
  if (a.rows < 2 || b.rows < 2) fail("a kernel distance of {} and {} feature vectors: each side needs 2", a.rows, b.rows);
  const Matrix all = stacked(a, b);
  Matrix k(all.rows, all.rows);
  for (std::size_t i = 0; i < all.rows; ++i)
    for (std::size_t j = 0; j < i; ++j) k(i, j) = k(j, i) = kernel(all.row(i), all.row(j));
  std::vector<std::size_t> order(all.rows);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  KernelDistance d;
  d.mmd2 = mmd2(k, order, a.rows);
  int larger = 0;
  double sum = 0, squares = 0;
  for (int i = 0; i < permutations; ++i) {
    const double v = mmd2(k, Random(seed, static_cast<std::uint64_t>(i)).permutation(all.rows), a.rows);
    larger += v >= d.mmd2 ? 1 : 0, sum += v, squares += v * v;
  }
  d.p = (1.0 + larger) / (1.0 + permutations);
  if (permutations > 1) d.deviation = std::sqrt(std::max(0.0, (squares - sum * sum / permutations) / (permutations - 1)));
  return d;
}

}  // namespace simulacra::gap
