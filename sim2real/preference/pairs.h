// SPDX-License-Identifier: Apache-2.0
// Strengths from paired comparisons.
#pragma once

#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::preference {

/// Strengths that sum to 1, by maximum likelihood of P(i beats j) = s_i / (s_i + s_j) (Bradley and Terry 1952), with the
/// minorise-maximise steps of Hunter 2004. wins(i, j): how often i was preferred to j. Throws Error when there is no
/// maximum: items fall into two groups of which one never lost to the other (Ford 1957).
std::vector<double> bradley_terry(const dense::Matrix& wins);

struct Davidson {
  std::vector<double> strengths;
  double nu = 0;  ///< P(tie) = nu sqrt(s_i s_j) / (s_i + s_j + nu sqrt(s_i s_j))
};
/// With ties (Davidson 1970). ties(i, j) = ties(j, i).
Davidson davidson(const dense::Matrix& wins, const dense::Matrix& ties);

/// Share of the triples of items, each pair decided by majority, that go round in a circle; 0 without decided triples.
double circular_share(const dense::Matrix& wins);

}  // namespace simulacra::preference
