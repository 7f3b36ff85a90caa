// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::config {

std::string Node::where() const { return line > 0 ? fmt::format("{}:{}", file, line) : file; }

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, node] : entries)
    if (name == key) return &node;
  return nullptr;
}

Node& Node::at_or_add(std::string_view key) {
  if (kind == Kind::null) kind = Kind::map;
  if (kind != Kind::map)
    fail_usage("{}: '{}' cannot be set inside of what is not a group of options", where(), key);
  for (auto& [name, node] : entries)
    if (name == key) return node;
  Node fresh;
  fresh.file = file;
  entries.emplace_back(std::string(key), std::move(fresh));
  return entries.back().second;
}

Node merged(const Node& base, const Node& over) {
  if (base.kind != Node::Kind::map || over.kind != Node::Kind::map) return over;
  Node result = over;
  result.entries = base.entries;
  for (const auto& [name, node] : over.entries) {
    const auto old = std::find_if(result.entries.begin(), result.entries.end(),
                                  [&](const auto& entry) { return entry.first == name; });
    if (old == result.entries.end())
      result.entries.emplace_back(name, node);
    else
      old->second = merged(old->second, node);
  }
  return result;
}

namespace {

/// The child that `key` names: of a map by name, of a sequence by number.
Node& child(Node& node, std::string_view key, const std::string& origin) {
  if (key.empty()) fail_usage("{}: an empty name; expected group.key=value", origin);
  if (node.kind == Node::Kind::sequence) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc{} || end != key.data() + key.size() || index >= node.items.size())
      fail_usage("{}: '{}' is no position in a list of {}; expected 0 to {}", origin, key,
                 node.items.size(), node.items.empty() ? 0 : node.items.size() - 1);
    return node.items[index];
  }
  if (node.kind == Node::Kind::scalar)
    fail_usage("{}: '{}' lies inside of '{}', which is a single value", origin, key, node.text);
  Node& entry = node.at_or_add(key);
  if (entry.kind == Node::Kind::null && entry.line == 0) entry.file = origin;  // was not there before
  return entry;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, three rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j < last.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

/// A value from the command line has no line number.
void drop_lines(Node& node) {
  node.line = 0;
  for (Node& item : node.items) drop_lines(item);
  for (auto& entry : node.entries) drop_lines(entry.second);
}

}  // namespace

void apply_set(Node& root, std::string_view assignment, std::string_view origin) {
  const std::string where = origin.empty() ? fmt::format("--set {}", assignment) : std::string(origin);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) fail_usage("{}: no '='; expected group.key=value", where);
  std::string_view path = assignment.substr(0, equals);
  Node value = parse_text(assignment.substr(equals + 1), where);
  drop_lines(value);
  Node* node = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    node = &child(*node, path.substr(0, dot), where);
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  *node = std::move(value);
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t best_distance = 1 + std::max<std::size_t>(1, name.size() / 3);
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace simulacra::config
