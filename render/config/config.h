// SPDX-License-Identifier: Apache-2.0
// YAML configuration. Each options struct has one function
//
//   void fields(config::Fields& f, Options& o) {
//     f.field("spp", o.spp, "samples per pixel", {1, 65536});
//     f.group("camera", o.camera, "how views are chosen");
//   }
//
// found by argument-dependent lookup. It reads, writes, documents and range-checks: an unknown key, a
// wrong type or a value out of range is a UsageError that names file, line, key and what is possible.
// The only user of yaml-cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simulacra::config {

/// A parsed YAML document as plain data.
struct Node {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };
  Kind kind = Kind::null;
  std::string text;                                 ///< scalar
  std::string tag;                                  ///< "!Rpy" and the like; empty when plain
  bool quoted = false;                              ///< scalar in quotes: a string whatever it looks like
  std::vector<Node> items;                          ///< sequence
  std::vector<std::pair<std::string, Node>> entries;  ///< map, in file order
  std::string file;                                 ///< where it stands
  int line = 0;                                     ///< from 1; 0 = not from a file

  std::string where() const;                        ///< "file:line"
  const Node* find(std::string_view key) const;     ///< of a map; null when absent
  Node& at_or_add(std::string_view key);            ///< makes a map of a null node
};

/// Throws UsageError "file:line: …" on YAML errors, aliases that explode, duplicate keys. `extends: other.yaml`
/// at the top of a map is resolved relative to the file: this file's entries are merged over the other's.
Node parse_file(const std::filesystem::path& file);
Node parse_text(std::string_view text, const std::string& name);
/// Applies "a.b.c=value" (value is YAML) to the tree; throws UsageError when it has no '='.
/// `origin` stands in messages instead of "--set ASSIGNMENT", for assignments that another option stands for.
void apply_set(Node& root, std::string_view assignment, std::string_view origin = {});
/// `over` merged over `base`: maps key by key, everything else replaced.
Node merged(const Node& base, const Node& over);
std::string to_yaml(const Node& node);

template <typename T>
struct Range {
  T lo = std::numeric_limits<T>::lowest();
  T hi = std::numeric_limits<T>::max();
};

/// What a fields() function talks to.
class Fields {
 public:
  virtual ~Fields() = default;
  virtual void field(std::string_view name, bool& value, std::string_view doc) = 0;
  virtual void field(std::string_view name, int& value, std::string_view doc, Range<int> range = {}) = 0;
  virtual void field(std::string_view name, std::uint64_t& value, std::string_view doc) = 0;
  virtual void field(std::string_view name, double& value, std::string_view doc, Range<double> range = {}) = 0;
  /// With `choices`, only those values.
  virtual void field(std::string_view name, std::string& value, std::string_view doc,
                     std::span<const std::string_view> choices = {}) = 0;
  /// With `count`, exactly so many numbers.
  virtual void field(std::string_view name, std::vector<double>& value, std::string_view doc, std::size_t count = 0,
                     Range<double> each = {}) = 0;
  virtual void field(std::string_view name, std::vector<std::string>& value, std::string_view doc) = 0;
  /// A subtree that is kept as it stands.
  virtual void field(std::string_view name, Node& value, std::string_view doc) = 0;

  template <typename S>
  void group(std::string_view name, S& options, std::string_view doc) {
    on_group(name, doc, [&](Fields& f) { fields(f, options); });
  }
  /// A sequence of structs.
  template <typename S>
  void list(std::string_view name, std::vector<S>& options, std::string_view doc) {
    on_list(name, doc, options.size(),
            [&](std::size_t n) { options.resize(n); },
            [&](Fields& f, std::size_t i) { fields(f, options[i]); },
            [&](Fields& f) { S example{}; fields(f, example); });
  }

 protected:
  using Body = std::function<void(Fields&)>;
  virtual void on_group(std::string_view name, std::string_view doc, const Body& body) = 0;
  virtual void on_list(std::string_view name, std::string_view doc, std::size_t size,
                       const std::function<void(std::size_t)>& resize,
                       const std::function<void(Fields&, std::size_t)>& item, const Body& example) = 0;
};

namespace detail {
void read(const Node& node, const std::function<void(Fields&)>& body);
Node write(const std::function<void(Fields&)>& body);
std::string document(const std::function<void(Fields&)>& body);
}  // namespace detail

/// Sets from `node` (a map, or null) the options that it names.
template <typename S>
void read(const Node& node, S& options) {
  detail::read(node, [&](Fields& f) { fields(f, options); });
}
/// The effective options as a tree.
template <typename S>
Node write(const S& options) {
  S copy = options;
  return detail::write([&](Fields& f) { fields(f, copy); });
}
/// Markdown table: key, type, default, range or choices, doc.
template <typename S>
std::string document() {
  S defaults{};
  return detail::document([&](Fields& f) { fields(f, defaults); });
}

/// "the valid ones are a, b, c; nearest is b": the known name nearest to `name` (edit distance), or "".
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// Reading a Node by hand, each naming file, line and key in its UsageError.
double as_number(const Node& node, std::string_view key);
int as_integer(const Node& node, std::string_view key);
bool as_bool(const Node& node, std::string_view key);
std::string as_string(const Node& node, std::string_view key);
std::vector<double> as_numbers(const Node& node, std::string_view key, std::size_t count = 0);

}  // namespace simulacra::config
