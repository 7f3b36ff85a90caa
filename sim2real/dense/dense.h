// SPDX-License-Identifier: Apache-2.0
// Small dense linear algebra in double, for statistics and closed forms.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace simulacra::dense {

/// Row major.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  Matrix() = default;
  Matrix(std::size_t r, std::size_t c, std::vector<double> v = {});
  double& operator()(std::size_t i, std::size_t j) { return values[i * columns + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
  std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
};

double dot(std::span<const double> a, std::span<const double> b);
/// Euclidean length.
double norm(std::span<const double> v);
/// A x.
std::vector<double> times(const Matrix& a, std::span<const double> x);
/// A^T x.
std::vector<double> transposed_times(const Matrix& a, std::span<const double> x);
/// A^T diag(w) A + ridge I.
Matrix weighted_gram(const Matrix& a, std::span<const double> w, double ridge);
/// x with A x = b, A symmetric positive definite (Cholesky). Throws Error when it is not.
std::vector<double> solve_spd(Matrix a, std::span<const double> b);

/// x with A x = b for any regular A (Gaussian elimination, largest pivot of each column). Throws Error when a pivot is 0.
std::vector<double> solve(Matrix a, std::span<const double> b);

/// Weights of a soft-max, safe for any size of logits; -infinity gives 0.
std::vector<double> softmax(std::span<const double> logits);

}  // namespace simulacra::dense
