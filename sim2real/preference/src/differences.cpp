// SPDX-License-Identifier: Apache-2.0
// Paired differences and differences of groups.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "render/base/error.h"
#include "sim2real/preference/statistics.h"

namespace simulacra::preference {
namespace {

/// Twice the mid-rank of each value, so that ranks are integers.
std::vector<int> doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<int> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = static_cast<int>(first + last + 2);
    first = last + 1;
  }
  return ranks;
}

/// Probability of each sum of a random subset of the ranks.
std::vector<double> sum_distribution(const std::vector<int>& ranks) {
  const auto total = static_cast<std::size_t>(std::accumulate(ranks.begin(), ranks.end(), 0));
  std::vector<double> probability(total + 1);
  probability[0] = 1;
  for (const int rank : ranks) {
    const auto r = static_cast<std::size_t>(rank);
    for (std::size_t s = total + 1; s-- > 0;) probability[s] = 0.5 * (probability[s] + (s >= r ? probability[s - r] : 0));
  }
  return probability;
}

double splits(std::size_t n, std::size_t k) {
  double c = 1;
  for (std::size_t i = 1; i <= k; ++i) c = c * static_cast<double>(n - k + i) / static_cast<double>(i);
  return c;
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences) {
  std::vector<double> size;
  std::vector<bool> up;
  for (const double d : differences)
    if (d != 0) size.push_back(std::abs(d)), up.push_back(d > 0);
  SignedRank result;
  if (size.empty()) return result;
  const std::vector<int> ranks = doubled_ranks(size);
  int positive = 0, total = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) total += ranks[i], positive += up[i] ? ranks[i] : 0;
  const int observed = std::min(positive, total - positive);
  const std::vector<double> probability = sum_distribution(ranks);
  result.p = 0;
  for (int s = 0; s <= total; ++s)
    if (std::min(s, total - s) <= observed) result.p += probability[static_cast<std::size_t>(s)];
  result.positive = 0.5 * positive, result.negative = 0.5 * (total - positive);
  result.rank_biserial = (result.positive - result.negative) / (result.positive + result.negative);
  return result;
}

SignTest sign_test(std::span<const double> differences) {
  SignTest result;
  for (const double d : differences) result.positive += d > 0, result.nonzero += d != 0;
  if (result.nonzero > 0) result.p = binomial_two_sided(result.positive, result.nonzero);
  return result;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, static_cast<double>(p.size() - rank) * p[order[rank]]);
    adjusted[order[rank]] = std::min(1.0, largest);
  }
  return adjusted;
}

Permutation permutation_exact(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) fail("a permutation test takes two groups; one has {} values and the other {}", a.size(), b.size());
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  if (splits(all.size(), a.size()) > 1e7)
    fail("{} values in groups of {} and {} have more than ten million splits", all.size(), a.size(), b.size());
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const auto difference_of = [&](double first) { return first / na - (sum - first) / nb; };

  Permutation result;
  result.difference = difference_of(std::accumulate(a.begin(), a.end(), 0.0));
  // A mask of ones and zeros in every order; 1e-12 keeps equal differences equal.
  std::vector<std::uint8_t> mask(all.size());
  std::fill_n(mask.begin(), a.size(), std::uint8_t{1});
  do {
    double first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) first += mask[i] ? all[i] : 0;
    result.count += std::abs(difference_of(first)) >= std::abs(result.difference) - 1e-12;
    ++result.total;
  } while (std::ranges::prev_permutation(mask).found);
  result.p = static_cast<double>(result.count) / static_cast<double>(result.total);
  return result;
}

}  // namespace simulacra::preference
