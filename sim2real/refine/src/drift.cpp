// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/drift.h"

#include <limits>
#include <vector>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

using torch::indexing::None;
using torch::indexing::Slice;

/// 1 inside, 0 within `border` of the edge of a picture.
torch::Tensor interior(const torch::Tensor& like, std::int64_t border) {
  torch::Tensor mask = torch::zeros_like(like);
  const std::int64_t rows = like.size(-2) - 2 * border, columns = like.size(-1) - 2 * border;
  if (rows > 0 && columns > 0) mask.narrow(-2, border, rows).narrow(-1, border, columns).fill_(1);
  return mask;
}

/// Marks both pixels of each pair of neighbours that differ: [B, H, W-1] and [B, H-1, W] -> [B, H, W].
torch::Tensor both_sides(const torch::Tensor& across, const torch::Tensor& down) {
  const torch::Tensor a = across.to(torch::kFloat), d = down.to(torch::kFloat);
  const auto pad = [](const torch::Tensor& t, std::vector<std::int64_t> p) { return torch::constant_pad_nd(t, p); };
  return pad(a, {0, 1}).maximum(pad(a, {1, 0})).maximum(pad(d, {0, 0, 0, 1})).maximum(pad(d, {0, 0, 1, 0}));
}

torch::Tensor tile_sums(const torch::Tensor& t, std::int64_t tile) {
  return torch::avg_pool2d(t.unsqueeze(1), {tile, tile}, {tile, tile}).squeeze(1) * static_cast<double>(tile * tile);
}

/// Weighted correlation, tile by tile, of `before` with `after` moved back by (column, row).
torch::Tensor correlation(const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& weight, std::int64_t column,
                          std::int64_t row, std::int64_t tile) {
  const torch::Tensor moved = torch::roll(after, {-row, -column}, {-2, -1});
  const auto sum = [&](const torch::Tensor& t) { return tile_sums(weight * t, tile); };
  const torch::Tensor w = tile_sums(weight, tile).clamp_min(1e-12), a = sum(before) / w, b = sum(moved) / w;
  const torch::Tensor covariance = sum(before * moved) / w - a * b;
  const torch::Tensor variance_a = sum(before * before) / w - a * a, variance_b = sum(moved * moved) / w - b * b;
  return covariance / (variance_a.clamp_min(0) * variance_b.clamp_min(0)).sqrt().clamp_min(1e-12);
}

/// Where a parabola through three values at -1, 0 and 1 has its top; the middle one is the largest.
torch::Tensor top_of_parabola(const torch::Tensor& left, const torch::Tensor& middle, const torch::Tensor& right) {
  return (right - left) / (2 * (2 * middle - left - right)).clamp_min(1e-12);
}

/// Smoothed, so that a shift by less than a pixel shows and noise does not.
torch::Tensor smoothed(const torch::Tensor& edges) {
  const torch::Tensor row = torch::tensor({1., 4., 6., 4., 1.}, torch::kDouble) / 16;
  const torch::Tensor filter = row.outer(row).view({1, 1, 5, 5});
  return torch::conv2d(torch::replication_pad2d(edges.to(torch::kDouble).unsqueeze(1), {2, 2, 2, 2}), filter).squeeze(1);
}

double quantile_of(const torch::Tensor& values, double q) { return values.numel() == 0 ? 0 : values.quantile(q).item<double>(); }

/// For the tiles that `enough` ([rows * columns of tiles]) marks: where `after` fits `before` best, weighted by `band`.
BorderShift best_fit(const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& band, const torch::Tensor& enough,
                     const BorderShiftOptions& o) {
  const std::int64_t s = o.search, n = 2 * s + 1;

  // 1. The correlation at every shift; a little less for a long one, which decides where the edges leave it open.
  constexpr double kLessAPixelSquared = 1e-3;
  std::vector<torch::Tensor> values;
  for (std::int64_t row = -s; row <= s; ++row)
    for (std::int64_t column = -s; column <= s; ++column)
      values.push_back(correlation(before, after, band, column, row, o.tile) - kLessAPixelSquared * static_cast<double>(row * row + column * column));
  const torch::Tensor score = torch::stack(values, -1).view({-1, n * n}).index({enough});

  // 2. Its maximum, and to a fraction of a pixel along both axes where it does not lie at the end of the search.
  const torch::Tensor best = score.argmax(1), column = best.remainder(n), row = best.div(n, "floor");
  const auto at = [&](const torch::Tensor& c, const torch::Tensor& r) {
    return score.gather(1, (r.clamp(0, n - 1) * n + c.clamp(0, n - 1)).unsqueeze(1)).squeeze(1);
  };
  const auto inside = [&](const torch::Tensor& t) { return (t > 0).logical_and(t < n - 1).to(torch::kDouble); };
  const torch::Tensor top = at(column, row);
  const torch::Tensor dx = top_of_parabola(at(column - 1, row), top, at(column + 1, row)) * inside(column);
  const torch::Tensor dy = top_of_parabola(at(column, row - 1), top, at(column, row + 1)) * inside(row);
  return {torch::stack({(column - s).to(torch::kDouble) + dx, (row - s).to(torch::kDouble) + dy}, 1), top};
}

}  // namespace

torch::Tensor dark_centre(const torch::Tensor& images, double share, std::int64_t border) {
  if (images.dim() != 3) fail("the dark centre is of images [batch, rows, columns], not of {} dimensions", images.dim());
  const torch::Tensor q = images.flatten(1).quantile(share, 1).view({-1, 1, 1});
  const torch::Tensor weight = (q - images).clamp_min(0) * interior(images, border);
  const torch::Tensor columns = torch::arange(images.size(2), images.options()), rows = torch::arange(images.size(1), images.options());
  const torch::Tensor centre = torch::stack({(weight * columns).sum({1, 2}), (weight * rows.unsqueeze(1)).sum({1, 2})}, 1);
  return centre / weight.sum({1, 2}).unsqueeze(1);
}

torch::Tensor mean_dark_shift(const torch::Tensor& images, const torch::Tensor& refined, double share, std::int64_t border) {
  return (dark_centre(refined, share, border) - dark_centre(images, share, border)).mean(0);
}

torch::Tensor image_edges(const torch::Tensor& images) {
  const torch::Tensor p = torch::replication_pad2d(images, {1, 1, 1, 1});
  const Slice all, inner(1, -1), before(None, -2), after(2, None);
  const torch::Tensor across = p.index({all, all, inner, after}) - p.index({all, all, inner, before});
  const torch::Tensor down = p.index({all, all, after, inner}) - p.index({all, all, before, inner});
  return ((across.square() + down.square()).sum(1)).sqrt() / 2;
}

torch::Tensor depth_borders(const torch::Tensor& depth, double relative_step) {
  const torch::Tensor usable = depth.isfinite().logical_and(depth > 0);
  const auto steps = [&](std::int64_t dim) {
    const std::int64_t n = depth.size(dim) - 1;
    const torch::Tensor a = depth.narrow(dim, 0, n), b = depth.narrow(dim, 1, n);
    const torch::Tensor both = usable.narrow(dim, 0, n).logical_and(usable.narrow(dim, 1, n));
    return ((a - b).abs() > relative_step * torch::minimum(a, b)).logical_and(both);
  };
  return both_sides(steps(2), steps(1));
}

torch::Tensor id_borders(const torch::Tensor& ids) {
  const auto changes = [&](std::int64_t dim) {
    const std::int64_t n = ids.size(dim) - 1;
    return ids.narrow(dim, 0, n) != ids.narrow(dim, 1, n);
  };
  return both_sides(changes(2), changes(1));
}

double BorderShift::median_px() const { return quantile_px(0.5); }
double BorderShift::quantile_px(double q) const { return quantile_of(shift.norm(2, 1), q); }
double BorderShift::median_correlation() const { return quantile_of(correlation, 0.5); }

BorderShift border_shift(const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& borders,
                         const BorderShiftOptions& o) {
  if (before.dim() != 3 || before.sizes() != after.sizes() || before.sizes() != borders.sizes())
    fail("edges before and after and the borders are to be [batch, rows, columns] of one size");
  if (before.size(1) < o.tile || before.size(2) < o.tile) fail("pictures are smaller than a tile of {} pixels", o.tile);
  const torch::NoGradGuard no_grad;
  const torch::Tensor a = smoothed(before), b = smoothed(after), line = borders.to(torch::kDouble);
  const std::int64_t s = o.search, width = 2 * o.band + 1;
  const torch::Tensor band = torch::max_pool2d(line.unsqueeze(1), {width, width}, {1, 1}, {o.band, o.band}).squeeze(1) * interior(line, s + 2);
  const torch::Tensor enough = (tile_sums(line * interior(line, s + 2), o.tile) >= o.least_borders).flatten();

  // A tile cuts edges off, which draws the fraction of a pixel to one side: as much for edges that have not moved.
  const BorderShift found = best_fit(a, b, band, enough, o), unmoved = best_fit(a, a, band, enough, o);
  return {found.shift - unmoved.shift, found.correlation};
}

}  // namespace simulacra::sim2real
