// SPDX-License-Identifier: Apache-2.0
// Distances of two samples of feature vectors: one row a picture. They know nothing of where features come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim2real/dense/dense.h"

namespace simulacra::gap {

struct Gaussian {
  std::vector<double> mean;
  dense::Matrix covariance;   ///< divided by n - 1
};
Gaussian gaussian_of(const dense::Matrix& rows);

/// |m1 - m2|^2 + tr(C1 + C2 - 2 (C1^1/2 C2 C1^1/2)^1/2), the squared W2 between Gaussians (Dowson and Landau 1982), as FID has it
/// (Heusel et al. 2017). Of samples it is biased upwards by about (tr C1/n1 + tr C2/n2) and more; compare equal sample sizes.
double frechet_distance(const Gaussian& a, const Gaussian& b);
/// The same of two samples, also where features outnumber pictures: the trace is the sum of the singular values of A B^T, with A and
/// B the centered rows over sqrt(n - 1).
double frechet_distance(const dense::Matrix& a, const dense::Matrix& b);

/// Both samples minus the mean and over the standard deviation of `reference` (constant columns are only moved), so that no
/// feature's unit counts.
dense::Matrix standardised(const dense::Matrix& rows, const dense::Matrix& reference);

struct KernelDistance {
  double mmd2 = 0;          ///< unbiased: its mean is 0 for equal distributions, so it may be negative
  double p = 1;             ///< permutation test of equal distributions: (1 + count at least as large) / (1 + permutations)
  double deviation = 0;     ///< standard deviation of mmd2 over the permutations
};
/// Unbiased squared maximum mean discrepancy (Gretton et al. 2012, eq. 3) with the kernel (x y / d + 1)^3 of KID (Binkowski et
/// al. 2018). Takes (n1 + n2)^2 doubles of memory.
KernelDistance kernel_distance(const dense::Matrix& a, const dense::Matrix& b, std::uint64_t seed, int permutations = 199);

/// Area under the ROC curve (dense::area_under_curve), and an interval.
struct Area {
  double value = 0.5, lo = 0, hi = 1;
};
/// Score interval with the variance of Hanley and McNeil (1982) at the limit itself (Newcombe 2006, method 5): also of use at 0 and 1.
/// `inflation` multiplies that variance, which is of independent scores.
Area area_interval(double area, std::size_t positives, std::size_t negatives, double inflation = 1, double z = 1.959963984540054);

/// Rows in the `count` orthonormal directions of largest variance of a and b together, by subspace iteration; both as they are when
/// they have no more columns than that. Labels play no part, so a classifier may be judged on what comes out.
struct Reduced {
  dense::Matrix a, b;
};
Reduced leading_components(const dense::Matrix& a, const dense::Matrix& b, std::size_t count, std::uint64_t seed);

struct ClassifierOptions {
  int folds = 5;
  double ridge = 1;          ///< times |w|^2/2 beside the sum of log losses; the features are standardised on the training folds
  std::uint64_t seed = 1;    ///< of the folds and the bootstrap
  int draws = 40;            ///< of the bootstrap
  /// Rows of one group stay in one fold and are drawn together; empty, or fewer groups than folds: every row is its own.
  std::vector<std::size_t> groups_a{}, groups_b{};
};
/// How well a linear classifier tells a from b: regularised logistic regression by Newton's method, stratified folds, each
/// held out once; the area is the mean over the folds of the exact area within a fold. Areas of scores pooled over folds would
/// lie below 1/2 for equal distributions; these do not. 1/2: it cannot tell them apart; this is no proof that another could not.
///
/// The interval: scores of one fit depend on each other, and fits on each other's pictures, so the formula of area_interval() alone
/// is too narrow (of 95 % it holds 80 % for equal distributions, 18 features, 60 pictures a side). Its variance is multiplied by
/// how much larger the variance over a bootstrap of pictures is, all folds fitted anew, copies of a picture in one fold:
/// that is 1.1 to 1.25 times the true deviation, so the interval is on the wide side (97 to 100 %).
/// Throws Error for fewer rows than folds.
Area domain_classifier(const dense::Matrix& a, const dense::Matrix& b, const ClassifierOptions& options = {});

}  // namespace simulacra::gap
