// SPDX-License-Identifier: Apache-2.0
// Which keys a query sees: always one interval, whose ends never move left from one query to the next.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "learning/kernels/sigmoid_attention.h"

namespace simulacra::kernels::attention {

struct Interval {
  std::int64_t begin = 0, end = 0;  ///< keys begin <= j < end
  bool empty() const { return begin >= end; }
};

/// Of one batch element.
struct Visibility {
  std::int64_t num_keys = 0;  ///< min(keys, key_len)
  std::int64_t shift = 0;     ///< n - m
  std::int64_t left = 0, right = 0;

  Visibility(const AttentionShape& shape, const SigmoidAttentionOptions& options, std::int64_t batch)
      : num_keys(options.key_len ? std::min(shape.keys, options.key_len[batch]) : shape.keys), shift(shape.keys - shape.queries) {
    constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;
    left = options.window_left < 0 ? kUnbounded : std::min(options.window_left, kUnbounded);
    right = options.window_right < 0 ? kUnbounded : std::min(options.window_right, kUnbounded);
    if (options.causal) right = 0;
  }

  Interval of_query(std::int64_t i) const {
    return {std::max<std::int64_t>(0, i + shift - left), std::min(num_keys, i + shift + right + 1)};
  }
};

}  // namespace simulacra::kernels::attention
