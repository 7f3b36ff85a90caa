// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/label_rules.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "dataset/annotate/nyu40.h"
#include "dataset/annotate/src/default_rules.h"
#include "render/base/error.h"
#include "render/base/wildcard.h"

namespace simulacra {
namespace {

bool is_letter(char c) {  // bytes of UTF-8 beyond ASCII count as letters
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

/// Words of a name or a pattern; in patterns `*` and `?` are letters.
std::vector<std::string> split_words(std::string_view text, bool pattern) {
  std::vector<std::string> words;
  std::string word;
  char before = 0;
  for (const char c : text) {
    const bool wild = pattern && (c == '*' || c == '?');
    const bool part = is_letter(c) || is_digit(c) || wild;
    const bool turn = !pattern && !word.empty() && part &&
                      ((is_upper(c) && is_letter(before) && !is_upper(before)) || is_digit(c) != is_digit(before));
    if ((!part || turn) && !word.empty()) {
      words.push_back(word);
      word.clear();
    }
    if (part) word += lower(c);
    before = c;
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

bool word_matches(const std::string& pattern, const std::string& word) {
  return wildcard_match(pattern, word) || word == pattern + "s" || word == pattern + "es";
}

std::string lower_text(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

void check_list(const std::vector<LabelRule>& rules, std::string_view where, std::string_view key) {
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const std::string place = fmt::format("{}: {}[{}]", where, key, i);
    semantic_from_text(rules[i].label, place + ".label");
    if (rules[i].match.empty()) fail_usage("{}.match: has no pattern, expected at least one", place);
    for (const std::string& pattern : rules[i].match)
      if (split_words(pattern, true).empty())
        fail_usage("{}.match: the pattern '{}' holds no word, expected words like 'coffee table' or 'sofa*'", place,
                   pattern);
  }
}

}  // namespace

void fields(config::Fields& f, LabelRule& o) {
  f.field("label", o.label, "NYU40 class by name or number, or none");
  f.field("match", o.match, "patterns; words in order, * and ? within a word; with a '/' a glob over the node path");
  f.field("part", o.part, "decides only where no node above is a piece of furniture");
}

void fields(config::Fields& f, LabelRules& o) {
  f.list("overrides", o.overrides, "rules of this scene, asked before everything else");
  f.list("rules", o.rules, "rules over names; the first that matches a name decides");
  f.field("guess_structure", o.guess_structure, "find unnamed floor, ceiling and walls by their geometry");
}

LabelRules default_label_rules() {
  LabelRules rules;
  config::read(config::parse_text(kDefaultLabelRules, "label_rules.yaml (built in)"), rules);
  check_label_rules(rules, "label_rules.yaml (built in)");
  return rules;
}

LabelRules read_label_rules(const std::filesystem::path& file) {
  LabelRules rules;
  config::read(config::parse_file(file), rules);
  check_label_rules(rules, file.string());
  return rules;
}

void check_label_rules(const LabelRules& rules, std::string_view where) {
  check_list(rules.overrides, where, "overrides");
  check_list(rules.rules, where, "rules");
}

std::vector<std::string> words_of(std::string_view name) { return split_words(name, false); }

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.find('/') != std::string_view::npos) return wildcard_match(lower_text(pattern), lower_text(name));
  const std::vector<std::string> want = split_words(pattern, true), have = split_words(name, false);
  if (want.empty() || want.size() > have.size()) return false;
  return std::search(have.begin(), have.end(), want.begin(), want.end(), [](const std::string& h, const std::string& w) {
           return word_matches(w, h);
         }) != have.end();
}

const LabelRule* find_rule(const std::vector<LabelRule>& rules, std::string_view name) {
  for (const LabelRule& rule : rules)
    for (const std::string& pattern : rule.match)
      if (matches(pattern, name)) return &rule;
  return nullptr;
}

int classify_name(const LabelRules& rules, std::string_view name) {
  const LabelRule* rule = find_rule(rules.overrides, name);
  if (!rule) rule = find_rule(rules.rules, name);
  return rule ? semantic_from_text(rule->label, "label rules") : -1;
}

}  // namespace simulacra
