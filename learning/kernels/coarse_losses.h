// SPDX-License-Identifier: Apache-2.0
// Losses of dense predictions that a head gives on a coarse grid, taken as if the grid were enlarged to the labels' size
// first: bilinear, centres of pixels at half, edges held (what PyTorch calls align_corners = false). Value and gradient come
// out of one pass over the pixels, and nothing of the size channels x pixels is made.
//
// Arrays are dense. A coarse map is [batch, coarse_height, coarse_width, channels], channels adjacent; labels are
// [batch, height, width], or [batch, 3, height, width] for directions. A pixel counts where `counted` [batch, height, width]
// is true (nullptr: everywhere) and its label is a value; labels elsewhere may be NaN. `gradient` has the coarse map's layout
// and is written with that of the sum (nullptr: not wanted). Images run in parallel; the results do not depend on it.
#pragma once

#include <cstdint>

#include "learning/kernels/isa.h"
#include "learning/kernels/sigmoid_attention.h"

namespace simulacra::kernels::coarse {

using attention::ParallelFor;

struct Shape {
  std::int64_t batch = 1, coarse_height = 1, coarse_width = 1, channels = 1, height = 1, width = 1;
};

struct Sum {
  double sum = 0;
  std::int64_t count = 0;  ///< pixels
};

/// Sum of -log softmax(logits)[label - 1]. Labels are 1 … channels, -1 where there is none; fails on any other, naming it.
/// Logits within +-1e29. `isa` is one that this processor has.
Sum cross_entropy(const Shape& shape, const float* logits, const std::int64_t* labels, const bool* counted, float* gradient,
                  const ParallelFor& parallel, Isa isa = best_isa());

/// Sum of the angles, radians, between prediction (any length) and target; counted where the target is longer than 1e-6.
/// A prediction of length 0 counts as a right angle, with the gradient that turns it to the target; the gradient is that of a
/// prediction not shorter than 1e-6.
Sum angle(const Shape& shape, const float* directions, const float* target, const bool* counted, float* gradient,
          const ParallelFor& parallel);

/// Per image sum(d^2) - lambda * sum(d)^2 / count, d = predicted logarithm - log(target), added up over the images. Counted
/// where the target, metres, is above 0.
Sum scale_invariant_log(const Shape& shape, const float* log_lengths, const float* target_m, const bool* counted, double lambda,
                        float* gradient, const ParallelFor& parallel);

}  // namespace simulacra::kernels::coarse
