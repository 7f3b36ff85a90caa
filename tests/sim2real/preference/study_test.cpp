// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "render/base/error.h"
#include "sim2real/preference/analysis.h"
#include "tests/sim2real/preference/small_study.h"
#include "tests/support/message_of.h"

namespace simulacra::preference {
namespace {

using test::message_of;
using test::numbered_items;
using test::respond;
using ::testing::HasSubstr;

StudyOptions pairs(int participants = 7, int trials = 18) {
  StudyOptions o;
  o.id = "pairs", o.participants = participants, o.trials = trials, o.checks = 0, o.seed = 4;
  return o;
}

TEST(Study, PairsAreBalancedOverConditionsAndSidesAndNoItemComesTwice) {
  const Study study = make_study(pairs(), numbered_items({"a", "b", "c"}, 14));
  std::map<std::size_t, int> used;
  for (const Session& s : study.sessions) {
    ASSERT_EQ(s.trials.size(), 18u);
    std::map<std::string, int> sides;
    std::set<std::size_t> seen;
    for (const Trial& t : s.trials) {
      ++sides[study.items[t.items[0]].condition + study.items[t.items[1]].condition];
      for (const std::size_t i : t.items) {
        EXPECT_TRUE(seen.insert(i).second);
        ++used[i];
      }
    }
    for (const char* side : {"ab", "ba", "ac", "ca", "bc", "cb"}) EXPECT_EQ(sides[side], 3) << side;
  }
  EXPECT_EQ(used.size(), study.items.size());
  const auto [least, most] = std::ranges::minmax_element(used, {}, [](const auto& u) { return u.second; });
  EXPECT_LE(most->second - least->second, 1);
}

TEST(Study, SinglesAreBalancedInEveryBlock) {
  StudyOptions o = pairs(5, 20);
  o.design = Design::single, o.target = "real";
  const Study study = make_study(o, numbered_items({"real", "refined"}, 10));
  for (const Session& s : study.sessions)
    for (std::size_t n = 0; n < s.trials.size(); n += 2)
      EXPECT_NE(study.items[s.trials[n].items[0]].condition, study.items[s.trials[n + 1].items[0]].condition);
  // Not always the same one first.
  int real_first = 0;
  for (const Session& s : study.sessions)
    for (std::size_t n = 0; n < s.trials.size(); n += 2) real_first += study.items[s.trials[n].items[0]].condition == "real";
  EXPECT_GT(real_first, 10);
  EXPECT_LT(real_first, 40);
}

TEST(Study, RatingsComeInBalancedOrders) {
  StudyOptions o = pairs(12, 3);
  o.design = Design::rating;
  const Study study = make_study(o, numbered_items({"a", "b", "c"}, 12));
  std::map<std::string, int> neighbors;
  for (const Session& s : study.sessions)
    for (std::size_t n = 1; n < 3; ++n) ++neighbors[study.items[s.trials[n - 1].items[0]].condition + study.items[s.trials[n].items[0]].condition];
  for (const char* pair : {"ab", "ba", "ac", "ca", "bc", "cb"}) EXPECT_EQ(neighbors[pair], 4) << pair;
}

TEST(Study, TheSeedDecides) {
  const auto items = numbered_items({"a", "b"}, 40);
  EXPECT_EQ(study_json(make_study(pairs(), items)).dump(), study_json(make_study(pairs(), items)).dump());
  StudyOptions other = pairs();
  other.seed = 5;
  EXPECT_NE(study_json(make_study(pairs(), items)).at("sessions"), study_json(make_study(other, items)).at("sessions"));
}

TEST(Study, ChecksAreSpreadAndTheStudySurvivesItsFile) {
  StudyOptions o = pairs(6, 24);
  o.checks = 3;
  auto items = numbered_items({"a", "b"}, 30);
  items.push_back({"good", "check", "", "a photograph", "yes"});
  items.push_back({"bad", "check", "", "noise", "no"});
  const Study study = make_study(o, items);
  for (const Session& s : study.sessions) {
    ASSERT_EQ(s.trials.size(), 27u);
    for (std::size_t third = 0; third < 3; ++third) {
      int checks = 0;
      for (std::size_t n = 9 * third; n < 9 * third + 9; ++n) checks += s.trials[n].check;
      EXPECT_EQ(checks, 1);
    }
  }
  EXPECT_EQ(study_json(study_from_json(study_json(study))), study_json(study));
}

TEST(Study, WhatCannotBeBalancedIsRefused) {
  EXPECT_THAT(message_of([] { make_study(pairs(5, 20), numbered_items({"a", "b", "c"}, 40)); }), HasSubstr("must be a multiple of 6"));
  EXPECT_THAT(message_of([] { make_study(pairs(5, 40), numbered_items({"a", "b"}, 39)); }), HasSubstr("condition 'a' has 39 items; without repetition a participant needs 40"));
  EXPECT_THAT(message_of([] { make_study(pairs(), numbered_items({"a"}, 40)); }), HasSubstr("takes two or more"));
  auto twice = numbered_items({"a", "b"}, 40);
  twice.push_back(twice.front());
  EXPECT_THAT(message_of([&] { make_study(pairs(), twice); }), HasSubstr("item 'a0' stands twice"));
  auto json = study_json(make_study(pairs(), numbered_items({"a", "b"}, 40)));
  json.erase("seed");
  EXPECT_THAT(message_of([&] { study_from_json(json); }), HasSubstr("seed"));
  EXPECT_THAT(message_of([] { scale_score({"trust", 5, {{"a", false}}}, {6}); }), HasSubstr("it goes from 1 to 5"));
}

TEST(Study, ReversedQuestionsAreTurned) {
  const Scale scale{"trust", 5, {{"I trust it.", false}, {"I would check it.", true}}};
  EXPECT_EQ(scale_score(scale, {5, 1}), 5);
  EXPECT_EQ(scale_score(scale, {4, 4}), 3);
}

Study turing(int participants, int trials) {
  StudyOptions o;
  o.id = "turing", o.design = Design::single, o.answers = {"real", "synthetic"}, o.target = "real";
  o.participants = participants, o.trials = trials, o.checks = 0;
  return make_study(o, numbered_items({"real", "refined"}, trials));
}

TEST(Analysis, PeopleWhoGuessAreAtChanceAndPeopleWhoSeeAreNot) {
  const Study study = turing(20, 50);
  std::mt19937_64 random(8);
  const auto see = [&](double share) {
    return respond(study, [&, share](const Session&, const Trial& t) {
      const bool real = study.items[t.items[0]].condition == "real";
      const bool knows = std::uniform_real_distribution<double>(0, 1)(random) < share;
      return (knows ? real : (random() & 1) == 1) ? "real" : "synthetic";
    });
  };
  const auto guess = analyse(study, see(0)).at("correct"), sight = analyse(study, see(0.5)).at("correct");
  EXPECT_EQ(guess.at("trials"), 1000);
  EXPECT_GT(guess.at("p_two_sided"), 0.001);
  EXPECT_NEAR(guess.at("d_prime"), 0, 0.3);              // standard error about 0.08
  EXPECT_NEAR(sight.at("rate"), 0.75, 5 * std::sqrt(0.1875 / 1000));
  EXPECT_LT(sight.at("mixed").at("p"), 1e-6);
  EXPECT_NEAR(sight.at("d_prime"), 1.349, 0.4);          // 2 z(0.75)
  EXPECT_GT(sight.at("equivalence").at("p"), 0.99);
  EXPECT_LE(guess.at("clopper_pearson")[0], guess.at("rate"));
}

TEST(Analysis, StrengthsOfKnownPreferencesAreFound) {
  const Study study = make_study(pairs(30, 60), numbered_items({"a", "b", "c"}, 40));
  const std::map<std::string, double> strength = {{"a", 0.6}, {"b", 0.3}, {"c", 0.1}};
  std::mt19937_64 random(9);
  const auto report = analyse(study, respond(study, [&](const Session&, const Trial& t) {
    const double left = strength.at(study.items[t.items[0]].condition), right = strength.at(study.items[t.items[1]].condition);
    return std::uniform_real_distribution<double>(0, left + right)(random) < left ? "left" : "right";
  })).at("preferences");
  EXPECT_NEAR(report.at("strengths")[0], 0.6, 0.05);   // 1800 comparisons: standard errors about 0.015
  EXPECT_NEAR(report.at("strengths")[1], 0.3, 0.05);
  EXPECT_EQ(report.at("circular_share"), 0);
  EXPECT_FALSE(report.contains("first_over_second"));
}

TEST(Analysis, TheLeftHandedAreNoPreference) {
  const Study study = make_study(pairs(10, 20), numbered_items({"a", "b"}, 20));
  const auto report = analyse(study, respond(study, [](const Session&, const Trial&) { return "left"; })).at("preferences");
  EXPECT_EQ(report.at("first_over_second").at("rate"), 0.5);   // sides are balanced
}

TEST(Analysis, StrengthsThatCannotBeDeterminedAreSaidToBe) {
  const Study study = make_study(pairs(3, 4), numbered_items({"a", "b"}, 4));
  const auto report = analyse(study, respond(study, [&](const Session&, const Trial& t) { return study.items[t.items[0]].condition == "a" ? "left" : "right"; }));
  EXPECT_TRUE(report.at("preferences").at("strengths").is_null());
  EXPECT_THAT(report.at("preferences").at("why_no_strengths").dump(), HasSubstr("item 1 was never preferred to item 0"));
  EXPECT_THAT(report_markdown(report), HasSubstr("not determined"));
}

TEST(Analysis, PeopleAreLeftOutByTheRules) {
  StudyOptions o = pairs(4, 8);
  o.checks = 1;
  auto items = numbered_items({"a", "b"}, 8);
  items.push_back({"good", "check", "", "", "yes"});
  items.push_back({"bad", "check", "", "", "no"});
  const Study study = make_study(o, items);
  std::string text = respond(study, [](const Session&, const Trial&) { return "left"; });
  std::vector<nlohmann::json> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) lines.push_back(nlohmann::json::parse(text.substr(at, text.find('\n', at) - at)));
  for (nlohmann::json& line : lines) {
    if (line.at("participant") == "p01" && line.at("kind") == "participant") line["consent"] = false;
    if (line.at("participant") == "p02" && line.at("kind") == "trial") line["seconds"] = 0.05;
    if (line.at("participant") == "p03" && line.at("kind") == "trial" && line.at("items")[0] == 16) line["response"] = "right";
    else if (line.at("participant") == "p03" && line.at("kind") == "trial" && line.at("items")[0] == 17) line["response"] = "left";
  }
  text.clear();
  for (const auto& line : lines) text += line.dump() + "\n";
  const auto report = analyse(study, text);
  EXPECT_EQ(report.at("invited"), 4);
  EXPECT_EQ(report.at("kept"), 1);
  EXPECT_THAT(report.at("excluded").dump(), testing::AllOf(HasSubstr("no consent"), HasSubstr("faster than people look"), HasSubstr("1 failed checks")));
  const std::string markdown = report_markdown(report);
  EXPECT_THAT(markdown, testing::AllOf(HasSubstr("4 invited, 1 kept"), HasSubstr("excluded p01: no consent"), HasSubstr("a over b: 4 of 8")));
}

TEST(Analysis, DamagedResponsesAreAnsweredWithTheirLine) {
  const Study study = make_study(pairs(2, 4), numbered_items({"a", "b"}, 8));
  const std::string good = respond(study, [](const Session&, const Trial&) { return "left"; });
  EXPECT_THAT(message_of([&] { analyse(study, good + "{\"kind\": \"tri\n"); }), HasSubstr("line 11: not a response"));
  EXPECT_THAT(message_of([&] { analyse(study, good + good); }), HasSubstr("trial 0 of participant p01 stands twice"));
  std::string other = good;
  other.replace(other.find("\"left\""), 6, "\"none\"");
  EXPECT_THAT(message_of([&] { analyse(study, other); }), HasSubstr("line 2: 'none' is no answer"));
  std::string elsewhere = good;
  elsewhere.replace(elsewhere.find("\"items\":["), 9, "\"items\":[99,");
  EXPECT_THAT(message_of([&] { analyse(study, elsewhere); }), HasSubstr("shows other items than the study"));
  EXPECT_THAT(message_of([&] { analyse(study, R"({"kind":"trial","participant":"p99","order":0,"items":[]})"); }), HasSubstr("no participant 'p99'"));
  EXPECT_THAT(message_of([&] { analyse(study, ""); }), HasSubstr("nobody is left"));
}

}  // namespace
}  // namespace simulacra::preference
