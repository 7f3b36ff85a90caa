// SPDX-License-Identifier: Apache-2.0
// What changes from update to update: learning rate, AdEMAMix's alpha and beta3.
#pragma once

#include <cstdint>

namespace simulacra::config {
class Fields;
}

namespace simulacra::optim {

/// Linear warm-up, then a cosine down to lr_end; constant after the warm-up when total is 0.
struct LearningRate {
  double lr = 1e-3;
  int warmup = 0;      ///< updates
  int total = 0;       ///< updates; 0 = no cosine
  double lr_end = 0;
};
void fields(config::Fields& f, LearningRate& o);

/// Of update t, counted from 1: lr t / warmup up to t = warmup, then lr_end + (lr - lr_end)(1 + cos(pi p)) / 2 with
/// p = (t - warmup) / (total - warmup), at most 1.
double learning_rate_at(const LearningRate& o, std::int64_t t);

/// min(alpha s / over, alpha); alpha when over = 0.
double alpha_at(double alpha, std::int64_t over, std::int64_t s);
/// The half-life goes linearly from that of `start` to that of `end` over `over` updates (Pagliardini et al. 2025):
/// exp(ln start ln end / ((1 - u) ln end + u ln start)), u = s / over; `end` when u >= 1 or over = 0. Both within (0, 1).
double beta3_at(double start, double end, std::int64_t over, std::int64_t s);
/// ln 0.5 / ln beta - 1, in updates.
double half_life(double beta);

}  // namespace simulacra::optim
