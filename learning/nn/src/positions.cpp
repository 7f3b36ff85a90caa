// SPDX-License-Identifier: Apache-2.0
#include "learning/nn/positions.h"

#include <cmath>

namespace simulacra::nn {
namespace {

/// (count) row and column of each patch, in double.
struct Places {
  torch::Tensor row, column;
};
Places places_of(Grid grid, const torch::TensorOptions& options) {
  const auto exact = options.dtype(torch::kDouble).requires_grad(false);
  return {torch::arange(grid.height, exact).repeat_interleave(grid.width), torch::arange(grid.width, exact).repeat({grid.height})};
}

/// base^(-i / count), i = 0 … count - 1.
torch::Tensor frequencies(std::int64_t count, double base, const torch::TensorOptions& options) {
  const auto exact = options.dtype(torch::kDouble).requires_grad(false);
  return torch::exp(torch::arange(count, exact) * (-std::log(base) / static_cast<double>(count)));
}

}  // namespace

torch::Tensor sincos_positions(Grid grid, std::int64_t dim, const torch::TensorOptions& options) {
  const Places at = places_of(grid, options);
  const torch::Tensor f = frequencies(dim / 4, 10000, options);
  const torch::Tensor x = at.column.outer(f), y = at.row.outer(f);
  return torch::cat({x.sin(), x.cos(), y.sin(), y.cos()}, 1).to(options);
}

Rotation rope2d(Grid grid, std::int64_t head_dim, double base, const torch::TensorOptions& options) {
  const Places at = places_of(grid, options);
  const torch::Tensor f = frequencies(head_dim / 4, base, options);
  const torch::Tensor y = at.row.outer(f), x = at.column.outer(f), angle = torch::cat({y, y, x, x}, 1);
  return {angle.cos().to(options), angle.sin().to(options)};
}

torch::Tensor rotated(const torch::Tensor& x, const Rotation& r) {
  if (!r.cosine.defined()) return x;
  const std::int64_t prefix = x.size(2) - r.cosine.size(0);
  const torch::Tensor patches = x.slice(2, prefix);
  const std::vector<torch::Tensor> q = patches.chunk(4, -1);
  const torch::Tensor turned = patches * r.cosine + torch::cat({-q[1], q[0], -q[3], q[2]}, -1) * r.sine;
  return prefix == 0 ? turned : torch::cat({x.slice(2, 0, prefix), turned}, 2);
}

torch::Tensor resampled_positions(const torch::Tensor& positions, std::int64_t first, Grid from, Grid to) {
  if (from == to) return positions;
  const std::int64_t dim = positions.size(2);
  const torch::Tensor map = positions.slice(1, first).reshape({1, from.height, from.width, dim}).permute({0, 3, 1, 2});
  const torch::Tensor scaled = at::upsample_bicubic2d(map, {to.height, to.width}, /*align_corners=*/false);
  return torch::cat({positions.slice(1, 0, first), scaled.permute({0, 2, 3, 1}).reshape({1, to.count(), dim})}, 1);
}

}  // namespace simulacra::nn
