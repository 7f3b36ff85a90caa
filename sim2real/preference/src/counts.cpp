// SPDX-License-Identifier: Apache-2.0
// Rates against chance.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "render/base/error.h"
#include "sim2real/preference/statistics.h"

namespace simulacra::preference {
namespace {

/// log(n choose i) for all i: sums of logarithms, without the global state of lgamma.
std::vector<double> log_binomials(int n) {
  std::vector<double> values(static_cast<std::size_t>(n) + 1);
  for (int i = 1; i <= n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    values[k] = values[k - 1] + std::log(static_cast<double>(n - i + 1)) - std::log(static_cast<double>(i));
  }
  return values;
}

double sum_of_exponentials(const std::vector<double>& logs) {
  const double top = *std::ranges::max_element(logs);
  if (!std::isfinite(top)) return 0;
  double sum = 0;
  for (const double l : logs) sum += std::exp(l - top);
  return std::min(1.0, std::exp(top) * sum);
}

double tail(const std::vector<double>& choose, int k, int n, double p) {
  if (k <= 0) return 1;
  if (k > n || p <= 0) return 0;
  if (p >= 1) return 1;
  std::vector<double> logs;
  for (int i = k; i <= n; ++i) logs.push_back(choose[static_cast<std::size_t>(i)] + i * std::log(p) + (n - i) * std::log1p(-p));
  return sum_of_exponentials(logs);
}

/// P(X <= k): the upper tail of the failures.
double lower_tail(const std::vector<double>& choose, int k, int n, double p) { return tail(choose, n - k, n, 1 - p); }

/// Where an increasing function passes `value`, in (0, 1), to the last bit.
template <typename Function>
double bisect(const Function& f, double value) {
  double lo = 0, hi = 1;
  for (int i = 0; i < 200 && hi > std::nextafter(lo, 1); ++i) {
    const double middle = 0.5 * (lo + hi);
    (f(middle) < value ? lo : hi) = middle;
  }
  return 0.5 * (lo + hi);
}

void check_counts(int k, int n) {
  if (n < 1 || k < 0 || k > n) fail("{} of {} is no count of trials", k, n);
}

}  // namespace

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) fail("a normal quantile of {}: it takes a probability between 0 and 1", p);
  // Bisection brackets the root, Newton's steps on log-free tails polish it.
  const double q = std::min(p, 1 - p);
  double lo = -40, hi = 0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (lo + hi);
    (0.5 * std::erfc(-middle / std::numbers::sqrt2) < q ? lo : hi) = middle;
  }
  double z = 0.5 * (lo + hi);
  for (int i = 0; i < 3; ++i) {
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    if (density > 0) z -= (0.5 * std::erfc(-z / std::numbers::sqrt2) - q) / density;
  }
  return p < 0.5 ? z : p > 0.5 ? -z : 0;
}

double binomial_upper_tail(int k, int n, double p) { return tail(log_binomials(n), k, n, p); }

double binomial_two_sided(int k, int n) {
  check_counts(k, n);
  return 2 * k == n ? 1 : std::min(1.0, 2 * binomial_upper_tail(std::max(k, n - k), n, 0.5));
}

Interval clopper_pearson(int k, int n, double level) {
  check_counts(k, n);
  const std::vector<double> choose = log_binomials(n);
  const double alpha = 0.5 * (1 - level);
  Interval interval;
  if (k > 0) interval.lo = bisect([&](double p) { return tail(choose, k, n, p); }, alpha);
  if (k < n) interval.hi = 1 - bisect([&](double q) { return lower_tail(choose, k, n, 1 - q); }, alpha);
  return interval;
}

Interval wilson(int k, int n, double level) {
  check_counts(k, n);
  const double z = normal_quantile(0.5 + 0.5 * level), p = static_cast<double>(k) / n, zz = z * z / n;
  const double middle = (p + zz / 2) / (1 + zz), half = z * std::sqrt(p * (1 - p) / n + zz / (4 * n)) / (1 + zz);
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

int smallest_significant(int n, double alpha) {
  check_counts(0, n);
  const std::vector<double> choose = log_binomials(n);
  int k = n + 1;
  double sum = 0;
  while (k > 0) {
    sum += std::exp(choose[static_cast<std::size_t>(k - 1)] - n * std::numbers::ln2);
    if (sum > alpha) break;
    --k;
  }
  return k;
}

double power(int n, double rate, double alpha) { return binomial_upper_tail(smallest_significant(n, alpha), n, rate); }

int trials_for_power(double rate, double wanted, double alpha, int limit) {
  // From above, so that the answer holds for every larger number too.
  const double gap = rate - 0.5;
  if (!(gap > 0)) fail("a rate of {} cannot be told from chance: it takes one above 0.5", rate);
  const double z = normal_quantile(1 - alpha) + std::abs(normal_quantile(wanted));
  const int start = static_cast<int>(2 * z * z / (4 * gap * gap)) + 40;
  if (start > limit && power(limit, rate, alpha) < wanted)
    fail("{} trials have a power of {:.3f} at a true rate of {}; {} was asked for", limit, power(limit, rate, alpha), rate, wanted);
  int n = std::min(start, limit);
  while (n > 1 && power(n - 1, rate, alpha) >= wanted) --n;
  return n;
}

double equivalence(int k, int n, double margin) {
  check_counts(k, n);
  const std::vector<double> choose = log_binomials(n);
  return std::max(lower_tail(choose, k, n, 0.5 + margin), tail(choose, k, n, 0.5 - margin));
}

Detection signal_detection(int hits, int signal_trials, int false_alarms, int noise_trials) {
  check_counts(hits, signal_trials);
  check_counts(false_alarms, noise_trials);
  const double h = normal_quantile((hits + 0.5) / (signal_trials + 1)), f = normal_quantile((false_alarms + 0.5) / (noise_trials + 1));
  return {h - f, -0.5 * (h + f)};
}

double forced_choice_d_prime(double rate) { return std::numbers::sqrt2 * normal_quantile(rate); }

}  // namespace simulacra::preference
