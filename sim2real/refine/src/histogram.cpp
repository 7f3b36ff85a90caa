// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/histogram.h"

#include <utility>

#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

/// Quantiles at (k + 1/2) / count of ascending rows, linear between order statistics, which stand at (i + 1/2) / n.
Tensor at_quantiles(const Tensor& ascending, const Tensor& quantiles) {
  const std::int64_t n = ascending.size(1);
  const Tensor rank = (quantiles * static_cast<double>(n) - 0.5).clamp(0, static_cast<double>(n - 1));
  const Tensor below = rank.floor().to(torch::kLong), above = (below + 1).clamp_max(n - 1);
  const Tensor share = rank - below.to(torch::kDouble), lo = ascending.gather(1, below).to(torch::kDouble), hi = ascending.gather(1, above).to(torch::kDouble);
  return (lo + share * (hi - lo)).to(ascending.scalar_type());
}

Tensor sorted_values(const Tensor& images, std::int64_t most) {
  if (images.dim() != 4 || images.numel() == 0) fail("histogram matching takes images [batch, channels, rows, columns], and some of them");
  const Tensor values = std::get<0>(images.detach().to(torch::kFloat).transpose(0, 1).flatten(1).sort(1));
  if (!values.isfinite().all().item<bool>()) fail("histogram matching met values that are not finite");
  if (values.size(1) <= most) return values.contiguous();
  const Tensor quantiles = (torch::arange(most, torch::kDouble) + 0.5) / static_cast<double>(most);
  return at_quantiles(values, quantiles.expand({values.size(0), most}));
}

}  // namespace

HistogramMatch::HistogramMatch(const Tensor& synthetic, const Tensor& real, std::int64_t most)
    : HistogramMatch(of(sorted_values(synthetic, most), sorted_values(real, most))) {}

HistogramMatch HistogramMatch::of(Tensor from, Tensor to) {
  if (from.dim() != 2 || to.dim() != 2 || from.size(0) != to.size(0) || from.size(1) < 1 || to.size(1) < 1)
    fail("histogram matching needs values of as many channels on both sides");
  HistogramMatch match;
  match.from_ = std::move(from), match.to_ = std::move(to);
  return match;
}

Tensor HistogramMatch::apply(const Tensor& images) const {
  if (images.dim() != 4 || images.size(1) != from_.size(0)) fail("this histogram matching is of {} channels", from_.size(0));
  const torch::NoGradGuard no_grad;
  const Tensor rows = images.to(torch::kFloat).transpose(0, 1);
  const Tensor values = rows.flatten(1).contiguous();
  const Tensor ranks = (torch::searchsorted(from_, values, false, false) + torch::searchsorted(from_, values, false, true)).to(torch::kDouble) / 2;
  const Tensor matched = at_quantiles(to_, ranks / static_cast<double>(from_.size(1)));
  return matched.view(rows.sizes()).transpose(0, 1).contiguous();
}

}  // namespace simulacra::sim2real
