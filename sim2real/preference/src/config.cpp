// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/config.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "render/base/error.h"
#include "sim2real/preference/style.h"

namespace simulacra::preference {
namespace {

constexpr std::array<std::string_view, 3> kDesigns = {"single", "pair", "rating"};
constexpr std::array<std::string_view, 2> kKinds = {"own", "style"};

/// Statements of a scale in the file: those that count as they stand, then those that are turned.
struct ScaleConfig {
  std::string name;
  int points = 5;
  std::vector<std::string> questions, reversed;
};

void fields(config::Fields& f, ScaleConfig& o) {
  f.field("name", o.name, "of the scale, in the report");
  f.field("points", o.points, "answers go from 1 to this", {2, 11});
  f.field("questions", o.questions, "statements");
  f.field("reversed", o.reversed, "further statements, whose agreement counts the other way");
}

void scales(config::Fields& f, std::string_view name, std::vector<Scale>& scales, std::string_view doc) {
  std::vector<ScaleConfig> plain;
  for (const Scale& s : scales) {
    ScaleConfig& c = plain.emplace_back(ScaleConfig{s.name, s.points, {}, {}});
    for (const Scale::Question& q : s.questions) (q.reversed ? c.reversed : c.questions).push_back(q.text);
  }
  f.list(name, plain, doc);
  scales.clear();
  for (const ScaleConfig& c : plain) {
    Scale& s = scales.emplace_back(Scale{c.name, c.points, {}});
    for (const std::string& q : c.questions) s.questions.push_back({q, false});
    for (const std::string& q : c.reversed) s.questions.push_back({q, true});
  }
}

}  // namespace

void fields(config::Fields& f, PictureSource& o) {
  f.field("condition", o.condition, "name of the condition");
  f.field("folder", o.folder, "PNG, JPEG or EXR pictures, or a data set; relative to this file");
  f.field("most", o.most, "pictures; of more a seeded choice", {1, 100000});
}

void fields(config::Fields& f, TextItem& o) {
  f.field("condition", o.condition, "name of the condition");
  f.field("text", o.text, "what is shown");
}

void fields(config::Fields& f, CheckItem& o) {
  f.field("text", o.text, "what is shown, such as an instruction");
  f.field("answer", o.answer, "single: the right answer; pair: yes for the item to choose, no for the other");
}

namespace {

void options(config::Fields& f, StudyOptions& o, std::string& questionnaire) {
  f.field("id", o.id, "short name, part of file names");
  f.field("title", o.title, "heading of the page");
  f.field("consent", o.consent, "what a participant agrees to");
  f.field("question", o.question, "asked of every item or pair");
  std::string design(kDesigns[static_cast<std::size_t>(o.design)]);
  f.field("design", design, "single: one item, one of two answers; pair: one of two is chosen; rating: answers to scales", kDesigns);
  for (std::size_t i = 0; i < kDesigns.size(); ++i)
    if (design == kDesigns[i]) o.design = static_cast<Design>(i);
  f.field("answers", o.answers, "of single: two; the first means \"of the target condition\"");
  f.field("target", o.target, "condition that is right; empty = a preference, nothing is right");
  f.field("ties", o.ties, "pairs may be answered \"no difference\"");
  f.field("participants", o.participants, "sessions to prepare", {1, 10000});
  f.field("trials", o.trials, "of each participant", {1, 10000});
  f.field("checks", o.checks, "attention checks of each participant", {0, 1000});
  f.field("seed", o.seed, "of every choice and order");
  f.field("questionnaire", questionnaire, "own: the scales below; style: those of the conversational-style study", kKinds);
}

}  // namespace

void fields(config::Fields& f, StudyConfig& o) {
  std::string questionnaire = "own";
  options(f, o.options, questionnaire);
  f.field("side_px", o.side_px, "largest side of a picture; all are cropped to one size", {32, 4096});
  f.list("pictures", o.pictures, "a condition of pictures each");
  f.list("texts", o.texts, "items that are texts");
  f.list("check_items", o.checks, "attention checks; instructions of ours unless given");
  scales(f, "before", o.options.before, "questionnaire before the trials");
  scales(f, "ratings", o.options.ratings, "scales of a rating");
  scales(f, "after", o.options.after, "questionnaire after the trials");
  if (questionnaire == "style") o.options.before = style_questionnaire(), o.options.ratings = style_ratings(), o.options.after = style_choice();
}

StudyConfig study_config_from(const config::Node& tree, const std::filesystem::path& folder) {
  StudyConfig o;
  config::read(tree, o);
  if (o.options.answers.size() != 2) fail_usage("answers: there are {}, expected 2", o.options.answers.size());
  if (o.options.design == Design::single && o.options.target.empty()) fail_usage("target: a study of single items needs the condition that the first answer means");
  if (o.options.design == Design::rating && o.options.ratings.empty()) fail_usage("ratings: a study of ratings needs scales");
  for (const auto* list : {&o.options.before, &o.options.ratings, &o.options.after})
    for (const Scale& s : *list)
      if (s.name.empty() || s.questions.empty()) fail_usage("scale '{}': it needs a name and at least one question", s.name);
  for (PictureSource& p : o.pictures) {
    if (p.condition.empty() || p.folder.empty()) fail_usage("pictures: each needs a condition and a folder");
    p.folder = (folder / p.folder).lexically_normal().string();
  }
  if (o.checks.empty() && o.options.checks > 0) o.checks = default_checks(o.options);
  return o;
}

StudyConfig read_study_config(const std::filesystem::path& file) {
  try {
    return study_config_from(config::parse_file(file), file.parent_path());
  } catch (const UsageError& e) {
    const std::string text = e.what();
    if (text.find(file.string()) != std::string::npos) throw;
    fail_usage("{}: {}", file.string(), text);
  }
}

std::vector<CheckItem> default_checks(const StudyOptions& o) {
  if (o.design == Design::rating) return {};
  if (o.design == Design::pair) return {{"Please choose this side.", "yes"}, {"Please do not choose this side.", "no"}};
  std::vector<CheckItem> checks;
  for (const std::string& answer : o.answers) checks.push_back({fmt::format("Please press \"{}\" here.", answer), answer});
  return checks;
}

std::vector<Item> text_items(const StudyConfig& config) {
  std::vector<Item> items;
  for (std::size_t i = 0; i < config.texts.size(); ++i) items.push_back({fmt::format("text {}", i), config.texts[i].condition, "", config.texts[i].text, ""});
  for (std::size_t i = 0; i < config.checks.size(); ++i) items.push_back({fmt::format("check {}", i), "check", "", config.checks[i].text, config.checks[i].answer});
  return items;
}

}  // namespace simulacra::preference
