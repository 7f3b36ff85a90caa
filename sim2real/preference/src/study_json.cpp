// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>
#include <utility>

#include "render/base/error.h"
#include "sim2real/preference/study.h"

namespace simulacra::preference {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<Design, const char*>, 3> kDesigns = {{{Design::single, "single"}, {Design::pair, "pair"}, {Design::rating, "rating"}}};

json scales_json(const std::vector<Scale>& scales) {
  json list = json::array();
  for (const Scale& s : scales) {
    json questions = json::array();
    for (const auto& q : s.questions) questions.push_back({{"text", q.text}, {"reversed", q.reversed}});
    list.push_back({{"name", s.name}, {"points", s.points}, {"questions", std::move(questions)}});
  }
  return list;
}

std::vector<Scale> scales_from(const json& list) {
  std::vector<Scale> scales;
  for (const json& s : list) {
    Scale scale{s.at("name"), s.at("points"), {}};
    for (const json& q : s.at("questions")) scale.questions.push_back({q.at("text"), q.at("reversed")});
    scales.push_back(std::move(scale));
  }
  return scales;
}

Design design_from(const std::string& name) {
  for (const auto& [design, known] : kDesigns)
    if (name == known) return design;
  fail("no design is called '{}'; there are single, pair, rating", name);
}

Study read(const json& j) {
  Study study;
  StudyOptions& o = study.options;
  o.id = j.at("id"), o.title = j.at("title"), o.consent = j.at("consent"), o.question = j.at("question"), o.design = design_from(j.at("design"));
  o.answers = j.at("answers").get<std::vector<std::string>>();
  o.target = j.at("target"), o.ties = j.at("ties"), o.seed = j.at("seed"), o.checks = j.at("checks"), o.trials = j.at("trials");
  o.before = scales_from(j.at("before")), o.ratings = scales_from(j.at("ratings")), o.after = scales_from(j.value("after", json::array()));
  for (const json& i : j.at("items")) study.items.push_back({i.at("id"), i.at("condition"), i.at("media"), i.at("text"), i.at("check")});
  for (const json& s : j.at("sessions")) {
    Session session{s.at("participant"), {}};
    for (const json& t : s.at("trials")) {
      Trial trial{t.at("items").get<std::vector<std::size_t>>(), t.at("check")};
      for (const std::size_t item : trial.items)
        if (item >= study.items.size()) fail("a trial of {} shows item {}, and there are {}", session.participant, item, study.items.size());
      session.trials.push_back(std::move(trial));
    }
    study.sessions.push_back(std::move(session));
  }
  o.participants = static_cast<int>(study.sessions.size());
  return study;
}

}  // namespace

json study_json(const Study& study) {
  const StudyOptions& o = study.options;
  json j = {{"schema", "simulacra-study/1"}, {"id", o.id}, {"title", o.title}, {"consent", o.consent}, {"question", o.question},
            {"design", kDesigns[static_cast<std::size_t>(o.design)].second}, {"answers", o.answers}, {"target", o.target}, {"ties", o.ties},
            {"trials", o.trials}, {"checks", o.checks}, {"seed", o.seed}, {"before", scales_json(o.before)}, {"ratings", scales_json(o.ratings)}, {"after", scales_json(o.after)}};
  j["items"] = json::array();
  for (const Item& i : study.items) j["items"].push_back({{"id", i.id}, {"condition", i.condition}, {"media", i.media}, {"text", i.text}, {"check", i.check}});
  j["sessions"] = json::array();
  for (const Session& s : study.sessions) {
    json trials = json::array();
    for (const Trial& t : s.trials) trials.push_back({{"items", t.items}, {"check", t.check}});
    j["sessions"].push_back({{"participant", s.participant}, {"trials", std::move(trials)}});
  }
  return j;
}

Study study_from_json(const json& j) {
  try {
    if (j.at("schema") != "simulacra-study/1") fail("the study has schema {}; this program reads simulacra-study/1", j.at("schema").dump());
    return read(j);
  } catch (const json::exception& e) {
    fail("the study cannot be read: {}", e.what());
  }
}

}  // namespace simulacra::preference
