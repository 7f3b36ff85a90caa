// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/pairs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "render/base/error.h"

namespace simulacra::preference {
namespace {

using dense::Matrix;

/// Items that `from` reaches along "preferred to"; a tie goes both ways.
std::vector<bool> reached(const Matrix& edges, bool backwards) {
  std::vector<bool> seen(edges.rows);
  std::vector<std::size_t> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (std::size_t j = 0; j < edges.rows; ++j)
      if (!seen[j] && (backwards ? edges(j, i) : edges(i, j)) > 0) seen[j] = true, open.push_back(j);
  }
  return seen;
}

void check(const Matrix& wins, const Matrix* ties) {
  if (wins.rows < 2 || wins.rows != wins.columns) fail("paired comparisons take a square table of two items or more; this one is {} x {}", wins.rows, wins.columns);
  Matrix edges = wins;
  if (ties != nullptr)
    for (std::size_t i = 0; i < edges.values.size(); ++i) edges.values[i] += ties->values[i];
  for (const bool backwards : {false, true}) {
    const std::vector<bool> seen = reached(edges, backwards);
    const auto missing = std::ranges::find(seen, false);
    if (missing != seen.end())
      fail("strengths are not determined: item {} was never preferred to item {}, directly or through others; more comparisons are needed",
           backwards ? missing - seen.begin() : 0, backwards ? 0 : missing - seen.begin());
  }
}

double normalise(std::vector<double>& next, const std::vector<double>& now) {
  double sum = 0, change = 0;
  for (const double s : next) sum += s;
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] /= sum;
    change = std::max(change, std::abs(next[i] / now[i] - 1));
  }
  return change;
}

constexpr int kMostSteps = 200000;
constexpr double kSettled = 1e-15;

}  // namespace

std::vector<double> bradley_terry(const Matrix& wins) {
  check(wins, nullptr);
  const std::size_t k = wins.rows;
  std::vector<double> s(k, 1.0 / static_cast<double>(k)), next(k);
  for (int step = 0; step < kMostSteps; ++step) {
    for (std::size_t i = 0; i < k; ++i) {
      double won = 0, sum = 0;
      for (std::size_t j = 0; j < k; ++j)
        if (j != i) won += wins(i, j), sum += (wins(i, j) + wins(j, i)) / (s[i] + s[j]);
      next[i] = won / sum;
    }
    const double change = normalise(next, s);
    s.swap(next);
    if (change < kSettled) break;
  }
  return s;
}

Davidson davidson(const Matrix& wins, const Matrix& ties) {
  SIM_CHECK(ties.rows == wins.rows && ties.columns == wins.columns);
  check(wins, &ties);
  const std::size_t k = wins.rows;
  std::vector<double> s(k, 1.0 / static_cast<double>(k)), next(k);
  double nu = 1;
  const auto total = [&](std::size_t i, std::size_t j) { return s[i] + s[j] + nu * std::sqrt(s[i] * s[j]); };
  const auto trials = [&](std::size_t i, std::size_t j) { return wins(i, j) + wins(j, i) + ties(i, j); };
  for (int step = 0; step < kMostSteps; ++step) {
    for (std::size_t i = 0; i < k; ++i) {
      double won = 0, sum = 0;
      for (std::size_t j = 0; j < k; ++j) {
        if (j == i) continue;
        won += wins(i, j) + 0.5 * ties(i, j);
        sum += trials(i, j) * (1 + 0.5 * nu * std::sqrt(s[j] / s[i])) / total(i, j);
      }
      next[i] = won / sum;
    }
    double change = normalise(next, s);
    s.swap(next);
    double tied = 0, weight = 0;
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = i + 1; j < k; ++j) tied += ties(i, j), weight += trials(i, j) * std::sqrt(s[i] * s[j]) / total(i, j);
    change = std::max(change, std::abs(tied / weight - nu));
    nu = tied / weight;
    if (change < kSettled) break;
  }
  return {s, nu};
}

double circular_share(const Matrix& wins) {
  const auto beats = [&](std::size_t i, std::size_t j) { return wins(i, j) > wins(j, i); };
  int decided = 0, circular = 0;
  for (std::size_t i = 0; i < wins.rows; ++i)
    for (std::size_t j = i + 1; j < wins.rows; ++j)
      for (std::size_t k = j + 1; k < wins.rows; ++k) {
        if (wins(i, j) == wins(j, i) || wins(j, k) == wins(k, j) || wins(i, k) == wins(k, i)) continue;
        ++decided;
        circular += beats(i, j) == beats(j, k) && beats(j, k) == beats(k, i);
      }
  return decided > 0 ? static_cast<double>(circular) / decided : 0;
}

}  // namespace simulacra::preference
