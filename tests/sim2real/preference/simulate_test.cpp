// SPDX-License-Identifier: Apache-2.0
// Simulated people of known truth go through a study's whole way: what was put in comes out.
#include "sim2real/preference/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/preference/analysis.h"
#include "sim2real/preference/config.h"
#include "sim2real/preference/statistics.h"
#include "tests/sim2real/preference/small_study.h"
#include "tests/support/message_of.h"

namespace simulacra::preference {
namespace {

using test::message_of;
using test::numbered_items;
using ::testing::HasSubstr;

Study turing(Design design, bool with_target) {
  StudyOptions o;
  o.id = "turing", o.design = design, o.answers = {"photograph", "computed"}, o.participants = 30, o.trials = 40, o.checks = 2;
  if (with_target) o.target = "real";
  auto items = numbered_items({"refined", "real"}, 50);
  for (const CheckItem& check : default_checks(o)) items.push_back({"check " + check.answer, "check", "", check.text, check.answer});
  return make_study(o, items);
}

TEST(Simulate, ARateAndASpreadComeBackFromEveryDesign) {
  // 1200 answers of 30 people with a spread of 0.8: the middle's logit has a deviation of sqrt(0.64/30 + 1/(1200 * 0.2)) = 0.16, so
  // its rate 0.7 one of 0.034; the spread one of 0.8/sqrt(60) and a part for the answers, 0.13. Three of each.
  const ResponseTruth truth{.rate = 0.7, .spread = 0.8};
  for (const auto& [design, with_target] : {std::pair{Design::single, true}, std::pair{Design::pair, true}, std::pair{Design::pair, false}}) {
    const Study study = turing(design, with_target);
    const auto report = analyse(study, simulate_responses(study, truth, 5));
    EXPECT_EQ(report.at("kept"), 30);
    const auto& rate = with_target ? report.at("correct") : report.at("preferences").at("first_over_second");
    EXPECT_NEAR(rate.at("mixed").at("rate").get<double>(), 0.7, 0.1);
    EXPECT_NEAR(rate.at("mixed").at("sigma").get<double>(), 0.8, 0.4);
    EXPECT_EQ(rate.at("participants").size(), 30u);
    EXPECT_THAT(report_page(report), HasSubstr("mixed model"));
  }
  EXPECT_THROW(simulate_responses(turing(Design::pair, true), {.rate = 1}, 1), Error);
}

TEST(Simulate, PeopleWhoDifferNeedMore) {
  // Without a spread the mixed model has the power of the exact test, up to its steps; with one it has less.
  const double exact = power(200, 0.6), alike = simulated_power(20, 10, 0.6, 0, 0.05, 120, 3), different = simulated_power(20, 10, 0.6, 1.2, 0.05, 120, 3);
  EXPECT_NEAR(alike, exact, 0.13);   // 0.86, four standard errors of 0.032
  EXPECT_LT(different, alike - 0.15);
  EXPECT_LT(simulated_power(20, 10, 0.5, 0.5, 0.05, 120, 4), 0.05 + 4 * 0.02) << "what is not there";
}

TEST(Config, AStudyIsReadAndAWrongKeyIsNamed) {
  const auto read = [](const char* text) { return study_config_from(config::parse_text(text, "study.yaml"), "/data"); };
  const StudyConfig c = read("id: look\ndesign: pair\ntrials: 12\npictures:\n  - {condition: real, folder: photos}\n"
                             "texts: [{condition: b, text: hello}]\nafter: [{name: fun, questions: [It was fun.], reversed: [It was dull.]}]\n");
  EXPECT_EQ(c.options.design, Design::pair);
  EXPECT_EQ(c.pictures.at(0).folder, "/data/photos");
  EXPECT_TRUE(c.options.after.at(0).questions.at(1).reversed);
  EXPECT_EQ(text_items(c).size(), 3u) << "a text and two checks";
  EXPECT_EQ(read("design: rating\nquestionnaire: style\n").options.ratings.size(), 2u);
  EXPECT_THAT(message_of([&] { read("designe: pair"); }), HasSubstr("design"));
  EXPECT_THAT(message_of([&] { read("design: odd"); }), HasSubstr("single, pair, rating"));
  EXPECT_THAT(message_of([&] { read("design: single"); }), HasSubstr("target"));
  EXPECT_THAT(message_of([&] { read("design: rating"); }), HasSubstr("needs scales"));
  EXPECT_THAT(message_of([&] { read("answers: [yes, no, perhaps]"); }), HasSubstr("expected 2"));
}

TEST(Config, TheReadmeListsEveryKeyAndTheFilesOfConfigsAreRead) {
  const std::filesystem::path root = SIMULACRA_SOURCE_DIR;
  EXPECT_THAT(read_text_file(root / "sim2real/preference/README.md"), HasSubstr(config::document<StudyConfig>()));
  for (const char* name : {"turing", "pairs", "style"}) {
    const StudyConfig c = read_study_config(root / "configs/sim2real" / (std::string("preference_") + name + ".yaml"));
    EXPECT_FALSE(c.options.consent.empty()) << name;
  }
}

}  // namespace
}  // namespace simulacra::preference
