// SPDX-License-Identifier: Apache-2.0
// A Node as a number, a truth value or text, with one line about what is wrong otherwise.
#include <charconv>
#include <cmath>

#include "render/base/error.h"
#include "render/config/config.h"
#include "render/config/src/values.h"

namespace simulacra::config {
namespace {

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <typename T>
bool parse_all(std::string_view text, T& value) {
  text = without_plus(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

std::string shown(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "empty";
    case Node::Kind::sequence: return fmt::format("a list of {}", node.items.size());
    case Node::Kind::map: return "a group";
    case Node::Kind::scalar: break;
  }
  constexpr std::size_t kShown = 60;
  return node.text.size() > kShown ? fmt::format("'{}…'", node.text.substr(0, kShown))
                                   : fmt::format("'{}'", node.text);
}

void wrong_value(const Node& node, std::string_view key, std::string_view expected) {
  fail_usage("{}: '{}' is {}; expected {}", node.where(), key, shown(node), expected);
}

bool is_plain_scalar(const Node& node) { return node.kind == Node::Kind::scalar && !node.quoted; }

double as_number(const Node& node, std::string_view key) {
  double value = 0;
  if (!is_plain_scalar(node) || !parse_all(node.text, value) || !std::isfinite(value))
    wrong_value(node, key, "a number");
  return value;
}

int as_integer(const Node& node, std::string_view key) {
  int value = 0;
  if (!is_plain_scalar(node) || !parse_all(node.text, value)) wrong_value(node, key, "a whole number");
  return value;
}

std::uint64_t as_unsigned(const Node& node, std::string_view key) {
  std::uint64_t value = 0;
  if (!is_plain_scalar(node) || !parse_all(node.text, value))
    wrong_value(node, key, "a whole number from 0 to 18446744073709551615");
  return value;
}

bool as_bool(const Node& node, std::string_view key) {
  if (is_plain_scalar(node)) {
    if (node.text == "true" || node.text == "True" || node.text == "TRUE") return true;
    if (node.text == "false" || node.text == "False" || node.text == "FALSE") return false;
  }
  wrong_value(node, key, "true or false");
}

std::string as_string(const Node& node, std::string_view key) {
  if (node.kind != Node::Kind::scalar) wrong_value(node, key, "text");
  return node.text;
}

std::vector<double> as_numbers(const Node& node, std::string_view key, std::size_t count) {
  const std::string expected =
      count == 0 ? std::string("a list of numbers") : fmt::format("a list of {} numbers", count);
  if (node.kind != Node::Kind::sequence || (count != 0 && node.items.size() != count))
    wrong_value(node, key, expected);
  std::vector<double> values;
  values.reserve(node.items.size());
  for (const Node& item : node.items) values.push_back(as_number(item, key));
  return values;
}

}  // namespace simulacra::config
