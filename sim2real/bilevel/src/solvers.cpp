// SPDX-License-Identifier: Apache-2.0
#include "sim2real/bilevel/solvers.h"

#include <cmath>
#include <utility>

#include "render/base/mix64.h"
#include "sim2real/dense/dense.h"

namespace simulacra::bilevel {

std::vector<double> conjugate_gradients(const Product& h, std::span<const double> g, std::size_t steps, const Watch& watch) {
  std::vector<double> v(g.size()), residual(g.begin(), g.end()), way = residual;
  double square = dense::dot(residual, residual);
  for (std::size_t k = 1; k <= steps && square > 0; ++k) {
    const std::vector<double> curved = h(way);
    const double curvature = dense::dot(way, curved);
    if (!(curvature > 0)) break;
    const double length = square / curvature;
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += length * way[i], residual[i] -= length * curved[i];
    const double next = dense::dot(residual, residual);
    for (std::size_t i = 0; i < way.size(); ++i) way[i] = residual[i] + next / square * way[i];
    square = next;
    if (watch && watch(k, v)) break;
  }
  return v;
}

std::vector<double> neumann(const Product& h, std::span<const double> g, double lipschitz, std::size_t steps, const Watch& watch) {
  std::vector<double> v(g.size());
  for (std::size_t k = 1; k <= steps; ++k) {
    // The first product is that of 0.
    const std::vector<double> curved = k == 1 ? std::vector<double>(g.size()) : h(v);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] += (g[i] - curved[i]) / lipschitz;
    if (watch && watch(k, v)) break;
  }
  return v;
}

double largest_eigenvalue(const Product& h, std::size_t size, std::size_t steps, std::uint64_t seed) {
  std::vector<double> v(size);
  for (std::size_t i = 0; i < size; ++i) v[i] = static_cast<double>(mix64(seed + i * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-52 - 1;
  double value = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    const double norm = dense::norm(v);
    if (!(norm > 0)) return 0;
    for (double& x : v) x /= norm;
    std::vector<double> next = h(v);
    value = dense::dot(v, next);
    v = std::move(next);
  }
  return value;
}

}  // namespace simulacra::bilevel
