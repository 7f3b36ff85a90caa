// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "tests/sim2real/sensor/planes.h"

namespace simulacra::sensor {
namespace {

// Bounds of the moments: 5 standard errors of n draws; a fixed seed either passes always or never.
constexpr int kDraws = 40000;

TEST(Stream, TheSameNameGivesTheSameNumbersAndAnyOtherNameOthers) {
  Stream a(7, 3, Purpose::photons, 11), b(7, 3, Purpose::photons, 11);
  EXPECT_EQ(a.uniform(), b.uniform());
  const double next = a.uniform();
  EXPECT_EQ(next, b.uniform());
  for (Stream other : {Stream(8, 3, Purpose::photons, 11), Stream(7, 4, Purpose::photons, 11), Stream(7, 3, Purpose::dropout, 11),
                       Stream(7, 3, Purpose::photons, 12), Stream(7, 11, Purpose::photons, 3)})
    EXPECT_NE(other.uniform(), Stream(7, 3, Purpose::photons, 11).uniform());
}

TEST(Stream, FirstNumbersOfNeighboringSitesAreUniformAndUncorrelated) {
  double sum = 0, product = 0, before = 0.5;
  for (int site = 0; site < kDraws; ++site) {
    const double u = Stream(1, 0, Purpose::read_noise, static_cast<std::uint64_t>(site)).uniform();
    ASSERT_GT(u, 0);
    ASSERT_LT(u, 1);
    sum += u - 0.5, product += (u - 0.5) * (before - 0.5), before = u;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(product / kDraws, 0, 5 / 12.0 / std::sqrt(kDraws));
}

TEST(Stream, NormalsHaveTheMomentsOfANormal) {
  std::vector<double> draws;
  double fourth = 0;
  Stream stream(2, 0, Purpose::read_noise, 0);
  for (int i = 0; i < kDraws; ++i) draws.push_back(stream.normal()), fourth += std::pow(draws.back(), 4) / kDraws;
  const auto m = test::moments(draws);
  EXPECT_NEAR(m.mean, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(m.variance, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96.0 / kDraws));
}

TEST(Stream, PoissonFollowsItsDistribution) {
  for (const double mean : {0.05, 1.0, 7.5, 29.9, 30.1, 120.0, 5000.0}) {
    std::map<int, double> seen;
    std::vector<double> draws;
    for (int site = 0; site < kDraws; ++site) {
      draws.push_back(Stream(3, 0, Purpose::photons, static_cast<std::uint64_t>(site)).poisson(mean));
      ++seen[static_cast<int>(draws.back())];
    }
    const auto m = test::moments(draws);
    EXPECT_NEAR(m.mean, mean, 5 * std::sqrt(mean / kDraws)) << mean;
    EXPECT_NEAR(m.variance, mean, 5 * std::sqrt((2 * mean * mean + mean) / kDraws)) << mean;

    // Chi-square over the counts that are expected five times or more: below its mean plus five standard deviations.
    double statistic = 0, cells = 0;
    for (int k = 0; k < mean + 20 * std::sqrt(mean) + 20; ++k) {
      const double expected = kDraws * std::exp(k * std::log(mean) - mean - std::lgamma(k + 1.0));
      if (expected < 5) continue;
      statistic += (seen[k] - expected) * (seen[k] - expected) / expected, ++cells;
    }
    EXPECT_LT(statistic, cells + 5 * std::sqrt(2 * cells)) << mean;
  }
  EXPECT_EQ(Stream(3, 0, Purpose::photons, 0).poisson(0), 0);
}

}  // namespace
}  // namespace simulacra::sensor
