// SPDX-License-Identifier: Apache-2.0
// Baseline: histogram matching. Each channel goes through the one increasing curve that gives synthetic values the
// distribution of real ones. It moves no edge, and knows nothing of noise, blur or texture.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <vector>

namespace simulacra::sim2real {

/// Values of both sets, sorted: the curve takes the k-th of `from` to the same quantile of `to`.
class HistogramMatch {
 public:
  HistogramMatch() = default;
  /// images: [B, C, H, W], any range. At most `most` values a channel are kept, evenly spaced quantiles of a larger set.
  /// Throws Error when channels differ, or values are missing or not finite.
  HistogramMatch(const torch::Tensor& synthetic, const torch::Tensor& real, std::int64_t most = 65536);
  /// From what from() and to() gave. Throws Error when they do not fit each other.
  static HistogramMatch of(torch::Tensor from, torch::Tensor to);

  /// Equal sets of values without ties are matched exactly: the k-th smallest becomes the k-th smallest. A value that occurs
  /// several times goes where the middle of its ranks does. Beyond the ends, the end.
  torch::Tensor apply(const torch::Tensor& images) const;

  /// [C, N] and [C, M], float32, ascending.
  const torch::Tensor& from() const { return from_; }
  const torch::Tensor& to() const { return to_; }

 private:
  torch::Tensor from_, to_;
};

}  // namespace simulacra::sim2real
