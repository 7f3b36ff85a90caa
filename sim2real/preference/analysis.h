// SPDX-License-Identifier: Apache-2.0
// From responses to a report. The rules of exclusion are fixed before the responses are read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim2real/preference/statistics.h"
#include "sim2real/preference/study.h"

namespace simulacra::preference {

struct AnalysisOptions {
  int most_failed_checks = 0;       ///< a participant with more is left out
  double least_share = 1;           ///< of the trials that a participant must have answered
  double least_median_seconds = 0.3;  ///< a participant who clicks through is left out
  double equivalence_margin = 0.05;
  double planned_rate = 0.6;        ///< whose power is reported
  int bootstrap_draws = 4000;
};

struct Exclusion {
  std::string participant, reason;
};

/// Responses of one participant, as the page saves them: right or wrong and which condition was chosen are looked up in the
/// study, not in the file.
struct Answers {
  std::string participant;
  std::vector<Trial> trials;                ///< answered ones, without checks
  std::vector<std::string> responses;       ///< of each
  std::vector<nlohmann::json> ratings;      ///< of each, {"scale": [answers]}
  nlohmann::json questionnaire;
  int failed_checks = 0;
};
/// What one participant, or several, saved.
struct ResponseFile {
  std::string name;   ///< stands in messages; may be empty
  std::string text;   ///< JSON lines
};
/// Reads JSON lines of one or many participants. Throws Error "name: line N: …" for damaged lines, unknown participants or items, a
/// trial that stands twice; participants without consent are in `excluded`.
std::vector<Answers> read_responses(const Study& study, std::span<const ResponseFile> files, const AnalysisOptions& options, std::vector<Exclusion>& excluded);
std::vector<Answers> read_responses(const Study& study, std::string_view json_lines, const AnalysisOptions& options, std::vector<Exclusion>& excluded);

/// Invited, kept, excluded with reasons; rate with exact, score, mixed-effect and bootstrap intervals, p, equivalence, power and
/// d' where a target is right; strengths and circles of preferences; means and adjusted signed ranks of ratings; seed
/// and a fingerprint of the responses. Throws Error when nobody is left.
nlohmann::json analyse(const Study& study, std::span<const ResponseFile> files, const AnalysisOptions& options = {});
nlohmann::json analyse(const Study& study, std::string_view json_lines, const AnalysisOptions& options = {});
/// Of the texts, in their order, without the names.
std::string fingerprint(std::span<const ResponseFile> files);
/// The same for people: as text, and as one HTML page without other resources, with the intervals and participants drawn.
std::string report_markdown(const nlohmann::json& report);
std::string report_page(const nlohmann::json& report);

}  // namespace simulacra::preference
