// SPDX-License-Identifier: Apache-2.0
#include "sim2real/dense/dense.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "render/base/error.h"

namespace simulacra::dense {

Matrix::Matrix(std::size_t r, std::size_t c, std::vector<double> v) : rows(r), columns(c), values(std::move(v)) {
  if (values.empty()) values.resize(r * c);
  SIM_CHECK(values.size() == r * c);
}

double dot(std::span<const double> a, std::span<const double> b) {
  SIM_CHECK(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double norm(std::span<const double> v) { return std::sqrt(dot(v, v)); }

std::vector<double> times(const Matrix& a, std::span<const double> x) {
  std::vector<double> y(a.rows);
  for (std::size_t i = 0; i < a.rows; ++i) y[i] = dot(a.row(i), x);
  return y;
}

std::vector<double> transposed_times(const Matrix& a, std::span<const double> x) {
  SIM_CHECK(x.size() == a.rows);
  std::vector<double> y(a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) y[j] += a(i, j) * x[i];
  return y;
}

Matrix weighted_gram(const Matrix& a, std::span<const double> w, double ridge) {
  SIM_CHECK(w.size() == a.rows);
  Matrix g(a.columns, a.columns);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < a.columns; ++j) {
      const double scaled = w[i] * a(i, j);
      for (std::size_t k = 0; k <= j; ++k) g(j, k) += scaled * a(i, k);
    }
  for (std::size_t j = 0; j < a.columns; ++j) {
    g(j, j) += ridge;
    for (std::size_t k = 0; k < j; ++k) g(k, j) = g(j, k);
  }
  return g;
}

std::vector<double> solve_spd(Matrix a, std::span<const double> b) {
  SIM_CHECK(a.rows == a.columns && b.size() == a.rows);
  const std::size_t n = a.rows;
  // A = L L^T in the lower triangle.
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k);
    if (!(a(j, j) > 0)) fail("a matrix of {} x {} is not positive definite (pivot {} of column {})", n, n, a(j, j), j);
    a(j, j) = std::sqrt(a(j, j));
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k);
      a(i, j) /= a(j, j);
    }
  }
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= a(i, k) * x[k];
    x[i] /= a(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= a(k, i) * x[k];
    x[i] /= a(i, i);
  }
  return x;
}

std::vector<double> solve(Matrix a, std::span<const double> b) {
  SIM_CHECK(a.rows == a.columns && b.size() == a.rows);
  const std::size_t n = a.rows;
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (std::abs(a(i, j)) > std::abs(a(pivot, j))) pivot = i;
    if (!(std::abs(a(pivot, j)) > 0)) fail("a matrix of {} x {} is singular (column {})", n, n, j);
    if (pivot != j) {
      for (std::size_t k = j; k < n; ++k) std::swap(a(j, k), a(pivot, k));
      std::swap(x[j], x[pivot]);
    }
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = a(i, j) / a(j, j);
      for (std::size_t k = j; k < n; ++k) a(i, k) -= factor * a(j, k);
      x[i] -= factor * x[j];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= a(i, k) * x[k];
    x[i] /= a(i, i);
  }
  return x;
}

std::vector<double> softmax(std::span<const double> logits) {
  const double top = *std::ranges::max_element(logits);
  std::vector<double> w(logits.size());
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) sum += w[i] = std::exp(logits[i] - top);
  for (double& v : w) v /= sum;
  return w;
}

}  // namespace simulacra::dense
