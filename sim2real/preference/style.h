// SPDX-License-Identifier: Apache-2.0
// The conversational-style study (after Metcalf et al. 2019): who a participant is by a questionnaire, how likeable and
// trustworthy a chatty, a plain and a matching assistant were, which of chatty and plain was preferred - and whether that
// preference can be predicted. Simulated respondents with a known truth test the whole way.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim2real/preference/analysis.h"
#include "sim2real/preference/predict.h"
#include "sim2real/preference/statistics.h"
#include "sim2real/preference/study.h"

namespace simulacra::preference {

constexpr std::size_t kNumTraits = 5, kNumUsage = 3;
enum class Style : std::uint8_t { chatty, plain, matching };
constexpr std::size_t kNumStyles = 3;
/// Of the condition of that name; throws Error that lists chatty, plain, matching.
Style style_of(const std::string& condition);

/// Five traits of four statements each, two of them reversed, in words of our own; three statements on the use of assistants,
/// and one on the participant's own way of talking to them. Not a validated inventory: put a licensed one in its place for a
/// study that is to be published.
std::vector<Scale> style_questionnaire();
/// The forced choice, after the trials: a statement on a scale without a middle; its upper half prefers the chatty assistant.
std::vector<Scale> style_choice();
/// Likability and trust, after each condition.
std::vector<Scale> style_ratings();
/// The study itself: each participant rates dialogues of the three conditions in balanced orders.
StudyOptions style_study(int participants, int trials, std::uint64_t seed);

struct Respondent {
  std::array<double, kNumTraits> traits{};   ///< scale scores
  std::array<double, kNumUsage> usage{};
  double own_chattiness = 0;                 ///< of the participant's own queries, standardised over participants
  std::array<double, kNumStyles> likability{}, trust{};
  bool prefers_chatty = false;               ///< forced choice
};

struct StyleTruth {
  std::array<double, kNumTraits> trait_effect{};  ///< log-odds of preferring chatty, per standard deviation
  double chattiness_effect = 0;                   ///< of the participant's own
  double reaction_effect = 0;                     ///< rating points of the preferred style over the other
  double matching_gain = 0;                       ///< rating points of the matching assistant over the mean of the others
};
/// Answers item by item on 1 .. 5 with noise, scored by the scales.
std::vector<Respondent> simulate_style_study(int participants, const StyleTruth& truth, std::uint64_t seed);

struct RatingChange {
  std::string scale;
  Style first = Style::matching, second = Style::plain;
  double mean = 0, p = 1, p_holm = 1, rank_biserial = 0;
};
/// The same people as the JSON lines that the page of `study`, one of style_study(), would save.
std::string simulate_style_responses(const Study& study, const StyleTruth& truth, std::uint64_t seed);
/// What the analysis needs of each participant. Throws Error that names participant and scale where an answer is missing.
std::vector<Respondent> respondents_of(const Study& study, const std::vector<Answers>& people);

struct NamedMetrics {
  std::string name;
  Metrics metrics;
  Interval accuracy;   ///< Wilson, n = participants
};
struct StyleAnalysis {
  int chatty = 0, participants = 0;
  Interval preference;                   ///< share that prefers chatty, exact
  std::vector<RatingChange> changes;     ///< matching against chatty and plain on both scales
  /// all features, traits and usage, reactions without traits, majority of the others; each by nested leave-one-out.
  std::vector<NamedMetrics> predictors;
  double permutation_p = 1;              ///< of `all`
};
/// Throws Error below 8 participants or when all prefer the same.
StyleAnalysis analyse_style_study(const std::vector<Respondent>& respondents, const PredictorOptions& options, int permutations, std::uint64_t seed);
/// Key "style" of a report, which report_markdown() and report_page() show.
nlohmann::json style_json(const StyleAnalysis& analysis);

}  // namespace simulacra::preference
