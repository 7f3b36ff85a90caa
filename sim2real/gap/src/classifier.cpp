// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>

#include "render/base/error.h"
#include "sim2real/dense/logistic.h"
#include "sim2real/gap/distances.h"
#include "sim2real/gap/src/random.h"

namespace simulacra::gap {
namespace {

using dense::Matrix;

/// A column of ones before the features.
Matrix with_intercept(const Matrix& x) {
  Matrix a(x.rows, x.columns + 1);
  for (std::size_t i = 0; i < x.rows; ++i) {
    a(i, 0) = 1;
    for (std::size_t j = 0; j < x.columns; ++j) a(i, j + 1) = x(i, j);
  }
  return a;
}

using Places = std::vector<std::size_t>;

/// Rows of each group, groups in the order in which they first occur.
std::vector<Places> rows_by_group(std::size_t rows, const Places& groups, std::size_t least_groups) {
  std::vector<Places> by_group;
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < rows && groups.size() == rows; ++i) {
    const auto [found, is_new] = place.try_emplace(groups[i], by_group.size());
    if (is_new) by_group.emplace_back();
    by_group[found->second].push_back(i);
  }
  if (by_group.size() >= least_groups) return by_group;
  by_group.clear();
  for (std::size_t i = 0; i < rows; ++i) by_group.push_back({i});
  return by_group;
}

/// Some groups of one side, perhaps several times over.
struct Sample {
  Places rows, group_of;    ///< of the matrix; which group each is of
  std::size_t distinct = 0; ///< groups
};

Sample sample_of(const std::vector<Places>& groups, const Places& drawn) {
  Sample s;
  for (const std::size_t g : drawn)
    for (const std::size_t row : groups[g]) s.rows.push_back(row), s.group_of.push_back(g);
  s.distinct = std::set(drawn.begin(), drawn.end()).size();
  return s;
}

Sample all_of(const std::vector<Places>& groups) {
  Places every(groups.size());
  std::iota(every.begin(), every.end(), std::size_t{0});
  return sample_of(groups, every);
}

Sample drawn_from(const std::vector<Places>& groups, Random& random) {
  Places drawn(groups.size());
  Sample s;
  do {
    for (std::size_t& g : drawn) g = random.below(groups.size());
    s = sample_of(groups, drawn);
  } while (s.distinct < 2);
  return s;
}

/// The fold of each row of the sample: groups in turn, in a seeded order.
std::vector<int> folds_of(const Sample& s, std::size_t folds, std::uint64_t seed, std::uint64_t stream) {
  const Places order = Random(seed, stream).permutation(s.distinct);
  std::map<std::size_t, std::size_t> turn;
  std::vector<int> fold;
  for (const std::size_t g : s.group_of) fold.push_back(static_cast<int>(order[turn.try_emplace(g, turn.size()).first->second] % folds));
  return fold;
}

double variance(double t, double m, double n) {
  const double extra = (m + n) / 2 - 1;
  return t * (1 - t) * (1 + extra * ((1 - t) / (2 - t) + t / (1 + t))) / (m * n);
}

/// Rows of a sample that are, or are not, in the fold.
Matrix rows_in(const Matrix& m, const Sample& s, const std::vector<int>& fold_of, int fold, bool inside) {
  Matrix out;
  out.columns = m.columns;
  for (std::size_t i = 0; i < s.rows.size(); ++i)
    if ((fold_of[i] == fold) == inside) out.values.insert(out.values.end(), m.row(s.rows[i]).begin(), m.row(s.rows[i]).end()), ++out.rows;
  return out;
}

/// Mean over the folds of the area of those held out.
double held_out_area(const Matrix& a, const Sample& in_a, const Matrix& b, const Sample& in_b, std::size_t most_folds, double ridge, std::uint64_t seed,
                     std::uint64_t stream) {
  const std::size_t folds = std::min({most_folds, in_a.distinct, in_b.distinct});
  const std::vector<int> fold_a = folds_of(in_a, folds, seed, stream), fold_b = folds_of(in_b, folds, seed, stream + 1);
  double sum = 0;
  for (int fold = 0; fold < static_cast<int>(folds); ++fold) {
    Matrix training = rows_in(a, in_a, fold_a, fold, false);
    std::vector<double> y(training.rows, 1.0);
    const Matrix others = rows_in(b, in_b, fold_b, fold, false);
    training.values.insert(training.values.end(), others.values.begin(), others.values.end());
    training.rows += others.rows, y.resize(training.rows, -1.0);
    const std::vector<double> w = dense::fit_logistic(with_intercept(standardised(training, training)), y, ridge);
    const auto scores = [&](const Matrix& held_out) { return dense::times(with_intercept(standardised(held_out, training)), w); };
    sum += dense::area_under_curve(scores(rows_in(a, in_a, fold_a, fold, true)), scores(rows_in(b, in_b, fold_b, fold, true)));
  }
  return sum / static_cast<double>(folds);
}

}  // namespace

Area area_interval(double area, std::size_t positives, std::size_t negatives, double inflation, double z) {
  const auto m = static_cast<double>(positives), n = static_cast<double>(negatives);
  // The limit where |area - t| = z sqrt(variance(t)), between the estimate and the end.
  const auto limit = [&](double end) {
    double inside = area, outside = end;
    for (int i = 0; i < 200; ++i) {
      const double t = 0.5 * (inside + outside);
      (std::abs(area - t) <= z * std::sqrt(inflation * variance(t, m, n)) ? inside : outside) = t;
    }
    return 0.5 * (inside + outside);
  };
  return {area, limit(0), limit(1)};
}

Area domain_classifier(const Matrix& a, const Matrix& b, const ClassifierOptions& o) {
  SIM_CHECK(a.columns == b.columns);
  const auto folds = static_cast<std::size_t>(o.folds);
  if (folds < 2 || a.rows < folds || b.rows < folds)
    fail("a classifier with {} folds cannot be made of {} and {} feature vectors", o.folds, a.rows, b.rows);
  const std::vector<Places> groups_a = rows_by_group(a.rows, o.groups_a, folds), groups_b = rows_by_group(b.rows, o.groups_b, folds);
  const double area = held_out_area(a, all_of(groups_a), b, all_of(groups_b), folds, o.ridge, o.seed, 0);

  double sum = 0, squares = 0;
  for (int draw = 0; draw < o.draws; ++draw) {
    const std::uint64_t stream = 3 * static_cast<std::uint64_t>(draw) + 2;
    Random random(o.seed, stream);
    const Sample in_a = drawn_from(groups_a, random), in_b = drawn_from(groups_b, random);
    const double again = held_out_area(a, in_a, b, in_b, folds, o.ridge, o.seed, stream + 1);
    sum += again, squares += again * again;
  }
  // Against the formula at the bootstrap's own mean, as fewer different pictures make a worse classifier.
  const double draws = o.draws, mean = o.draws > 0 ? sum / draws : area;
  const double spread = o.draws > 1 ? std::max(0.0, (squares - sum * mean) / (draws - 1)) : 0;
  const double formula = variance(mean, static_cast<double>(a.rows), static_cast<double>(b.rows));
  return area_interval(area, a.rows, b.rows, formula > 0 ? std::max(1.0, spread / formula) : 1);
}

}  // namespace simulacra::gap
