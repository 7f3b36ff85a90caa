// SPDX-License-Identifier: Apache-2.0
// Rates whose trials come from participants.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "render/base/error.h"
#include "sim2real/preference/statistics.h"

namespace simulacra::preference {
namespace {

constexpr std::size_t kPoints = 61;
constexpr double kReach = 6;

/// Log-likelihood without the binomial coefficients.
double log_likelihood(std::span<const Cluster> clusters, double mu, double sigma) {
  std::array<double, kPoints> log_yes{}, log_no{}, log_weight{}, logs{};
  for (std::size_t i = 0; i < kPoints; ++i) {
    const double u = kReach * (2.0 * static_cast<double>(i) / (kPoints - 1) - 1), eta = mu + sigma * u;
    log_yes[i] = -std::log1p(std::exp(-eta)), log_no[i] = -std::log1p(std::exp(eta)), log_weight[i] = -0.5 * u * u;
  }
  double total = 0;
  for (const Cluster& c : clusters) {
    double top = -1e300, sum = 0;
    for (std::size_t i = 0; i < kPoints; ++i) {
      logs[i] = c.successes * log_yes[i] + (c.trials - c.successes) * log_no[i] + log_weight[i];
      top = std::max(top, logs[i]);
    }
    for (const double l : logs) sum += std::exp(l - top);
    total += top + std::log(sum * 2 * kReach / (kPoints - 1) / std::sqrt(2 * std::numbers::pi));
  }
  return total;
}

struct Best {
  double at = 0, value = 0;
};
/// Golden-section search for the maximum of a unimodal function.
template <typename Function>
Best maximum(const Function& f, double lo, double hi) {
  const double part = 1 / std::numbers::phi;
  double a = hi - part * (hi - lo), b = lo + part * (hi - lo), fa = f(a), fb = f(b);
  for (int i = 0; i < 60 && hi - lo > 1e-6; ++i) {
    if (fa < fb) lo = a, a = b, fa = fb, b = lo + part * (hi - lo), fb = f(b);
    else hi = b, b = a, fb = fa, a = hi - part * (hi - lo), fa = f(a);
  }
  return {0.5 * (lo + hi), std::max(fa, fb)};
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

Interval cluster_bootstrap(std::span<const Cluster> clusters, std::uint64_t seed, int draws, double level) {
  if (clusters.empty()) fail("a bootstrap over participants takes at least one");
  std::mt19937_64 random(seed);
  std::vector<double> rates;
  for (int d = 0; d < draws; ++d) {
    double successes = 0, trials = 0;
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      const Cluster& c = clusters[random() % clusters.size()];
      successes += c.successes, trials += c.trials;
    }
    rates.push_back(trials > 0 ? successes / trials : 0.5);
  }
  std::ranges::sort(rates);
  const auto at = [&](double q) { return rates[static_cast<std::size_t>(q * static_cast<double>(rates.size() - 1) + 0.5)]; };
  return {at(0.5 * (1 - level)), at(0.5 * (1 + level))};
}

MixedRate mixed_rate(std::span<const Cluster> clusters, double level) {
  if (clusters.empty()) fail("a mixed-effect rate takes at least one participant");
  constexpr double kMost = 12, kMostSigma = 6;
  const auto profile = [&](double mu) { return maximum([&](double s) { return log_likelihood(clusters, mu, s); }, 0, kMostSigma); };
  const Best best = maximum([&](double mu) { return profile(mu).value; }, -kMost, kMost);

  MixedRate result;
  result.rate = logistic(best.at);
  result.sigma = profile(best.at).at;
  const double ratio = std::max(0.0, 2 * (best.value - profile(0).value));
  result.p_half = std::erfc(std::sqrt(ratio / 2));   // chi-square with one degree of freedom
  if (level <= 0) return result;
  const double z = normal_quantile(0.5 + 0.5 * level), drop = 0.5 * z * z;
  const auto border = [&](double inside, double outside) {
    if (best.value - profile(outside).value < drop) return outside;
    for (int i = 0; i < 40; ++i) {
      const double middle = 0.5 * (inside + outside);
      (best.value - profile(middle).value < drop ? inside : outside) = middle;
    }
    return outside;
  };
  result.interval = {logistic(border(best.at, -kMost)), logistic(border(best.at, kMost))};
  return result;
}

}  // namespace simulacra::preference
