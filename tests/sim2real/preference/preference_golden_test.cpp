// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "sim2real/preference/orders.h"
#include "sim2real/preference/pairs.h"
#include "sim2real/preference/predict.h"
#include "sim2real/preference/statistics.h"
#include "tests/support/golden.h"
#include "tests/support/thresholds.h"

namespace simulacra::preference {
namespace {

namespace golden = test::golden;
using golden::Json;

dense::Matrix matrix(const Json& value) {
  golden::Tensor t = golden::tensor(value);
  return {static_cast<std::size_t>(t.shape[0]), static_cast<std::size_t>(t.shape[1]), std::move(t.values)};
}

struct Case {
  Case(const Json& file, const char* name) : json(golden::find_case(file, name)), expected(json.at("expected")), tol(*golden::tolerance(file, json, "float64")) {}
  const Json& input(const char* name) const { return json.at("inputs").at(name); }
  const Json& json;
  const Json& expected;
  Json tol;
};

/// Each number of a row against its own size: a p-value of 1e-20 stands beside a count of 200.
void expect_row(const Json& expected, const std::vector<double>& got, const Json& tol) {
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double want = expected[i].get<double>();
    EXPECT_TRUE(std::abs(got[i] - want) <= tol.at("atol").get<double>() + tol.at("rtol").get<double>() * std::abs(want))
        << "column " << i << ": " << got[i] << ", expected " << want << " in " << expected.dump();
  }
}

TEST(PreferenceStudy, ExactBinomial) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "exact_binomial");
  for (const Json& row : c.expected.at("rows")) {
    const int k = row[0], n = row[1];
    const Interval exact = clopper_pearson(k, n), score = wilson(k, n);
    expect_row(row, {1.0 * k, 1.0 * n, binomial_upper_tail(k, n, 0.5), binomial_two_sided(k, n), exact.lo, exact.hi, score.lo, score.hi}, c.tol);
  }
  const auto rates = c.json.at("params").at("power_at").get<std::vector<double>>();
  for (const Json& row : c.expected.at("thresholds")) {
    const int n = row[0];
    std::vector<double> got = {1.0 * n, 1.0 * smallest_significant(n)};
    for (const double rate : rates) got.push_back(power(n, rate));
    expect_row(row, got, c.tol);
  }
  for (const Json& row : c.expected.at("equivalence"))
    expect_row(row, {row[0], row[1], row[2], equivalence(row[0], row[1], row[2])}, c.tol);
}

TEST(PreferenceStudy, SmallPValuesAreExactRelatively) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "exact_binomial");
  const Json& row = c.expected.at("rows")[1];   // 9.9e-20 lies below the file's absolute tolerance
  EXPECT_NEAR(binomial_upper_tail(row[0], row[1], 0.5) / row[2].get<double>(), 1, 1e-9);
  EXPECT_NEAR(binomial_two_sided(row[0], row[1]) / row[3].get<double>(), 1, 1e-9);
}

TEST(PreferenceStudy, SignalDetection) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "signal_detection");
  for (const Json& row : c.expected.at("rows")) {
    const Detection d = signal_detection(row[0], row[1], row[2], row[3]);
    expect_row(row, {row[0], row[1], row[2], row[3], d.d_prime, d.criterion}, c.tol);
  }
  for (const Json& row : c.expected.at("forced_choice")) expect_row(row, {row[0], forced_choice_d_prime(row[0])}, c.tol);
}

TEST(PreferenceStudy, PairedComparisons) {
  SIM_NEED_GOLDEN(file, "preference_study");
  for (const char* name : {"bradley_terry", "bradley_terry_cycle", "bradley_terry_two"}) {
    const Case c(file, name);
    const dense::Matrix wins = matrix(c.input("wins"));
    const std::vector<double> s = bradley_terry(wins);
    std::vector<double> logs;
    for (const double v : s) logs.push_back(std::log(v / s[0]));
    EXPECT_TRUE(golden::agrees(c.expected, "strengths", s, c.tol)) << name;
    EXPECT_TRUE(golden::agrees(c.expected, "log_strengths_minus_first", logs, c.tol)) << name;
    if (c.input("ties").is_null()) continue;
    const Davidson d = davidson(wins, matrix(c.input("ties")));
    EXPECT_TRUE(golden::agrees(c.expected, "davidson_strengths", d.strengths, c.tol));
    EXPECT_TRUE(golden::agrees(c.expected, "davidson_nu", d.nu, c.tol));
  }
}

TEST(PreferenceStudy, PairedRatings) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "paired_ratings");
  for (std::size_t i = 0; i < c.input("differences").size(); ++i) {
    const auto differences = c.input("differences")[i].get<std::vector<double>>();
    const SignedRank r = signed_rank(differences);
    const SignTest s = sign_test(differences);
    expect_row(c.expected.at("rows")[i], {r.positive, r.negative, r.p, r.rank_biserial, 1.0 * s.positive, 1.0 * s.nonzero, s.p}, c.tol);
  }
  EXPECT_TRUE(golden::agrees(c.expected, "holm", holm(c.input("p_values").get<std::vector<double>>()), c.tol));
}

TEST(PreferenceStudy, ClassifierMetrics) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "classifier_metrics");
  const golden::Tensor raw = golden::tensor(c.input("labels")), scores = golden::tensor(c.input("scores"));
  std::vector<bool> labels;
  for (const double l : raw.values) labels.push_back(l > 0.5);
  const Metrics m = metrics(scores.values, labels, c.json.at("params").at("threshold"));
  EXPECT_EQ(m.tp, c.expected.at("tp"));
  EXPECT_EQ(m.tn, c.expected.at("tn"));
  EXPECT_EQ(m.fp, c.expected.at("fp"));
  EXPECT_EQ(m.fn, c.expected.at("fn"));
  EXPECT_TRUE(golden::agrees(c.expected, "balanced_accuracy", m.balanced_accuracy, c.tol));
  EXPECT_TRUE(golden::agrees(c.expected, "auc", m.auc, c.tol));
  EXPECT_TRUE(golden::agrees(c.expected, "log_loss", m.log_loss, c.tol));
}

double accuracy(const std::vector<double>& predictions, const std::vector<double>& labels) {
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += (predictions[i] > 0) == (labels[i] > 0);
  return right / static_cast<double>(labels.size());
}

std::vector<double> half_positive(std::size_t n) {
  std::vector<double> labels(n, -1);
  std::fill_n(labels.begin(), n / 2, 1);
  return labels;
}

TEST(PreferenceStudy, Leakage) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "leakage");
  const dense::Matrix x = matrix(c.input("features"));
  const std::vector<double> labels = half_positive(x.rows);
  for (const char* where : {"inside", "outside"}) {
    const auto predictions = leave_one_out_ridge(x, labels, c.json.at("params").at("top"), 1, std::string(where) == "inside");
    EXPECT_TRUE(golden::agrees(c.expected, std::string(where) + "/predictions", predictions, c.tol)) << where;
    EXPECT_TRUE(golden::agrees(c.expected, std::string(where) + "/accuracy", accuracy(predictions, labels), c.tol)) << where;
  }
  std::vector<bool> truth;
  for (const double l : labels) truth.push_back(l > 0);
  EXPECT_EQ(accuracy(leave_one_out_majority(truth), labels), c.expected.at("majority_accuracy").get<double>());
}

TEST(PreferenceStudy, BalancedOrders) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "balanced_orders");
  for (const int k : c.json.at("params").at("k").get<std::vector<int>>()) {
    const Json& want = c.expected.at("k" + std::to_string(k));
    const auto rows = balanced_orders(k);
    std::map<std::pair<int, int>, int> neighbors, places;
    for (const auto& row : rows)
      for (int i = 0; i < k; ++i) {
        ++places[{row[static_cast<std::size_t>(i)], i}];
        if (i > 0) ++neighbors[{row[static_cast<std::size_t>(i - 1)], row[static_cast<std::size_t>(i)]}];
      }
    EXPECT_EQ(neighbors.size(), static_cast<std::size_t>(k * (k - 1))) << k;
    EXPECT_EQ(places.size(), static_cast<std::size_t>(k * k)) << k;
    for (const auto& [pair, count] : neighbors) EXPECT_EQ(count, want.at("each_ordered_pair")) << k;
    for (const auto& [place, count] : places) EXPECT_EQ(count, want.at("each_condition_per_position")) << k;
  }
}

TEST(PreferenceStudy, PermutationExact) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const Case c(file, "permutation_exact");
  const golden::Tensor values = golden::tensor(c.input("values"));
  const std::span<const double> all = values.values;
  const std::size_t a = c.json.at("params").at("a");
  const Permutation p = permutation_exact(all.first(a), all.subspan(a));
  EXPECT_TRUE(golden::agrees(c.expected, "difference", p.difference, c.tol));
  EXPECT_EQ(p.count, c.expected.at("count"));
  EXPECT_EQ(p.total, c.expected.at("total"));
  EXPECT_TRUE(golden::agrees(c.expected, "p", p.p, c.tol));
}

TEST(Thresholds, PreferenceTuring) {
  SIM_NEED_GOLDEN(file, "preference_study");
  for (const auto& check : test::threshold_checks("preference_turing")) {
    const double refined = binomial_upper_tail(517, 1000, 0.5), original = binomial_upper_tail(162, 200, 0.5);
    const std::map<std::string, double> measured = {{"|p(517 of 1000) - 0.148344675|", std::abs(refined - 0.148344675)}, {"p(162 of 200)", original}};
    ASSERT_TRUE(measured.contains(check.expression)) << check.expression;
    const double value = measured.at(check.expression);
    EXPECT_LE(value, check.bound.get<double>()) << check.expression;
  }
}

TEST(Thresholds, PreferenceLeakage) {
  SIM_NEED_GOLDEN(file, "preference_study");
  const std::vector<double> labels = half_positive(20);
  std::map<std::string, double> measured;
  for (std::uint64_t repeat = 0; repeat < 300; ++repeat) {
    const dense::Matrix x(20, 95, golden::generate("normal12", 7400 + repeat, 20 * 95));
    measured["inside"] += accuracy(leave_one_out_ridge(x, labels, 5, 1, true), labels) / 300;
    measured["outside"] += accuracy(leave_one_out_ridge(x, labels, 5, 1, false), labels) / 300;
  }
  for (const auto& check : test::threshold_checks("preference_leakage")) EXPECT_TRUE(test::holds(check, measured));
  RecordProperty("inside", std::to_string(measured["inside"]));
  RecordProperty("outside", std::to_string(measured["outside"]));
}

}  // namespace
}  // namespace simulacra::preference
