// SPDX-License-Identifier: Apache-2.0
// `simulacra preference` as its users see it: whoever makes a study, takes it, analyses it.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/sim2real/gap/files.h"
#include "tests/sim2real/gap/pictures.h"
#include "tests/support/program.h"

namespace simulacra {
namespace {

namespace fs = std::filesystem;
using namespace test;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

Outcome run(const fs::path& folder, const std::string& arguments) { return run_program_in(folder, SIMULACRA_PROGRAM, "preference " + arguments); }

/// Two folders of pictures of different sizes, and a study of them.
void write_inputs(const fs::path& folder) {
  write_set(folder / "photos", soft_scenes(14, 80, 3, 0.03, 1));
  write_set(folder / "renders", soft_scenes(12, 64, 3, 0.0, 9));
  write_text_atomically(folder / "turing.yaml",
                        "id: turing\ndesign: single\nanswers: [photograph, computed]\ntarget: real\nquestion: Which?\nparticipants: 20\n"
                        "trials: 20\nchecks: 2\nside_px: 48\n"
                        "pictures:\n  - {condition: real, folder: photos}\n  - {condition: refined, folder: renders}\n");
}

TEST(PreferenceVerb, AStudyIsMadeAnsweredBySimulatedPeopleAndTheirTruthIsFound) {
  const TempDir dir;
  write_inputs(dir.path());
  const Outcome made = run(dir.path(), "make turing.yaml -o study.html");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("study.html"), HasSubstr("study.json"), HasSubstr("20 participants (p01 to p20), 22 trials each")));
  const std::string page = read_text_file(dir.path() / "study.html");
  EXPECT_THAT(page, AllOf(Not(HasSubstr("photos")), Not(HasSubstr("refined")), HasSubstr("data:image/png;base64,")));
  EXPECT_EQ(run(dir.path(), "make turing.yaml -o again.html").exit_code, 0);
  EXPECT_EQ(read_text_file(dir.path() / "again.html"), page) << "the seed decides";

  // 400 answers of 20 people at 0.75, spread 0.4: the logit's deviation is sqrt(0.16/20 + 1/(400 * 0.19)) = 0.15, the rate's 0.027.
  ASSERT_EQ(run(dir.path(), "simulate study.json -o a.jsonl --rate 0.75 --spread 0.4 --seed 3").exit_code, 0);
  const Outcome found = run(dir.path(), "analyse study.json a.jsonl --json -o result.html");
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const Json correct = Json::parse(found.out).at("correct");
  EXPECT_EQ(correct.at("trials"), 400);
  EXPECT_NEAR(correct.at("mixed").at("rate").get<double>(), 0.75, 0.09);
  EXPECT_LT(correct.at("mixed").at("p"), 1e-4);
  EXPECT_LT(correct.at("clopper_pearson")[0], correct.at("rate"));
  EXPECT_THAT(read_text_file(dir.path() / "result.html"), AllOf(HasSubstr("mixed model, people differ"), HasSubstr("<svg"), Not(HasSubstr("http"))));
  EXPECT_THAT(run(dir.path(), "analyse study.json a.jsonl").out, HasSubstr("exact interval"));
  // People who guess.
  ASSERT_EQ(run(dir.path(), "simulate study.json -o guess.jsonl --rate 0.5 --spread 0 --seed 4").exit_code, 0);
  EXPECT_GT(Json::parse(run(dir.path(), "analyse study.json guess.jsonl --json").out).at("correct").at("p_two_sided"), 0.01);
}

TEST(PreferenceVerb, TheStyleStudyFindsTheTraitsThatDecide) {
  const TempDir dir;
  const std::string config = std::string(SIMULACRA_SOURCE_DIR) + "/configs/sim2real/preference_style.yaml";
  ASSERT_EQ(run(dir.path(), "make '" + config + "' -o style.html --set participants=48").exit_code, 0);
  ASSERT_EQ(run(dir.path(), "simulate style.json -o a.jsonl --traits 4 0 0 -3 0 --matching 0.8 --seed 5").exit_code, 0);
  const Outcome o = run(dir.path(), "style style.json a.jsonl --json --permutations 19 -o result.html");
  ASSERT_EQ(o.exit_code, 0) << o.err;
  const Json report = Json::parse(o.out), style = report.at("style");
  EXPECT_EQ(style.at("predictors")[1].at("features"), "traits and usage");
  EXPECT_GE(style.at("predictors")[1].at("balanced_accuracy"), 0.7);   // of 48: standard error 0.06, expected 0.83
  EXPECT_LE(style.at("permutation_p"), 0.05);
  for (const Json& c : style.at("changes")) EXPECT_GT(c.at("mean_difference"), 0.2) << "the matching one is liked more";
  EXPECT_THAT(read_text_file(dir.path() / "result.html"), HasSubstr("Can the preference be predicted?"));
}

TEST(PreferenceVerb, PlansAreThoseOfTheExactTest) {
  const TempDir dir;
  const Json j = Json::parse(run(dir.path(), "power --rate 0.6 --trials 200 --participants 20 --spread 0 --studies 100 --json").out);
  EXPECT_EQ(j.at("significant_from"), 113);   // exact, one-sided 5 %
  EXPECT_NEAR(j.at("power").get<double>(), 0.86, 0.01);
  EXPECT_NEAR(j.at("people").at("power").get<double>(), 0.86, 0.14);   // four standard errors of 100 studies
  EXPECT_THAT(run(dir.path(), "power --rate 0.6 --power 0.8").out, HasSubstr("independent answers"));
}

TEST(PreferenceVerb, AParticipantTakesItInABrowserAndTheAnswersAreAnalysed) {
  if (std::system("node --version > /dev/null 2>&1") != 0 || std::system("chromium --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "skipped: no node or no chromium";
  const TempDir dir;
  write_inputs(dir.path());
  ASSERT_EQ(run(dir.path(), "make turing.yaml -o study.html").exit_code, 0);
  const std::string config = std::string(SIMULACRA_SOURCE_DIR) + "/configs/sim2real/preference_style.yaml";
  ASSERT_EQ(run(dir.path(), "make '" + config + "' -o style.html").exit_code, 0);
  for (const char* name : {"study", "style"}) {
    fs::create_directory(dir.path() / "saved");
    const std::string driver = std::string(SIMULACRA_SOURCE_DIR) + "/tests/tools/preference/take_in_browser.js";
    const Outcome taken = run_program_in(dir.path(), "node", "'" + driver + "' chromium " + name + ".html p03 saved");
    ASSERT_EQ(taken.exit_code, 0) << taken.err;
    const std::string file = Json::parse(taken.out).at("file");
    const Outcome o = run(dir.path(), std::string("analyse ") + name + ".json saved/" + file + " --json --least-seconds 0 --most-failed-checks 2");
    ASSERT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(Json::parse(o.out).at("kept"), 1);
    // Key 2 is "computed": half of the pictures are.
    if (std::string(name) == "study") {
      EXPECT_EQ(Json::parse(o.out).at("correct").at("rate"), 0.5);
    }
    fs::remove_all(dir.path() / "saved");
  }
}

TEST(PreferenceVerb, WrongRequestsAreAnsweredInOneLineAndNothingIsWritten) {
  const TempDir dir;
  write_inputs(dir.path());
  const auto write = [&](const char* name, const std::string& text) { write_text_atomically(dir.path() / name, text); };
  const std::string good = read_text_file(dir.path() / "turing.yaml");
  ASSERT_EQ(run(dir.path(), "make turing.yaml -o study.html").exit_code, 0);
  ASSERT_EQ(run(dir.path(), "simulate study.json -o a.jsonl").exit_code, 0);
  fs::create_directory(dir.path() / "empty");
  write_set(dir.path() / "gray", soft_scenes(12, 64, 1, 0.0, 9));
  write("torn.jsonl", read_text_file(dir.path() / "a.jsonl") + "{\"kind\": \n");
  write("other.json", "{\"schema\": \"simulacra-study/1\"}");
  write("odd.yaml", good + "colour: red\n");
  struct Case {
    const char *arguments, *culprit;
  };
  const auto before = names_below(dir.path());
  for (const Case& c : std::vector<Case>{{"", "make, analyse, style, simulate, power"},
                                         {"mak", "did you mean 'make'"},
                                         {"make -o x.html", "CONFIG"},
                                         {"make turing.yaml", "--output"},
                                         {"make absent.yaml -o x.html", "absent.yaml"},
                                         {"make odd.yaml -o x.html", "colour"},
                                         {"make turing.yaml -o x.txt", "x.txt"},
                                         {"make turing.yaml -o x.html --set trials=21", "multiple of 2"},
                                         {"make turing.yaml -o x.html --set trials=40", "has 14 items"},
                                         {"make turing.yaml -o x.html --set target=nobody", "nobody"},
                                         {"make turing.yaml -o x.html --set 'pictures=[{condition: a, folder: empty}]'", "empty: 0 PNG"},
                                         {"make turing.yaml -o x.html --set 'pictures=[{condition: real, folder: photos}, {condition: b, folder: gray}]'", "gray"},
                                         {"analyse study.json", "ANSWERS"},
                                         {"analyse study.json absent.jsonl", "absent.jsonl"},
                                         {"analyse study.html a.jsonl", "study.html"},
                                         {"analyse other.json a.jsonl", "other.json"},
                                         {"analyse study.json torn.jsonl", "torn.jsonl: line"},
                                         {"analyse study.json a.jsonl a.jsonl", "stands twice"},
                                         {"analyse study.json turing.yaml", "turing.yaml: line 1"},
                                         {"analyse study.json a.jsonl --least-seconds 1000", "nobody is left"},
                                         {"analyse study.json a.jsonl -o none/", "none"},
                                         {"style study.json a.jsonl", "outgoing"},
                                         {"simulate study.json -o b.jsonl --rate 1.5", "--rate"},
                                         {"power --rate 0.5", "--rate"},
                                         {"power --rate 0.501 --power 0.99", "0.501"},
                                         {"power --ratee 0.6", "did you mean '--rate'"}}) {
    const Outcome o = run(dir.path(), c.arguments);
    EXPECT_EQ(o.exit_code, 2) << c.arguments << '\n' << o.err;
    EXPECT_THAT(o.err, HasSubstr(c.culprit)) << c.arguments;
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << c.arguments << '\n' << o.err;
    EXPECT_EQ(o.out, "") << c.arguments;
    EXPECT_EQ(names_below(dir.path()), before) << c.arguments;
  }
}

}  // namespace
}  // namespace simulacra
