// SPDX-License-Identifier: Apache-2.0
// The page as a file; where node is installed, also a participant who takes it on a stand-in for a browser's document.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "render/base/files.h"
#include "sim2real/preference/analysis.h"
#include "sim2real/preference/style.h"
#include "tests/sim2real/preference/small_study.h"

namespace simulacra::preference {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

Study pairs(bool ties) {
  StudyOptions o;
  o.id = "pairs", o.title = "Which is </script><b>real</b>?", o.question = "Which one?", o.ties = ties, o.participants = 2, o.trials = 4, o.checks = 0;
  o.before = {{"mood", 5, {{"I am awake.", false}}}};
  return make_study(o, test::numbered_items({"a", "b"}, 8));
}

nlohmann::json embedded(const std::string& page) {
  const std::string opening = R"(id="study">)";
  const std::size_t from = page.find(opening) + opening.size(), to = page.find("</script>", from);
  return nlohmann::json::parse(page.substr(from, to - from));
}

TEST(Page, IsOneFileThatLoadsNothing) {
  const std::string page = study_page(pairs(false));
  for (const char* foreign : {"http://", "https://", "<link", " src=\"", "fetch(", "XMLHttpRequest", "innerHTML", "{{"}) EXPECT_THAT(page, Not(HasSubstr(foreign))) << foreign;
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(Page, TextOfAStudyCannotEndItsScript) {
  const std::string page = study_page(pairs(false));
  EXPECT_THAT(page, Not(HasSubstr("</script><b>")));
  EXPECT_EQ(embedded(page).at("title"), pairs(false).options.title);
}

TEST(Page, DoesNotTellTheAnswers) {
  StudyOptions o;
  o.target = "taken by a camera", o.participants = 2, o.trials = 4, o.checks = 1;
  auto items = test::numbered_items({"taken by a camera", "refined"}, 4);
  for (Item& item : items) item.text = "a room";
  items.push_back({"a trap", "check", "", "a room", "yes"});
  items.push_back({"another trap", "check", "", "a wall", "no"});
  const nlohmann::json inside = embedded(study_page(make_study(o, items)));
  for (const char* secret : {"taken by a camera", "refined", "trap", "check"}) EXPECT_THAT(inside.dump(), Not(HasSubstr(secret))) << secret;
  EXPECT_EQ(inside.at("items").size(), 10u);
  EXPECT_EQ(inside.at("sessions")[1].at("trials").size(), 5u);
}

/// Runs the page's script under node, all buttons pressed as a participant would; returns what it would download.
std::string taken(const Study& study, const fs::path& folder) {
  write_text_atomically(folder / "study.html", study_page(study));
  const std::string driver = std::string(SIMULACRA_SOURCE_DIR) + "/tests/sim2real/preference/take_study.js";
  const std::string out = (folder / "out.jsonl").string();
  const int status = std::system(("node '" + driver + "' '" + (folder / "study.html").string() + "' > '" + out + "' 2> '" + (folder / "err").string() + "'").c_str());
  EXPECT_EQ(status, 0) << read_text_file(folder / "err");
  return read_text_file(out);
}

TEST(Page, AParticipantTakesItAndTheAnalysisReadsTheAnswers) {
  if (std::system("node --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "skipped: no node";
  const fs::path folder = fs::temp_directory_path() / ("study_page_test_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::vector<Item> dialogues = test::numbered_items({"chatty", "plain", "matching"}, 4);
  for (const Study& study : {pairs(false), pairs(true), make_study(style_study(2, 3, 3), dialogues)}) {
    const std::string lines = taken(study, folder);
    std::vector<Exclusion> excluded;
    const auto answers = read_responses(study, lines, {.least_median_seconds = 0}, excluded);
    ASSERT_EQ(answers.size(), 1u) << lines;
    EXPECT_EQ(answers[0].participant, "p02");
    EXPECT_EQ(answers[0].trials.size(), static_cast<std::size_t>(study.options.trials));
    EXPECT_EQ(answers[0].questionnaire.size(), study.options.before.size() + study.options.after.size());
    if (study.options.design == Design::pair)
      for (const std::string& r : answers[0].responses) EXPECT_EQ(r, study.options.ties ? "tie" : "right");
    else
      for (const auto& r : answers[0].ratings) EXPECT_EQ(r.at("trust"), (nlohmann::json{2, 2}));
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace simulacra::preference
