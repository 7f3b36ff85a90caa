// SPDX-License-Identifier: Apache-2.0
// Distances of feature vectors with known truth.
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "sim2real/dense/eigen.h"
#include "sim2real/dense/logistic.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/features.h"
#include "tests/sim2real/gap/pictures.h"

namespace simulacra::gap {
namespace {

using dense::Matrix;
using namespace test;

Matrix normal_rows(std::size_t rows, std::size_t columns, double shift, std::uint64_t seed) {
  Random random(seed, 0);
  Matrix m(rows, columns);
  for (double& v : m.values) v = shift + random.normal();
  return m;
}

TEST(Eigen, VectorsTimesValuesGiveTheMatrixBack) {
  const Matrix rows = normal_rows(9, 7, 0.3, 1);
  const Matrix a = dense::weighted_gram(rows, std::vector<double>(9, 1.0), 0);
  const dense::Eigen e = dense::symmetric_eigen(a);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < 7; ++j) {
      double sum = 0, unit = 0;
      for (std::size_t k = 0; k < 7; ++k)
        sum += e.vectors(i, k) * e.values[k] * e.vectors(j, k), unit += e.vectors(k, i) * e.vectors(k, j);
      EXPECT_NEAR(sum, a(i, j), 1e-12);
      EXPECT_NEAR(unit, i == j ? 1 : 0, 1e-13);
    }
  EXPECT_TRUE(std::ranges::is_sorted(e.values));
}

TEST(Eigen, KnownValuesOfASmallMatrix) {
  // 2 -1 0; -1 2 -1; 0 -1 2: 2 - sqrt 2, 2, 2 + sqrt 2.
  const dense::Eigen e = dense::symmetric_eigen(Matrix(3, 3, {2, -1, 0, -1, 2, -1, 0, -1, 2}));
  EXPECT_NEAR(e.values[0], 2 - std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(e.values[1], 2, 1e-14);
  EXPECT_NEAR(e.values[2], 2 + std::sqrt(2.0), 1e-14);
  EXPECT_THROW(dense::symmetric_eigen(Matrix(1, 1, {NAN})), Error);
}

TEST(Frechet, GaussiansHaveTheirClosedForm) {
  // Diagonal: |m|^2 + sum (s1 - s2)^2.
  const Gaussian a{{0, 1}, Matrix(2, 2, {4, 0, 0, 9})}, b{{3, 1}, Matrix(2, 2, {1, 0, 0, 25})};
  EXPECT_NEAR(frechet_distance(a, b), 9 + 1 + 4, 1e-12);
  EXPECT_NEAR(frechet_distance(a, a), 0, 1e-12);
  // Not diagonal, by the trace formula of two by two: tr sqrt(M) = sqrt(tr M + 2 sqrt(det M)).
  const Gaussian c{{0, 0}, Matrix(2, 2, {2, 1, 1, 3})}, d{{0, 0}, Matrix(2, 2, {4, -1, -1, 1})};
  const double trace = 2 * 4 + 1 * -1 + 1 * -1 + 3 * 1, root = std::sqrt(trace + 2 * std::sqrt(5.0 * 3.0));
  EXPECT_NEAR(frechet_distance(c, d), 5 + 5 - 2 * root, 1e-12);
  EXPECT_NEAR(frechet_distance(d, c), frechet_distance(c, d), 1e-12);
  // One without spread.
  EXPECT_NEAR(frechet_distance({{1}, Matrix(1, 1, {0.0})}, {{0}, Matrix(1, 1, {4.0})}), 5, 1e-12);
}

TEST(Frechet, OfSamplesItIsTheShift) {
  const double d = frechet_distance(gaussian_of(normal_rows(4000, 5, 0, 1)), gaussian_of(normal_rows(4000, 5, 1, 2)));
  // 5 shifts of 1; deviation of the squared mean difference 2 sqrt(5) sqrt(2/4000) = 0.1.
  EXPECT_NEAR(d, 5, 0.4);
}

TEST(Frechet, OfFewRowsAndManyColumnsItIsTheGaussians) {
  for (const std::size_t rows : {6u, 9u, 20u}) {
    const Matrix a = normal_rows(rows, 12, 0.2, 5), b = normal_rows(8, 12, 0, 6);
    // Roots of rounding errors of 1e-16 around zero eigenvalues remain.
    EXPECT_NEAR(frechet_distance(a, b), frechet_distance(gaussian_of(a), gaussian_of(b)), 1e-6) << rows;
  }
}

TEST(Components, TheLeadingOnesKeepWhatVariesMost) {
  // Column j has deviation 2^-j, turned by a reflection; the leading three hold all but sum_{j>2} 4^-j = 1/48 of sum = 4/3.
  const std::size_t n = 10;
  Matrix a = normal_rows(4000, n, 0, 7), b = normal_rows(4000, n, 0, 8);
  std::vector<double> v(n);
  double length = 0;
  for (std::size_t j = 0; j < n; ++j) v[j] = 1.0 + static_cast<double>(j), length += v[j] * v[j];
  for (Matrix* m : {&a, &b})
    for (std::size_t i = 0; i < m->rows; ++i) {
      double along = 0;
      for (std::size_t j = 0; j < n; ++j) (*m)(i, j) *= std::exp2(-static_cast<double>(j)), along += (*m)(i, j) * v[j] / length;
      for (std::size_t j = 0; j < n; ++j) (*m)(i, j) -= 2 * along * v[j];
    }
  const Reduced r = leading_components(a, b, 3, 1);
  ASSERT_EQ(r.a.columns, 3u);
  const Gaussian g = gaussian_of(r.a);
  // A variance of 4000 rows has a deviation of 2.2 %.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(g.covariance(k, k) * std::exp2(2 * static_cast<double>(k)), 1, 0.12);
  EXPECT_EQ(leading_components(a, b, n, 1).a.values, a.values);
}

TEST(Kernel, EqualDistributionsAreWithinItsDeviationOfZeroAndAShiftIsFound) {
  const Matrix a = normal_rows(120, 6, 0, 1);
  int small_p = 0;
  double sum = 0, deviation = 0;
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    const KernelDistance d = kernel_distance(normal_rows(120, 6, 0, 100 + seed), normal_rows(100, 6, 0, seed), seed, 59);
    small_p += d.p <= 0.05 ? 1 : 0, sum += d.mmd2 / 20, deviation = d.deviation;
  }
  // Mean of 20: within four deviations of a mean; of 20 p-values one is expected below 5 %, five have a chance of 0.3 %.
  EXPECT_NEAR(sum, 0, 4 * deviation / std::sqrt(20));
  EXPECT_LT(small_p, 5);
  const KernelDistance shifted = kernel_distance(a, normal_rows(100, 6, 1, 3), 1, 99);
  EXPECT_DOUBLE_EQ(shifted.p, 0.01);
  EXPECT_GT(shifted.mmd2, 5 * shifted.deviation);
}

TEST(Kernel, ItIsTheDefinitionOnThreeAndTwoRows) {
  const Matrix a(3, 1, {0, 1, 2}), b(2, 1, {1, 3});
  const auto k = [](double x, double y) { return std::pow(x * y + 1, 3); };
  const double within_a = 2 * (k(0, 1) + k(0, 2) + k(1, 2)) / 6, within_b = k(1, 3);
  const double between = (k(0, 1) + k(0, 3) + k(1, 1) + k(1, 3) + k(2, 1) + k(2, 3)) / 6;
  EXPECT_NEAR(kernel_distance(a, b, 1, 3).mmd2, within_a + within_b - 2 * between, 1e-12);
}

TEST(Area, ExactWithTies) {
  EXPECT_DOUBLE_EQ(dense::area_under_curve({1, 2, 3}, {0, 2, 2}), (1 + 2 + 3) / 9.0);
  EXPECT_DOUBLE_EQ(dense::area_under_curve({5, 6}, {1, 2, 3}), 1);
  EXPECT_DOUBLE_EQ(dense::area_under_curve({1}, {1}), 0.5);
}

TEST(Area, TheIntervalSolvesItsEquationAndIsOpenAtOne) {
  const Area a = area_interval(0.8, 40, 60);
  const auto variance = [](double t) { return t * (1 - t) * (1 + 49 * ((1 - t) / (2 - t) + t / (1 + t))) / 2400; };
  EXPECT_NEAR((0.8 - a.lo) / std::sqrt(variance(a.lo)), 1.959964, 1e-5);
  EXPECT_NEAR((a.hi - 0.8) / std::sqrt(variance(a.hi)), 1.959964, 1e-5);
  const Area one = area_interval(1, 20, 20);
  EXPECT_DOUBLE_EQ(one.hi, 1);
  EXPECT_GT(one.lo, 0.8);
  EXPECT_LT(one.lo, 0.95);
}

TEST(Classifier, ItCannotTellEqualDistributionsApartAndItsIntervalSaysSo) {
  double sum = 0;
  int covered = 0, by_formula = 0;
  constexpr int kTimes = 60;
  for (std::uint64_t seed = 0; seed < kTimes; ++seed) {
    const Area a = domain_classifier(normal_rows(40, 8, 0, 2 * seed + 1), normal_rows(40, 8, 0, 2 * seed + 2), {.seed = seed, .draws = 20});
    const Area formula = area_interval(a.value, 40, 40);
    sum += a.value / kTimes, covered += a.lo <= 0.5 && a.hi >= 0.5 ? 1 : 0, by_formula += formula.lo <= 0.5 && formula.hi >= 0.5 ? 1 : 0;
  }
  // One area has a deviation of 0.1: the mean of 60 is within 0.05, four deviations, of 1/2. Of 60 intervals of 95 % fewer than 53
  // cover with a probability of 1 %; the formula for independent scores covers some 80 %, 56 of 60 with a probability below 1 %.
  EXPECT_NEAR(sum, 0.5, 0.05);
  EXPECT_GE(covered, 53);
  EXPECT_LT(by_formula, 56);
}

TEST(Classifier, AGroupStandsInOneFold) {
  // Ten groups of eight equal rows a side, all from one distribution: known rows must not be met again.
  const auto repeated = [](std::uint64_t seed, std::vector<std::size_t>& groups) {
    const Matrix few = normal_rows(10, 6, 0, seed);
    Matrix m(80, 6);
    for (std::size_t i = 0; i < 80; ++i) {
      std::ranges::copy(few.row(i / 8), m.values.begin() + static_cast<std::ptrdiff_t>(6 * i));
      groups.push_back(i / 8);
    }
    return m;
  };
  ClassifierOptions o;
  const Matrix a = repeated(1, o.groups_a), b = repeated(2, o.groups_b);
  const Area grouped = domain_classifier(a, b, o), alone = domain_classifier(a, b, {});
  EXPECT_GT(alone.lo, 0.5) << "rows that were met in training give it away";
  EXPECT_LT(grouped.value, alone.value - 0.1);
  EXPECT_LT(grouped.lo, 0.5);
  EXPECT_GT(grouped.hi - grouped.lo, 2 * (alone.hi - alone.lo));
}

TEST(Classifier, ApartIsOneAndAKnownShiftHasItsArea) {
  EXPECT_DOUBLE_EQ(domain_classifier(normal_rows(50, 3, 0, 1), normal_rows(50, 3, 20, 2)).value, 1);
  // One feature, shift 1: P(x > y) = Phi(1/sqrt 2) = 0.760; deviation with 400 on each side 0.017.
  EXPECT_NEAR(domain_classifier(normal_rows(400, 1, 1, 3), normal_rows(400, 1, 0, 4)).value, 0.7602, 0.06);
}

TEST(Classifier, TheSeedFixesItAndTooFewRowsAreAnError) {
  const Matrix a = normal_rows(31, 3, 0, 1), b = normal_rows(29, 3, 0.5, 2);
  EXPECT_EQ(domain_classifier(a, b, {.seed = 4}).value, domain_classifier(a, b, {.seed = 4}).value);
  EXPECT_NE(domain_classifier(a, b, {.seed = 4}).value, domain_classifier(a, b, {.seed = 5}).value);
  EXPECT_THROW(domain_classifier(normal_rows(4, 3, 0, 1), b), Error);
}

TEST(Features, HaveTheirNamesAndDoNotDependOnThreads) {
  const auto color = soft_scenes(6, 64, 3, 0.01, 1), gray = soft_scenes(3, 64, 1, 0.01, 1);
  const Matrix a = features_of(color, hand_made_features(), on_threads(1)), b = features_of(color, hand_made_features(), on_threads(2));
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.columns, hand_made_names(3).size());
  EXPECT_EQ(a.columns, 18u);
  EXPECT_EQ(features_of(gray, hand_made_features()).columns, hand_made_names(1).size());
  // log2(0.01 + 1/1024); a picture has some 1200 smooth pixels in up to 8 bins: sigma to 10 %.
  EXPECT_NEAR(a(0, 7), std::log2(0.01 + 1.0 / 1024), 0.4);
  EXPECT_THROW(features_of(color, {"odd", [n = 0](const Plane&) mutable { return std::vector<double>(static_cast<std::size_t>(++n)); }}), Error);
}

TEST(Features, AFlatPictureHasFiniteOnes) {
  const std::vector<Plane> flat(2, constant_plane(40, 40, 3, 0.5));
  EXPECT_NO_THROW(features_of(flat, hand_made_features()));
}

}  // namespace
}  // namespace simulacra::gap
