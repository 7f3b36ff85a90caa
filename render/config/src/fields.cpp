// SPDX-License-Identifier: Apache-2.0
// The three visitors of fields() functions: read, write, document.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "render/base/error.h"
#include "render/config/config.h"
#include "render/config/src/values.h"

namespace simulacra::config {
namespace {

template <typename T>
bool has_lo(const Range<T>& range) { return range.lo != std::numeric_limits<T>::lowest(); }
template <typename T>
bool has_hi(const Range<T>& range) { return range.hi != std::numeric_limits<T>::max(); }

template <typename T>
std::string in_words(const Range<T>& range) {
  if (has_lo(range) && has_hi(range)) return fmt::format("{} to {}", range.lo, range.hi);
  if (has_lo(range)) return fmt::format("at least {}", range.lo);
  if (has_hi(range)) return fmt::format("at most {}", range.hi);
  return {};
}

template <typename T>
void check_range(const Node& node, std::string_view key, T value, const Range<T>& range) {
  if (!(value >= range.lo && value <= range.hi))
    fail_usage("{}: '{}' is {}; expected {}", node.where(), key, value, in_words(range));
}

template <typename Names>
std::string joined(const Names& names) {
  std::string text;
  for (const auto& name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

/// Sets options from the entries of one map.
class Reader : public Fields {
 public:
  Reader(const Node& node, std::string group) : node_(node), group_(std::move(group)) {
    if (node.kind != Node::Kind::map && node.kind != Node::Kind::null)
      wrong_value(node, group_.empty() ? "the file" : group_, "a group of options (key: value)");
  }

  void field(std::string_view name, bool& value, std::string_view) override {
    if (const Node* node = take(name)) value = as_bool(*node, full(name));
  }
  void field(std::string_view name, int& value, std::string_view, Range<int> range) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    value = as_integer(*node, full(name));
    check_range(*node, full(name), value, range);
  }
  void field(std::string_view name, std::uint64_t& value, std::string_view) override {
    if (const Node* node = take(name)) value = as_unsigned(*node, full(name));
  }
  void field(std::string_view name, double& value, std::string_view, Range<double> range) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    value = as_number(*node, full(name));
    check_range(*node, full(name), value, range);
  }
  void field(std::string_view name, std::string& value, std::string_view,
             std::span<const std::string_view> choices) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    std::string text = as_string(*node, full(name));
    if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
      const std::vector<std::string> known(choices.begin(), choices.end());
      const std::string nearest = nearest_name(text, known);
      fail_usage("{}: '{}' is '{}';{} the choices are {}", node->where(), full(name), text,
                 nearest.empty() ? "" : fmt::format(" did you mean '{}'?", nearest), joined(known));
    }
    value = std::move(text);
  }
  void field(std::string_view name, std::vector<double>& value, std::string_view, std::size_t count,
             Range<double> each) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    value = as_numbers(*node, full(name), count);
    for (const double v : value) check_range(*node, full(name), v, each);
  }
  void field(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    if (node->kind != Node::Kind::sequence) wrong_value(*node, full(name), "a list of texts");
    value.clear();
    for (const Node& item : node->items) value.push_back(as_string(item, full(name)));
  }
  void field(std::string_view name, Node& value, std::string_view) override {
    if (const Node* node = take(name)) value = *node;
  }

  /// Refuses entries that no field asked for.
  void finish() const {
    for (const auto& [key, value] : node_.entries) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const std::string nearest = nearest_name(key, known_);
      std::vector<std::string> sorted = known_;
      std::sort(sorted.begin(), sorted.end());
      fail_usage("{}: no option is called '{}'{};{} the options are {}", value.where(), key,
                 group_.empty() ? "" : fmt::format(" in '{}'", group_),
                 nearest.empty() ? "" : fmt::format(" did you mean '{}'?", nearest), joined(sorted));
    }
  }

 protected:
  void on_group(std::string_view name, std::string_view, const Body& body) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    Reader inner(*node, full(name));
    body(inner);
    inner.finish();
  }
  void on_list(std::string_view name, std::string_view, std::size_t,
               const std::function<void(std::size_t)>& resize,
               const std::function<void(Fields&, std::size_t)>& item, const Body&) override {
    const Node* node = take(name);
    if (node == nullptr) return;
    if (node->kind != Node::Kind::sequence && node->kind != Node::Kind::null)
      wrong_value(*node, full(name), "a list of groups (- key: value)");
    resize(0);
    resize(node->items.size());
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      Reader inner(node->items[i], fmt::format("{}.{}", full(name), i));
      item(inner, i);
      inner.finish();
    }
  }

 private:
  const Node* take(std::string_view name) {
    known_.emplace_back(name);
    return node_.find(name);
  }
  std::string full(std::string_view name) const {
    return group_.empty() ? std::string(name) : fmt::format("{}.{}", group_, name);
  }

  const Node& node_;
  std::string group_;
  std::vector<std::string> known_;
};

Node scalar(std::string text, bool quoted) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

/// Text that YAML would read as something else stands in quotes.
Node text_node(const std::string& text) {
  static const std::set<std::string, std::less<>> kWords{"", "~", "null", "Null", "NULL", "true", "True",
                                                         "TRUE", "false", "False", "FALSE"};
  const bool number_like = !text.empty() && text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  return scalar(text, number_like || kWords.contains(text));
}

template <typename T, typename Make>
Node sequence(const std::vector<T>& values, const Make& make) {
  Node node;
  node.kind = Node::Kind::sequence;
  for (const T& value : values) node.items.push_back(make(value));
  return node;
}

/// Collects the values of all options.
class Writer : public Fields {
 public:
  Writer() { node.kind = Node::Kind::map; }
  Node node;

  void field(std::string_view name, bool& value, std::string_view) override {
    put(name, scalar(value ? "true" : "false", false));
  }
  void field(std::string_view name, int& value, std::string_view, Range<int>) override {
    put(name, scalar(fmt::format("{}", value), false));
  }
  void field(std::string_view name, std::uint64_t& value, std::string_view) override {
    put(name, scalar(fmt::format("{}", value), false));
  }
  void field(std::string_view name, double& value, std::string_view, Range<double>) override {
    put(name, scalar(fmt::format("{}", value), false));
  }
  void field(std::string_view name, std::string& value, std::string_view,
             std::span<const std::string_view>) override {
    put(name, text_node(value));
  }
  void field(std::string_view name, std::vector<double>& value, std::string_view, std::size_t,
             Range<double>) override {
    put(name, sequence(value, [](double v) { return scalar(fmt::format("{}", v), false); }));
  }
  void field(std::string_view name, std::vector<std::string>& value, std::string_view) override {
    put(name, sequence(value, text_node));
  }
  void field(std::string_view name, Node& value, std::string_view) override { put(name, value); }

 protected:
  void on_group(std::string_view name, std::string_view, const Body& body) override {
    Writer inner;
    body(inner);
    put(name, std::move(inner.node));
  }
  void on_list(std::string_view name, std::string_view, std::size_t size, const std::function<void(std::size_t)>&,
               const std::function<void(Fields&, std::size_t)>& item, const Body&) override {
    Node list;
    list.kind = Node::Kind::sequence;
    for (std::size_t i = 0; i < size; ++i) {
      Writer inner;
      item(inner, i);
      list.items.push_back(std::move(inner.node));
    }
    put(name, std::move(list));
  }

 private:
  void put(std::string_view name, Node value) { node.entries.emplace_back(std::string(name), std::move(value)); }
};

/// Writes one Markdown row an option.
class Documenter : public Fields {
 public:
  explicit Documenter(std::string group) : group_(std::move(group)) {}
  std::string rows;

  void field(std::string_view name, bool& value, std::string_view doc) override {
    row(name, "true/false", value ? "true" : "false", "", doc);
  }
  void field(std::string_view name, int& value, std::string_view doc, Range<int> range) override {
    row(name, "whole number", fmt::format("{}", value), in_words(range), doc);
  }
  void field(std::string_view name, std::uint64_t& value, std::string_view doc) override {
    row(name, "whole number", fmt::format("{}", value), "at least 0", doc);
  }
  void field(std::string_view name, double& value, std::string_view doc, Range<double> range) override {
    row(name, "number", fmt::format("{}", value), in_words(range), doc);
  }
  void field(std::string_view name, std::string& value, std::string_view doc,
             std::span<const std::string_view> choices) override {
    row(name, "text", value, joined(choices), doc);
  }
  void field(std::string_view name, std::vector<double>& value, std::string_view doc, std::size_t count,
             Range<double> each) override {
    row(name, count == 0 ? std::string("list of numbers") : fmt::format("{} numbers", count),
        value.empty() ? std::string() : fmt::format("[{}]", fmt::join(value, ", ")), in_words(each), doc);
  }
  void field(std::string_view name, std::vector<std::string>& value, std::string_view doc) override {
    row(name, "list of texts", value.empty() ? std::string() : fmt::format("[{}]", joined(value)), "", doc);
  }
  void field(std::string_view name, Node&, std::string_view doc) override { row(name, "any", "", "", doc); }

 protected:
  void on_group(std::string_view name, std::string_view doc, const Body& body) override {
    row(name, "group", "", "", doc);
    Documenter inner(full(name));
    body(inner);
    rows += inner.rows;
  }
  void on_list(std::string_view name, std::string_view doc, std::size_t, const std::function<void(std::size_t)>&,
               const std::function<void(Fields&, std::size_t)>&, const Body& example) override {
    row(name, "list of groups", "", "", doc);
    Documenter inner(full(name) + ".N");
    example(inner);
    rows += inner.rows;
  }

 private:
  std::string full(std::string_view name) const {
    return group_.empty() ? std::string(name) : fmt::format("{}.{}", group_, name);
  }
  void row(std::string_view name, std::string_view type, std::string_view value, std::string_view possible,
           std::string_view doc) {
    rows += fmt::format("| `{}` | {} | {} | {} | {} |\n", full(name), type,
                        value.empty() ? std::string() : fmt::format("`{}`", value), possible, doc);
  }

  std::string group_;
};

}  // namespace

namespace detail {

void read(const Node& node, const std::function<void(Fields&)>& body) {
  Reader reader(node, {});
  body(reader);
  reader.finish();
}

Node write(const std::function<void(Fields&)>& body) {
  Writer writer;
  body(writer);
  return std::move(writer.node);
}

std::string document(const std::function<void(Fields&)>& body) {
  Documenter documenter({});
  body(documenter);
  return "| key | type | default | possible | meaning |\n|---|---|---|---|---|\n" + documenter.rows;
}

}  // namespace detail
}  // namespace simulacra::config
