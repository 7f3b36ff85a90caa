// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace simulacra {

/// True when the whole text fits the pattern: `*` stands for any run of bytes, `?` for one. `same` compares two
/// bytes. Takes time proportional to the product of the lengths at most.
template <typename Same = std::equal_to<char>>
constexpr bool wildcard_match(std::string_view pattern, std::string_view text, Same same = {}) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || same(pattern[p], text[t]))) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1, t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

static_assert(wildcard_match("a*c?", "abbcd") && !wildcard_match("a*c", "abcd") && wildcard_match("*", "") && !wildcard_match("?", ""));
static_assert(wildcard_match("*", "*x") && wildcard_match("a*b*c", "a-b-b-c") && !wildcard_match("Ab", "ab"));

}  // namespace simulacra
