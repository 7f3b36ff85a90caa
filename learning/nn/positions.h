// SPDX-License-Identifier: Apache-2.0
// Where a patch lies. Grids are height x width patches in row-major order; all are computed for the grid at hand, so that
// an image may have any size that is a multiple of the patch.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace simulacra::nn {

struct Grid {
  std::int64_t height = 0, width = 0;
  std::int64_t count() const { return height * width; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// (count, dim) sines and cosines [Vaswani et al. 2017] of the column, then of the row, dim / 4 frequencies 10000^(-4i/dim)
/// each: [sin x | cos x | sin y | cos y], the order of MAE [He et al. 2022].
torch::Tensor sincos_positions(Grid grid, std::int64_t dim, const torch::TensorOptions& options);

/// Rotary positions in two dimensions [Su et al. 2021]: the first half of a head's channels is turned by the row, the
/// second by the column. Within a half of width w, channel i and channel i + w/2 are a pair, turned by p base^(-2i/w).
/// The product of a turned query and a turned key depends on the difference of their places only.
struct Rotation {
  torch::Tensor cosine, sine;  ///< (count, head_dim), undefined when there is none
};
Rotation rope2d(Grid grid, std::int64_t head_dim, double base, const torch::TensorOptions& options);
/// Turns the last `count` tokens of x (batch, heads, tokens, head_dim); those before have no place.
torch::Tensor rotated(const torch::Tensor& x, const Rotation& r);

/// Positions (1, first + from.count, dim), bicubically resampled from one grid to another, the first entries kept.
torch::Tensor resampled_positions(const torch::Tensor& positions, std::int64_t first, Grid from, Grid to);

}  // namespace simulacra::nn
