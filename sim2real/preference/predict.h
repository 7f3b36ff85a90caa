// SPDX-License-Identifier: Apache-2.0
// Predicting a participant's answer from features, and how honestly to judge it: everything that looks at labels - choice
// of features, standardising, choice of the penalty - happens inside the fold. Labels are true/false.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::preference {

struct Metrics {
  int tp = 0, tn = 0, fp = 0, fn = 0;
  double accuracy = 0, balanced_accuracy = 0;
  double auc = 0.5;      ///< half for equal scores
  double log_loss = 0;   ///< mean; probability = logistic(score)
};
/// "true" where score > threshold. Throws Error when a class is missing.
Metrics metrics(std::span<const double> scores, const std::vector<bool>& labels, double threshold = 0);

/// The k columns with the largest |covariance| with the labels among the rows that `use` names; ties by column.
std::vector<std::size_t> top_features(const dense::Matrix& x, std::span<const double> labels, std::span<const std::size_t> use, std::size_t k);

/// Leave one participant (row) out: ridge regression, centered within the fold, of labels -1/+1 on the `top` features. Chosen
/// inside the fold, or once outside: then the score is a leak, there to show how large it is. Returns predictions.
std::vector<double> leave_one_out_ridge(const dense::Matrix& x, std::span<const double> labels, std::size_t top, double penalty, bool choose_inside);

/// Scores of predicting each row by the majority of the others: of balanced labels it gets none right.
std::vector<double> leave_one_out_majority(const std::vector<bool>& labels);

struct PredictorOptions {
  std::size_t top = 5;                              ///< features to choose; 0 = all
  std::vector<double> penalties = {0.1, 1, 10};     ///< of the logistic model; the best by an inner leave-one-out
};
/// Log-odds of each row by nested leave-one-out: standardise, choose features, L2-penalised logistic regression (Newton, the
/// intercept free), the penalty by the log-loss of an inner leave-one-out.
std::vector<double> leave_one_out_logistic(const dense::Matrix& x, const std::vector<bool>& labels, const PredictorOptions& options = {});

/// Share of `permutations` shuffles of the labels, the whole nested procedure repeated, whose balanced accuracy is at least
/// the observed one; (1 + count) / (1 + permutations).
double permutation_p(const dense::Matrix& x, const std::vector<bool>& labels, const PredictorOptions& options, int permutations, std::uint64_t seed);

}  // namespace simulacra::preference
