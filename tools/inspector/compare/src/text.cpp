// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/inspector/catalog/label_files.h"
#include "tools/inspector/compare/compare.h"

namespace simulacra::inspector {
namespace {

std::string worst_text(const LabelComparison& label) {
  if (!label.worst) return "";
  const WorstValue& w = *label.worst;
  const std::string channel = channel_name(label.label, w.channel, label.channels);
  return fmt::format("{}{}({}, {}){}{}: {:.7g} and {:.7g}", w.frame, w.frame.empty() ? "" : " ", w.x, w.y, channel.empty() ? "" : ".", channel, w.a, w.b);
}

void list(std::string& text, const char* title, const std::vector<std::string>& lines, std::size_t most) {
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) text += fmt::format("{}{}\n", title, lines[i]);
  if (lines.size() > most) text += fmt::format("{}... and {} more\n", title, lines.size() - most);
}

}  // namespace

std::string comparison_text(const SetComparison& all, std::size_t most) {
  std::string text = fmt::format("{:<22} {:>7} {:>11} {:>10} {:>10}  {:<17} worst\n", "label", "frames", "values", "differ", "over", "tolerance");
  for (const LabelComparison& l : all.labels)
    text += fmt::format("{:<22} {:>7} {:>11} {:>10} {:>10}  {:<17} {}\n", l.label, l.frames, l.values, l.differing, l.over,
                        l.tolerance.absolute == 0 && l.tolerance.relative == 0 ? "exact" : fmt::format("{:.3g} + {:.3g} x", l.tolerance.absolute, l.tolerance.relative),
                        worst_text(l));
  for (std::size_t i = 0; i < std::min(most, all.frames_over.size()) && all.frames > 1; ++i)
    text += fmt::format("over        {}: {} values\n", all.frames_over[i].first, all.frames_over[i].second);
  if (all.frames > 1 && all.frames_over.size() > most) text += fmt::format("over        ... and {} more frames\n", all.frames_over.size() - most);
  list(text, "only in A   ", all.only_a, most);
  list(text, "only in B   ", all.only_b, most);
  list(text, "unreadable  ", all.problems, most);
  text += all.agree() ? fmt::format("{} frames agree within the tolerances\n", all.frames) : "they differ\n";
  return text;
}

std::string comparison_json(const SetComparison& all) {
  nlohmann::ordered_json labels = nlohmann::ordered_json::object();
  for (const LabelComparison& l : all.labels) {
    nlohmann::ordered_json& row = labels[l.label];
    row = {{"frames", l.frames}, {"frames_over", l.frames_over}, {"values", l.values}, {"differing", l.differing}, {"over", l.over},
           {"absolute", l.tolerance.absolute}, {"relative", l.tolerance.relative}, {"worst", nullptr}};
    if (l.worst)
      row["worst"] = {{"frame", l.worst->frame}, {"x", l.worst->x}, {"y", l.worst->y}, {"channel", l.worst->channel}, {"a", number_or_text(l.worst->a)},
                      {"b", number_or_text(l.worst->b)}, {"difference", number_or_text(l.worst->difference)}};
  }
  nlohmann::ordered_json frames = nlohmann::ordered_json::array();
  for (const auto& [key, over] : all.frames_over) frames.push_back({{"frame", key}, {"over", over}});
  return nlohmann::ordered_json{{"agree", all.agree()}, {"frames", all.frames}, {"labels", labels}, {"frames_over", frames}, {"only_a", all.only_a},
                        {"only_b", all.only_b}, {"problems", all.problems}}.dump(1) + "\n";
}

}  // namespace simulacra::inspector
