// SPDX-License-Identifier: Apache-2.0
// Exact statistics of counts and of paired differences. Probabilities of rates are against p = 1/2 unless they say otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace simulacra::preference {

struct Interval {
  double lo = 0, hi = 1;
};

/// The z with P(N(0,1) <= z) = p, to double precision. p in (0, 1).
double normal_quantile(double p);

/// P(Binomial(n, p) >= k), summed in logarithms: exact down to 1e-300.
double binomial_upper_tail(int k, int n, double p);
/// All outcomes at most as likely as k under p = 1/2.
double binomial_two_sided(int k, int n);
/// Exact interval of a rate (Clopper and Pearson 1934), by bisection of the tails.
Interval clopper_pearson(int k, int n, double level = 0.95);
/// Score interval (Wilson 1927).
Interval wilson(int k, int n, double level = 0.95);

/// Smallest count of n that is significant, one-sided, against 1/2; n + 1 when none is.
int smallest_significant(int n, double alpha = 0.05);
/// Probability of reaching that count at the true rate.
double power(int n, double rate, double alpha = 0.05);
/// Smallest number of trials from which on the power stays at or above `wanted` (the power of an exact test goes up in a
/// saw-tooth). Throws Error when `limit` trials do not reach it.
int trials_for_power(double rate, double wanted, double alpha = 0.05, int limit = 20000);
/// p of "the rate lies within margin of 1/2": the larger of two one-sided tests. That chance was not rejected does not show it.
double equivalence(int k, int n, double margin);

struct Detection {
  double d_prime = 0, criterion = 0;
};
/// From yes-answers to signal and to noise, with the log-linear correction (h + 1/2)/(n + 1) (Hautus 1995).
Detection signal_detection(int hits, int signal_trials, int false_alarms, int noise_trials);
/// sqrt(2) z(rate), two alternatives.
double forced_choice_d_prime(double rate);

struct SignedRank {
  double positive = 0, negative = 0;  ///< rank sums; zeros dropped, mid-ranks for ties
  double p = 1;                       ///< two-sided, exact over all signs
  double rank_biserial = 0;           ///< (positive - negative) / both
};
SignedRank signed_rank(std::span<const double> differences);
struct SignTest {
  int positive = 0, nonzero = 0;
  double p = 1;
};
SignTest sign_test(std::span<const double> differences);

/// p-values adjusted for their number (Holm 1979), in the given order.
std::vector<double> holm(std::span<const double> p);

struct Permutation {
  double difference = 0;              ///< mean of the first group minus mean of the second
  std::uint64_t count = 0, total = 0;  ///< splits at least as far apart; all of them
  double p = 1;
};
/// Two-sided test of a difference of means by enumeration of all splits. Throws Error above ten million splits.
Permutation permutation_exact(std::span<const double> a, std::span<const double> b);

/// Counts of one participant.
struct Cluster {
  int successes = 0, trials = 0;
};
/// Percentile interval of the pooled rate, whole participants drawn with replacement.
Interval cluster_bootstrap(std::span<const Cluster> clusters, std::uint64_t seed, int draws = 4000, double level = 0.95);

struct MixedRate {
  double rate = 0.5;        ///< of a participant in the middle: logistic(mu)
  Interval interval;        ///< by profile likelihood
  double sigma = 0;         ///< spread of participants on the logit scale
  double p_half = 1;        ///< likelihood-ratio test of rate = 1/2
};
/// Random-intercept logistic model, logit p_i = mu + sigma u_i with u_i standard normal, by maximum likelihood; the integral over
/// u on 61 equidistant points of -6 .. 6. At level 0 there is no interval, and it takes a third of the time.
MixedRate mixed_rate(std::span<const Cluster> clusters, double level = 0.95);

}  // namespace simulacra::preference
