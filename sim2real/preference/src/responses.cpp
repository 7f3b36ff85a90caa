// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "render/base/error.h"
#include "sim2real/preference/analysis.h"

namespace simulacra::preference {
namespace {

using nlohmann::json;

struct Collected {
  Answers answers;
  bool consent = false;
  std::set<int> orders;
  std::vector<double> seconds;
};

/// The check's right answer: of a pair the side with "yes".
bool check_failed(const Study& study, const Trial& trial, const std::string& response) {
  const Item& first = study.items[trial.items[0]];
  if (study.options.design == Design::pair) return response != (first.check == "yes" ? "left" : "right");
  return response != first.check;
}

void check_response(const Study& study, const std::string& response) {
  const StudyOptions& o = study.options;
  std::vector<std::string> known = o.design == Design::pair ? std::vector<std::string>{"left", "right"} : o.answers;
  if (o.design == Design::pair && o.ties) known.emplace_back("tie");
  if (std::ranges::find(known, response) == known.end()) fail("'{}' is no answer of study '{}'", response, o.id);
}

void add_trial(const Study& study, const Session& session, const json& line, Collected& into) {
  const int order = line.at("order");
  if (order < 0 || static_cast<std::size_t>(order) >= session.trials.size()) fail("participant {} has no trial {}", session.participant, order);
  if (!into.orders.insert(order).second) fail("trial {} of participant {} stands twice", order, session.participant);
  const Trial& trial = session.trials[static_cast<std::size_t>(order)];
  if (line.at("items").get<std::vector<std::size_t>>() != trial.items) fail("trial {} of participant {} shows other items than the study", order, session.participant);
  into.seconds.push_back(line.value("seconds", 0.0));
  const std::string response = line.value("response", "");
  if (study.options.design == Design::rating) {
    const json ratings = line.at("ratings");
    for (const Scale& s : study.options.ratings) scale_score(s, ratings.at(s.name).get<std::vector<int>>());
    into.answers.ratings.push_back(ratings);
  } else {
    check_response(study, response);
    if (trial.check) into.answers.failed_checks += check_failed(study, trial, response);
  }
  if (trial.check) return;
  into.answers.trials.push_back(trial);
  into.answers.responses.push_back(response);
}

void add_line(const Study& study, const json& line, std::map<std::string, Collected>& people) {
  if (line.value("study", study.options.id) != study.options.id) fail("it is of study {}", line.at("study").dump());
  const std::string participant = line.at("participant");
  const auto session = std::ranges::find(study.sessions, participant, &Session::participant);
  if (session == study.sessions.end()) fail("the study has no participant '{}'", participant);
  Collected& collected = people[participant];
  collected.answers.participant = participant;
  const std::string kind = line.at("kind");
  if (kind == "participant") {
    collected.consent = line.at("consent");
    collected.answers.questionnaire = line.value("answers", json::object());
  } else if (kind == "trial") {
    add_trial(study, *session, line, collected);
  } else {
    fail("a line is of kind 'participant' or 'trial', not '{}'", kind);
  }
}

void add_file(const Study& study, const ResponseFile& file, std::map<std::string, Collected>& people) {
  std::istringstream in{file.text};
  const std::string where = file.name.empty() ? "" : file.name + ": ";
  int number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      add_line(study, json::parse(text), people);
    } catch (const json::exception& e) {
      fail("{}line {}: not a response: {}", where, number, e.what());
    } catch (const Error& e) {
      fail("{}line {}: {}", where, number, e.what());
    }
  }
}

std::string reason_to_exclude(const Collected& c, const Session& session, const AnalysisOptions& o) {
  if (!c.consent) return "no consent";
  const double share = static_cast<double>(c.orders.size()) / static_cast<double>(session.trials.size());
  if (share < o.least_share) return fmt::format("{} of {} trials", c.orders.size(), session.trials.size());
  if (c.answers.failed_checks > o.most_failed_checks) return fmt::format("{} failed checks", c.answers.failed_checks);
  std::vector<double> seconds = c.seconds;
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  if (seconds.empty() || *middle < o.least_median_seconds) return "answers faster than people look";
  return "";
}

}  // namespace

std::vector<Answers> read_responses(const Study& study, std::string_view json_lines, const AnalysisOptions& options,
                                    std::vector<Exclusion>& excluded) {
  const ResponseFile file{"", std::string(json_lines)};
  return read_responses(study, {&file, 1}, options, excluded);
}

std::vector<Answers> read_responses(const Study& study, std::span<const ResponseFile> files, const AnalysisOptions& options,
                                    std::vector<Exclusion>& excluded) {
  std::map<std::string, Collected> people;
  for (const ResponseFile& file : files) add_file(study, file, people);
  std::vector<Answers> kept;
  for (auto& [participant, collected] : people) {
    const auto session = std::ranges::find(study.sessions, participant, &Session::participant);
    const std::string reason = reason_to_exclude(collected, *session, options);
    if (reason.empty()) kept.push_back(std::move(collected.answers));
    else excluded.push_back({participant, reason});
  }
  return kept;
}

}  // namespace simulacra::preference
