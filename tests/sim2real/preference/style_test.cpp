// SPDX-License-Identifier: Apache-2.0
// Simulated respondents of known truth: what is there is found, what is not there is not.
#include "sim2real/preference/style.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "render/base/error.h"
#include "sim2real/preference/analysis.h"

namespace simulacra::preference {
namespace {

const PredictorOptions kQuick{.top = 3, .penalties = {1}};

std::map<std::string, Metrics> by_name(const StyleAnalysis& a) {
  std::map<std::string, Metrics> m;
  for (const NamedMetrics& n : a.predictors) m[n.name] = n.metrics;
  return m;
}

TEST(StyleStudy, TraitsThatDecideAreFoundAndBeatTheBaselines) {
  const StyleTruth truth{.trait_effect = {3, 0, 0, -2, 0}};
  // One study of 60 has a standard error of 0.05, the mean of four of 0.025.
  double mean = 0;
  for (std::uint64_t seed = 11; seed < 15; ++seed)
    mean += by_name(analyse_style_study(simulate_style_study(60, truth, seed), kQuick, 1, 1))["traits and usage"].balanced_accuracy / 4;
  EXPECT_GE(mean, 0.75);
  const StyleAnalysis a = analyse_style_study(simulate_style_study(60, truth, 11), kQuick, 39, 1);
  auto m = by_name(a);
  EXPECT_GE(m["all"].balanced_accuracy, m["reactions"].balanced_accuracy + 0.1);
  EXPECT_GT(m["all"].balanced_accuracy, m["majority"].balanced_accuracy + 0.2);
  EXPECT_LE(a.permutation_p, 0.05);
}

TEST(StyleStudy, ReactionsPredictWhenTheyFollowThePreference) {
  const StyleTruth truth{.chattiness_effect = 1, .reaction_effect = 2};
  const StyleAnalysis a = analyse_style_study(simulate_style_study(50, truth, 12), kQuick, 19, 1);
  auto m = by_name(a);
  EXPECT_GE(m["reactions"].balanced_accuracy, 0.8);
  EXPECT_GT(m["reactions"].balanced_accuracy, m["traits and usage"].balanced_accuracy + 0.15);
}

TEST(StyleStudy, WithoutATruthNothingIsFound) {
  // Eight studies: a p-value below 0.05 in four or more of them has a probability below 1e-3.
  int found = 0, changed = 0;
  double accuracy = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const StyleAnalysis a = analyse_style_study(simulate_style_study(24, {}, 20 + seed), {.top = 3, .penalties = {1}}, 19, seed);
    found += a.permutation_p <= 0.05;
    accuracy += by_name(a)["all"].balanced_accuracy / 8;
    for (const RatingChange& c : a.changes) changed += c.p_holm <= 0.05;
  }
  EXPECT_LT(found, 4);
  EXPECT_LT(changed, 4);
  EXPECT_LT(accuracy, 0.6);
  EXPECT_GT(accuracy, 0.35);   // leaving one out pushes an honest classifier a little below one half
}

TEST(StyleStudy, AMatchingAssistantIsRatedHigher) {
  const StyleTruth truth{.trait_effect = {1, 0, 0, 0, 0}, .matching_gain = 0.8};
  const StyleAnalysis a = analyse_style_study(simulate_style_study(40, truth, 13), kQuick, 1, 1);
  ASSERT_EQ(a.changes.size(), 4u);
  for (const RatingChange& c : a.changes) {
    EXPECT_LT(c.p_holm, 0.01) << c.scale;
    EXPECT_GE(c.p_holm, c.p);
    EXPECT_NEAR(c.mean, 0.8, 0.35) << c.scale;
    EXPECT_GT(c.rank_biserial, 0.5);
  }
  EXPECT_LE(a.preference.lo, static_cast<double>(a.chatty) / a.participants);
}

TEST(StyleStudy, TheStudyIsMadeAndAnalysedLikeAnyOther) {
  std::vector<Item> dialogues;
  for (const char* condition : {"chatty", "plain", "matching"})
    for (int i = 0; i < 6; ++i) dialogues.push_back({condition + std::to_string(i), condition, "", "You: ...", ""});
  const Study study = make_study(style_study(6, 6, 3), dialogues);
  std::string lines;
  for (const Session& s : study.sessions) {
    lines += nlohmann::json{{"kind", "participant"}, {"participant", s.participant}, {"consent", true}, {"answers", nlohmann::json::object()}}.dump() + "\n";
    for (std::size_t n = 0; n < s.trials.size(); ++n) {
      const Item& item = study.items[s.trials[n].items[0]];
      const bool matching = item.condition == "matching";
      lines += nlohmann::json{{"kind", "trial"}, {"participant", s.participant}, {"order", n}, {"items", s.trials[n].items}, {"seconds", 2},
                              {"ratings", {{"likability", {matching ? 5 : 3, matching ? 1 : 3}}, {"trust", {3, 3}}}}}.dump() + "\n";
    }
  }
  const auto ratings = analyse(study, lines).at("ratings");
  ASSERT_EQ(ratings.size(), 6u);
  for (const auto& r : ratings) {
    const bool differs = r.at("scale") == "likability" && r.at("second") == "matching";
    EXPECT_NEAR(r.at("mean_difference").get<double>(), differs ? -2.0 : 0.0, 1e-12) << r.dump();
    EXPECT_NEAR(r.at("p").get<double>(), differs ? 2.0 / 64 : 1, 1e-12);   // six of one sign
  }
}

TEST(StyleStudy, AnswersOfThePageAreScoredAsTheTruthSays) {
  std::vector<Item> dialogues;
  for (const char* condition : {"chatty", "plain", "matching"})
    for (int i = 0; i < 4; ++i) dialogues.push_back({condition + std::to_string(i), condition, "", "You: ...", ""});
  const Study study = study_from_json(study_json(make_study(style_study(40, 6, 3), dialogues)));
  const StyleTruth truth{.trait_effect = {3, 0, 0, -2, 0}, .reaction_effect = 1.5, .matching_gain = 0.8};
  const std::string lines = simulate_style_responses(study, truth, 21);
  std::vector<Exclusion> excluded;
  const auto people = respondents_of(study, read_responses(study, lines, {}, excluded));
  ASSERT_EQ(people.size(), 40u);
  // Who prefers the chatty one rates it higher by 1.5 points, and the matching one by 0.8 over the mean of both: differences of 20 people with
  // a deviation of some 0.5.
  double reaction = 0, gain = 0, chattiness = 0;
  for (const Respondent& r : people) {
    reaction += (r.prefers_chatty ? 1 : -1) * (r.likability[0] - r.likability[1]) / 40;
    gain += (r.trust[2] - 0.5 * (r.trust[0] + r.trust[1])) / 40;
    chattiness += r.own_chattiness / 40;
  }
  EXPECT_NEAR(reaction, 1.5, 0.4);
  EXPECT_NEAR(gain, 0.8, 0.3);
  EXPECT_NEAR(chattiness, 0, 1e-9);
  const nlohmann::json j = style_json(analyse_style_study(people, kQuick, 19, 1));
  EXPECT_GE(j.at("predictors")[0].at("balanced_accuracy").get<double>(), 0.75);
  nlohmann::json report = analyse(study, lines);
  report["style"] = j;
  EXPECT_THAT(report_page(report), testing::HasSubstr("Can the preference be predicted?"));

  std::string torn = lines;
  torn.replace(torn.find("outgoing"), 8, "outgone_");
  EXPECT_THROW(respondents_of(study, read_responses(study, torn, {}, excluded)), Error);
  EXPECT_THROW(style_of("rude"), Error);
}

TEST(StyleStudy, TooFewPeopleAreRefused) {
  EXPECT_THROW(analyse_style_study(simulate_style_study(7, {}, 1), kQuick, 1, 1), Error);
  auto people = simulate_style_study(12, {}, 1);
  for (Respondent& r : people) r.prefers_chatty = true;
  EXPECT_THROW(analyse_style_study(people, kQuick, 1, 1), Error);
}

}  // namespace
}  // namespace simulacra::preference
