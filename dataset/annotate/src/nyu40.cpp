// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotate/nyu40.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const SemanticClass& row : kNyu40) names.emplace_back(row.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

int semantic_from_text(std::string_view text, std::string_view where) {
  const std::string word = lower(text);
  if (word == "none" || word == "-1") return -1;
  for (const SemanticClass& row : kNyu40)
    if (row.name == word) return row.id;
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size() && number >= 1 && number <= 40) return number;
  const std::vector<std::string> names = class_names();
  const std::string near = config::nearest_name(word, names);
  fail_usage("{}: no semantic class is called '{}'{}; the classes are 1..40, none, {}", where, text,
             near.empty() ? "" : " (did you mean '" + near + "'?)", joined(names));
}

std::string_view semantic_name(int semantic) {
  if (semantic == -1) return "none";
  SIM_CHECK(semantic >= 1 && semantic <= 40);
  return kNyu40[static_cast<std::size_t>(semantic - 1)].name;
}

}  // namespace simulacra
