// SPDX-License-Identifier: Apache-2.0
// A study of people's judgements: made, taken as a web page, analysed. Participants are numbers; a report has no free text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace simulacra::preference {

enum class Design : std::uint8_t {
  single,  ///< one item, one of two answers ("real or not?")
  pair,    ///< two items side by side, one is chosen
  rating,  ///< one item, answers to the rating scales
};

struct Item {
  std::string id, condition;  ///< "refined", "real", …
  std::string media;          ///< a data: URI of an image; empty for none
  std::string text;           ///< shown beside or instead
  /// Of an attention check: single: the answer that is right; pair: "yes" for the item to choose, "no" for the other.
  std::string check;
};

/// Questions answered on 1 .. points. A reversed one counts points + 1 - answer.
struct Scale {
  struct Question {
    std::string text;
    bool reversed = false;
  };
  std::string name;
  int points = 5;
  std::vector<Question> questions;
};
/// Mean of the answers, reversed ones turned. Throws Error for a wrong number of answers or one out of range.
double scale_score(const Scale& scale, const std::vector<int>& answers);

struct StudyOptions {
  std::string id = "study", title = "Study", consent, question;
  Design design = Design::pair;
  std::vector<std::string> answers = {"yes", "no"};  ///< of `single`; the first means "of the target condition"
  std::string target;                                ///< condition that is right; empty = a preference, nothing is right
  bool ties = false;                                 ///< `pair` may be answered "no difference"
  int participants = 20, trials = 40, checks = 2;    ///< trials and attention checks of each participant
  std::uint64_t seed = 1;
  std::vector<Scale> before{}, ratings{}, after{};   ///< questionnaires before and after the trials; scales of `rating`
};

struct Trial {
  std::vector<std::size_t> items;  ///< places in Study::items; of a pair: left, right
  bool check = false;
};
struct Session {
  std::string participant;  ///< "p01"
  std::vector<Trial> trials;
};
struct Study {
  StudyOptions options;
  std::vector<Item> items;
  std::vector<Session> sessions;
  /// Without repetition, in order of appearance, without those of attention checks.
  std::vector<std::string> conditions() const;
};

/// Seeded and balanced. For every participant: each condition (single), each pair of conditions (pair) equally often, each side
/// equally often, within every block of the smallest size that allows it; orders of conditions by balanced_orders() (rating). No
/// item twice for one participant, and items used equally often over participants, to one. Attention checks spread evenly.
/// Throws Error when trials are no multiple of what balance needs, or items do not suffice; it says which.
Study make_study(const StudyOptions& options, std::vector<Item> items);

nlohmann::json study_json(const Study& study);
/// Throws Error naming the key.
Study study_from_json(const nlohmann::json& json);

/// One self-contained HTML file that gives the study to a participant (?participant=p01, or a choice) and downloads the
/// responses as JSON lines and CSV, items by their place in the study. It loads nothing, sends nothing, and does not contain
/// what would tell the answers: conditions, names of items, the target, which trials are checks.
std::string study_page(const Study& study);

}  // namespace simulacra::preference
