// SPDX-License-Identifier: Apache-2.0
// Rules that turn names into semantic classes.
//
// A name is cut into words at everything that is no letter or digit, between letters and digits, and where
// lower case turns to upper case: "CoffeeTable_01" is coffee, table, 01. A pattern is a sequence of words
// that must follow each other in the name; case does not matter, `*` and `?` stand for any letters within a
// word, and a word also matches its plural in -s or -es. A pattern with a '/' is compared, as one glob, with
// the whole node path instead ('*' then crosses '/').
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "render/config/config.h"

namespace simulacra {

struct LabelRule {
  std::string label;                  ///< class name or number; "none" says that it has no class
  std::vector<std::string> match;     ///< patterns, any of which will do
  /// What is often a part of furniture (door, drawer, shelf): decides only where no node above is furniture.
  bool part = false;
};
void fields(config::Fields& f, LabelRule& o);

struct LabelRules {
  std::vector<LabelRule> overrides;   ///< for one scene; asked before everything else, also before hints
  std::vector<LabelRule> rules;       ///< in order: the first that matches a name decides
  bool guess_structure = false;       ///< by their geometry, find floor, ceiling and walls among unlabelled objects
};
void fields(config::Fields& f, LabelRules& o);

/// configs/dataset/label_rules.yaml as it was when the program was built.
LabelRules default_label_rules();

/// Reads such a file. Throws UsageError naming file, line and what is possible: unknown keys, unknown
/// classes, empty patterns.
LabelRules read_label_rules(const std::filesystem::path& file);

/// Throws UsageError starting with `where` for a class that does not exist or an empty pattern.
void check_label_rules(const LabelRules& rules, std::string_view where);

/// The words of a name, lower case.
std::vector<std::string> words_of(std::string_view name);

/// Does the pattern match this name (no '/': words; with '/': the whole path)?
bool matches(std::string_view pattern, std::string_view name);

/// The first rule in `rules` that matches one name, or null.
const LabelRule* find_rule(const std::vector<LabelRule>& rules, std::string_view name);

/// Class of a name of which nothing else is known (a catalogue entry): -1 when no rule matches.
int classify_name(const LabelRules& rules, std::string_view name);

}  // namespace simulacra
