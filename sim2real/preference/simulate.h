// SPDX-License-Identifier: Apache-2.0
// Simulated respondents of known truth: whether a study, its page and its analysis find what is there, before people are asked.
#pragma once

#include <cstdint>
#include <string>

#include "sim2real/preference/study.h"

namespace simulacra::preference {

struct ResponseTruth {
  /// Of a participant in the middle: the probability of the right answer; without a target, of preferring the condition that comes
  /// first in Study::conditions().
  double rate = 0.7;
  double spread = 0.5;      ///< of participants on the logit scale, as MixedRate::sigma
  double tie_share = 0;     ///< of pairs that may be tied
  double rating_gain = 0.8; ///< rating points of the target condition, or the first, over the others
};
/// What the page would save, JSON lines of every participant. Attention checks are answered right.
std::string simulate_responses(const Study& study, const ResponseTruth& truth, std::uint64_t seed);

/// Share of `studies` simulated studies in which the mixed model finds the rate above 1/2, one-sided: what is to be expected when
/// people differ, where power() takes all trials for independent. Standard error sqrt(p (1 - p) / studies).
double simulated_power(int participants, int trials_each, double rate, double spread, double alpha, int studies, std::uint64_t seed);

}  // namespace simulacra::preference
