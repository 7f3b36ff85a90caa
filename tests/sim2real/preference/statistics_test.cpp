// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "render/base/error.h"
#include "sim2real/preference/pairs.h"
#include "sim2real/preference/predict.h"
#include "tests/support/message_of.h"

namespace simulacra::preference {
namespace {

using test::message_of;
using ::testing::HasSubstr;

TEST(Counts, QuantilesAreTheInverseOfTheDistribution) {
  for (const double p : {1e-12, 0.001, 0.025, 0.3, 0.5, 0.9, 0.999})
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)) / p, 1, 1e-12) << p;
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_THROW(normal_quantile(1), Error);
}

TEST(Counts, TheExactIntervalCoversAtLeastItsLevel) {
  for (const double rate : {0.07, 0.5, 0.81}) {
    double covered = 0;
    for (int k = 0; k <= 40; ++k) {
      const Interval i = clopper_pearson(k, 40);
      const double probability = binomial_upper_tail(k, 40, rate) - binomial_upper_tail(k + 1, 40, rate);
      if (i.lo <= rate && rate <= i.hi) covered += probability;
    }
    EXPECT_GE(covered, 0.95) << rate;
    EXPECT_LT(covered, 0.995) << rate;
  }
}

TEST(Counts, PlannedTrialsHaveTheirPowerAndFewerDoNot) {
  for (const double rate : {0.55, 0.6, 0.75}) {
    const int n = trials_for_power(rate, 0.8);
    for (int more = 0; more < 30; ++more) EXPECT_GE(power(n + more, rate), 0.8) << n + more;
    EXPECT_LT(power(n - 1, rate), 0.8) << rate;
  }
  EXPECT_THAT(message_of([] { trials_for_power(0.501, 0.9, 0.05, 1000); }), HasSubstr("1000 trials have a power of"));
  EXPECT_THAT(message_of([] { trials_for_power(0.5, 0.9); }), HasSubstr("cannot be told from chance"));
  EXPECT_THAT(message_of([] { clopper_pearson(5, 4); }), HasSubstr("5 of 4 is no count"));
}

TEST(Counts, DetectionIsSymmetric) {
  EXPECT_EQ(signal_detection(30, 60, 30, 60).d_prime, 0);
  const Detection a = signal_detection(45, 50, 12, 50), b = signal_detection(38, 50, 5, 50);   // yes and no exchanged
  EXPECT_NEAR(a.d_prime, b.d_prime, 1e-12);
  EXPECT_NEAR(a.criterion, -b.criterion, 1e-12);
}

TEST(Differences, SignedRankByBruteForce) {
  const std::vector<double> d = {0.3, -1.2, 0.3, 2, -0.3, 0, 1.2, 5};
  const SignedRank r = signed_rank(d);
  // Ranks of |d| without the zero: 0.3 thrice: 2, 1.2 twice: 4.5, 2: 6, 5: 7.
  const std::vector<double> ranks = {2, 4.5, 2, 6, 2, 4.5, 7};
  int extreme = 0;
  for (int signs = 0; signs < 128; ++signs) {
    double w = 0;
    for (std::size_t i = 0; i < 7; ++i) w += (signs >> i & 1) ? ranks[i] : 0;
    extreme += std::min(w, 28 - w) <= 6.5;
  }
  EXPECT_EQ(r.positive, 21.5);
  EXPECT_EQ(r.negative, 6.5);
  EXPECT_NEAR(r.p, extreme / 128.0, 1e-15);
  EXPECT_EQ(signed_rank(std::vector<double>{0, 0}).p, 1);
}

TEST(Pairs, ScalingCountsLeavesStrengthsAndTwoItemsAreLogOdds) {
  const dense::Matrix wins(2, 2, {0, 21, 6, 0}), more(2, 2, {0, 210, 60, 0});
  EXPECT_NEAR(std::log(bradley_terry(wins)[0] / bradley_terry(wins)[1]), std::log(21.0 / 6), 1e-12);
  EXPECT_NEAR(bradley_terry(wins)[0], bradley_terry(more)[0], 1e-12);
  EXPECT_EQ(circular_share({3, 3, {0, 5, 1, 2, 0, 5, 4, 1, 0}}), 1);
  EXPECT_EQ(circular_share({3, 3, {0, 5, 4, 2, 0, 5, 1, 1, 0}}), 0);
}

TEST(Pairs, AnItemThatNeverWonIsAnswered) {
  EXPECT_THAT(message_of([] { bradley_terry({3, 3, {0, 5, 5, 5, 0, 5, 0, 0, 0}}); }), HasSubstr("item 2 was never preferred to item 0"));
  EXPECT_THAT(message_of([] { bradley_terry({1, 1, {0}}); }), HasSubstr("two items or more"));
}

/// Participants with rates drawn around `rate` on the logit scale.
std::vector<Cluster> participants(std::uint64_t seed, int count, int trials, double mu, double sigma) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Cluster> clusters;
  for (int i = 0; i < count; ++i) {
    std::binomial_distribution<int> answers(trials, 1 / (1 + std::exp(-mu - sigma * normal(random))));
    clusters.push_back({answers(random), trials});
  }
  return clusters;
}

TEST(Clusters, TheMixedModelFindsRateAndSpread) {
  const auto clusters = participants(5, 300, 40, 0.6, 0.8);
  const MixedRate m = mixed_rate(clusters);
  EXPECT_NEAR(m.rate, 1 / (1 + std::exp(-0.6)), 0.04);   // standard error of mu: about 0.8/sqrt(300) = 0.05, of the rate 0.011
  EXPECT_NEAR(m.sigma, 0.8, 0.15);
  EXPECT_LT(m.interval.lo, m.rate);
  EXPECT_GT(m.interval.hi, m.rate);
  EXPECT_LT(m.p_half, 1e-6);
  // Without spread: the plain binomial. The profile is within a few per cent of the Wilson interval at this size.
  const MixedRate plain = mixed_rate(std::vector<Cluster>(30, Cluster{24, 40}));
  EXPECT_NEAR(plain.rate, 0.6, 1e-4);
  EXPECT_LT(plain.sigma, 0.01);
  EXPECT_NEAR(plain.interval.lo, wilson(720, 1200).lo, 0.002);
  EXPECT_NEAR(plain.interval.hi, wilson(720, 1200).hi, 0.002);
}

TEST(Clusters, IntervalsOverParticipantsAreWiderThanOverTrials) {
  int missed_by_trials = 0, missed_by_participants = 0, missed_by_bootstrap = 0;
  const int repeats = 60;
  for (std::uint64_t seed = 0; seed < repeats; ++seed) {
    const auto clusters = participants(100 + seed, 16, 30, 0, 1);   // the true rate is 1/2
    int k = 0;
    for (const Cluster& c : clusters) k += c.successes;
    const auto misses = [](const Interval& i) { return i.lo > 0.5 || i.hi < 0.5; };
    missed_by_trials += misses(clopper_pearson(k, 16 * 30));
    missed_by_participants += misses(mixed_rate(clusters).interval);
    missed_by_bootstrap += misses(cluster_bootstrap(clusters, seed, 500));
  }
  // 5 % of 60 are 3; above 10 has a probability below 1e-3. Treating trials as independent misses far more often.
  EXPECT_LE(missed_by_participants, 10);
  EXPECT_LE(missed_by_bootstrap, 13);   // with 16 participants a bootstrap is a little narrow
  EXPECT_GE(missed_by_trials, 15);
}

TEST(Predict, PermutationPValuesOfNoiseAreUniformAndOfASignalSmall) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  const PredictorOptions options{.top = 2, .penalties = {1}};
  std::vector<double> p_noise;
  for (int repeat = 0; repeat < 20; ++repeat) {
    dense::Matrix x(16, 6);
    for (double& v : x.values) v = normal(random);
    std::vector<bool> labels;
    for (std::size_t i = 0; i < 16; ++i) labels.push_back(i % 2 == 0);
    p_noise.push_back(permutation_p(x, labels, options, 39, static_cast<std::uint64_t>(repeat)));
    if (repeat > 0) continue;
    for (std::size_t i = 0; i < 16; ++i) x(i, 3) += labels[i] ? 4 : 0;
    EXPECT_LE(permutation_p(x, labels, options, 39, 1), 0.05);
  }
  // Kolmogorov-Smirnov at 1 %: 1.63 / sqrt(20); p-values of a discrete statistic lie a little high.
  std::ranges::sort(p_noise);
  double distance = 0;
  for (std::size_t i = 0; i < p_noise.size(); ++i) distance = std::max(distance, static_cast<double>(i + 1) / 20 - p_noise[i]);
  EXPECT_LT(distance, 1.63 / std::sqrt(20));
}

TEST(Predict, AllZeroFeaturesAreHarmlessAndOneClassIsRefused) {
  const dense::Matrix x(6, 2);
  const std::vector<bool> labels = {true, false, true, false, true, true};
  for (const double s : leave_one_out_logistic(x, labels)) EXPECT_TRUE(std::isfinite(s));
  EXPECT_THAT(message_of([] { metrics(std::vector<double>{1, 2}, {true, true}); }), HasSubstr("take both classes"));
}

}  // namespace
}  // namespace simulacra::preference
