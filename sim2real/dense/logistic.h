// SPDX-License-Identifier: Apache-2.0
// A linear classifier of two classes, and how well scores tell them apart.
#pragma once

#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::dense {

/// log(1 + exp(x)), safe for any x.
double log1p_exp(double x);

/// Weights w that minimise sum log(1 + exp(-y_i a_i.w)) + penalty / 2 |w|^2, labels y_i = +1 or -1, by Newton's method with halved
/// steps. Column 0 is the intercept, usually ones, and is not penalised (up to what keeps the Hessian regular).
std::vector<double> fit_logistic(const Matrix& a, const std::vector<double>& y, double penalty);

/// Area under the ROC curve: P(positive > negative) + P(equal)/2 over all pairs, exactly (Mann and Whitney 1947). Neither side
/// may be empty.
double area_under_curve(const std::vector<double>& positive, const std::vector<double>& negative);

}  // namespace simulacra::dense
