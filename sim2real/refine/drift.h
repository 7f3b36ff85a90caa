// SPDX-License-Identifier: Apache-2.0
// Did refinement move what the labels describe? Two meters. The border meter matches edges before and after, tile by tile,
// where depth or ids have borders; the dark-centre meter follows a dark blob, such as a pupil, and is confounded by shading.
// Shifts are (column, row) in pixels, positive to the right and down.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace simulacra::sim2real {

/// [B, 2]: the centre of the darkest `share` of the pixels of [B, H, W]: weights max(q - pixel, 0), where q is the image's
/// share-quantile, linear between order statistics; `border` rows and columns on each side do not count. NaN where no
/// pixel is left.
torch::Tensor dark_centre(const torch::Tensor& images, double share, std::int64_t border);
/// [2]: mean over the batch of dark_centre(refined) - dark_centre(images).
torch::Tensor mean_dark_shift(const torch::Tensor& images, const torch::Tensor& refined, double share, std::int64_t border);

/// Edge strength [B, H, W] of images [B, C, H, W]: the length of the gradient, root of the sum over channels of squares.
torch::Tensor image_edges(const torch::Tensor& images);
/// 0 or 1, float32 [B, H, W]: next to a neighbour (right or below) whose depth differs by more than the share
/// `relative_step` of the nearer one. A depth that is not positive and finite has no border.
torch::Tensor depth_borders(const torch::Tensor& depth, double relative_step);
/// 0 or 1, float32 [B, H, W]: next to a neighbour (right or below) with another id.
torch::Tensor id_borders(const torch::Tensor& ids);

struct BorderShiftOptions {
  std::int64_t tile = 16;    ///< pixels; rows and columns beyond the last whole tile do not count
  std::int64_t search = 3;   ///< largest shift looked for along an axis, pixels
  std::int64_t band = 2;     ///< pixels around a border that count
  double least_borders = 8;  ///< pixels of border that a tile needs
};

/// Of the tiles with enough borders. Shifts of `search` say at least so much.
struct BorderShift {
  torch::Tensor shift;        ///< [T, 2], pixels
  torch::Tensor correlation;  ///< [T]: of the edges at that shift; near 0 when the edges are gone
  std::int64_t tiles() const { return shift.size(0); }
  double median_px() const;     ///< of the lengths; 0 without tiles
  double quantile_px(double q) const;
  double median_correlation() const;
};

/// Matches edges `before` with those `after`, all [B, H, W], in bands around the borders (ones in `borders`). A shift that
/// the edges do not fix, as along a straight one, is 0. Throws Error when shapes differ.
BorderShift border_shift(const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& borders,
                         const BorderShiftOptions& options = {});

}  // namespace simulacra::sim2real
