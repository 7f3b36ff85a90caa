// SPDX-License-Identifier: Apache-2.0
#include "sim2real/dense/eigen.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "render/base/error.h"

namespace simulacra::dense {
namespace {

struct Rotation {
  double c, s;
};

/// Makes the element (p, q) zero.
Rotation rotation_for(const Matrix& a, std::size_t p, std::size_t q) {
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = (theta >= 0 ? 1.0 : -1.0) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0);
  return {c, t * c};
}

void rotate_columns(Matrix& m, std::size_t p, std::size_t q, Rotation r) {
  for (std::size_t k = 0; k < m.rows; ++k) {
    const double x = m(k, p), y = m(k, q);
    m(k, p) = r.c * x - r.s * y, m(k, q) = r.s * x + r.c * y;
  }
}

void rotate_rows(Matrix& m, std::size_t p, std::size_t q, Rotation r) {
  for (std::size_t k = 0; k < m.columns; ++k) {
    const double x = m(p, k), y = m(q, k);
    m(p, k) = r.c * x - r.s * y, m(q, k) = r.s * x + r.c * y;
  }
}

}  // namespace

Eigen symmetric_eigen(const Matrix& input) {
  SIM_CHECK(input.rows == input.columns);
  const std::size_t n = input.rows;
  Matrix a = input, v(n, n);
  double size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    v(i, i) = 1;
    for (std::size_t j = 0; j <= i; ++j) a(j, i) = a(i, j), size += std::abs(a(i, j));
  }
  if (!std::isfinite(size)) fail("a matrix of {} x {} has values that are not finite", n, n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = p + 1; q < n; ++q) {
        off = std::max(off, std::abs(a(p, q)));
        if (std::abs(a(p, q)) <= 1e-18 * size) continue;
        const Rotation r = rotation_for(a, p, q);
        rotate_columns(a, p, q, r), rotate_rows(a, p, q, r), rotate_columns(v, p, q, r);
      }
    if (off <= 1e-18 * size) break;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return a(i, i); });
  Eigen e{{}, Matrix(n, n)};
  for (std::size_t j = 0; j < n; ++j) {
    e.values.push_back(a(order[j], order[j]));
    for (std::size_t i = 0; i < n; ++i) e.vectors(i, j) = v(i, order[j]);
  }
  return e;
}

}  // namespace simulacra::dense
