// SPDX-License-Identifier: Apache-2.0
// Studies whose items are named after their condition, and respondents of known rates.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "sim2real/preference/study.h"

namespace simulacra::test {

using namespace preference;

inline std::vector<Item> numbered_items(const std::vector<std::string>& conditions, int each) {
  std::vector<Item> items;
  for (const std::string& c : conditions)
    for (int i = 0; i < each; ++i) items.push_back({c + std::to_string(i), c, "", "item " + c + std::to_string(i), ""});
  return items;
}

/// Response of a participant to a trial, not a check.
using Answer = std::function<std::string(const Session&, const Trial&)>;

/// What the page would save, attention checks answered right.
inline std::string respond(const Study& study, const Answer& answer, double seconds = 1.5) {
  std::string lines;
  for (const Session& s : study.sessions) {
    lines += nlohmann::json{{"kind", "participant"}, {"study", study.options.id}, {"participant", s.participant}, {"consent", true}, {"answers", nlohmann::json::object()}}.dump() + "\n";
    for (std::size_t n = 0; n < s.trials.size(); ++n) {
      const Trial& t = s.trials[n];
      nlohmann::json line = {{"kind", "trial"}, {"participant", s.participant}, {"order", n}, {"seconds", seconds}, {"items", t.items}};
      const std::string& check = study.items[t.items[0]].check;
      line["response"] = !t.check ? answer(s, t) : study.options.design == Design::pair ? (check == "yes" ? "left" : "right") : check;
      lines += line.dump() + "\n";
    }
  }
  return lines;
}

}  // namespace simulacra::test
