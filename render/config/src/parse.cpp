// SPDX-License-Identifier: Apache-2.0
// YAML text to Node, by yaml-cpp's events: they carry line numbers, and limits act before memory is spent.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/config/config.h"

namespace simulacra::config {
namespace {

constexpr std::size_t kMaxDepth = 64;        // of nested maps and lists
constexpr std::size_t kMaxNodes = 1000000;   // aliases expanded
constexpr std::size_t kMaxExtends = 16;      // files in a chain of `extends`
constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 20;

std::size_t count_nodes(const Node& node) {
  std::size_t n = 1;
  for (const Node& item : node.items) n += count_nodes(item);
  for (const auto& entry : node.entries) n += count_nodes(entry.second);
  return n;
}

/// Builds one tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}
  Node root;

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(mark);
    node.quoted = tag == "!";
    if (!node.quoted && is_null_word(value)) return add(std::move(node), anchor);
    node.kind = Node::Kind::scalar;
    node.text = value;
    node.tag = plain(tag);
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end())
      fail_usage("{}: an alias refers to the node that contains it", at(mark));
    num_nodes_ += known->second.size;
    check_size(mark);
    add(known->second.node, 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    Node node;
    YAML::anchor_t anchor;
    bool has_key = false;
    std::string key;
    int key_line = 0;
  };
  struct Anchored {
    Node node;
    std::size_t size;
  };

  static bool is_null_word(const std::string& text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
  }
  static std::string plain(const std::string& tag) { return tag == "?" || tag == "!" ? std::string() : tag; }
  std::string at(const YAML::Mark& mark) const { return fmt::format("{}:{}", file_, mark.line + 1); }

  Node make(const YAML::Mark& mark) {
    ++num_nodes_;
    check_size(mark);
    Node node;
    node.file = file_;
    node.line = mark.line + 1;
    return node;
  }
  void check_size(const YAML::Mark& mark) const {
    if (num_nodes_ > kMaxNodes)
      fail_usage("{}: more than {} values once aliases are expanded", at(mark), kMaxNodes);
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    if (levels_.size() >= kMaxDepth)
      fail_usage("{}: nested deeper than {} levels", at(mark), kMaxDepth);
    if (!levels_.empty() && levels_.back().node.kind == Node::Kind::map && !levels_.back().has_key)
      fail_usage("{}: a key is a map or a list; expected a word", at(mark));
    Level level{make(mark), anchor, false, {}, 0};
    level.node.kind = kind;
    level.node.tag = plain(tag);
    levels_.push_back(std::move(level));
  }
  void close() {
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(std::move(level.node), level.anchor);
  }
  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = {node, count_nodes(node)};
    if (levels_.empty()) {
      root = std::move(node);
      return;
    }
    Level& level = levels_.back();
    if (level.node.kind == Node::Kind::sequence) {
      level.node.items.push_back(std::move(node));
    } else if (!level.has_key) {
      add_key(level, node);
    } else {
      if (node.kind == Node::Kind::null) node.line = level.key_line;  // an empty value is marked where the next token is
      level.node.entries.emplace_back(std::move(level.key), std::move(node));
      level.has_key = false;
    }
  }
  void add_key(Level& level, const Node& node) {
    if (node.kind != Node::Kind::scalar && node.kind != Node::Kind::null)
      fail_usage("{}: a key is a map or a list; expected a word", node.where());
    std::string key = node.kind == Node::Kind::null ? "null" : node.text;
    if (const Node* first = level.node.find(key))
      fail_usage("{}: the key '{}' stands twice, first with the value in line {}", node.where(), key,
                 first->line);
    level.key = std::move(key);
    level.key_line = node.line;
    level.has_key = true;
  }

  std::string file_;
  std::vector<Level> levels_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t num_nodes_ = 0;
};

/// Notes whether a further document has content.
bool has_second_document(YAML::Parser& parser, const std::string& name) {
  TreeBuilder rest(name);
  return parser.HandleNextDocument(rest) && rest.root.kind != Node::Kind::null;
}

Node parse_chain(const std::filesystem::path& file, std::vector<std::filesystem::path>& chain);

/// Merges `node` over the files that its `extends` names, and drops that key.
Node with_bases(Node node, const std::filesystem::path& file, std::vector<std::filesystem::path>& chain) {
  const Node* extends = node.kind == Node::Kind::map ? node.find("extends") : nullptr;
  if (extends == nullptr) return node;
  std::vector<Node> names;
  if (extends->kind == Node::Kind::sequence)
    names = extends->items;
  else
    names.push_back(*extends);
  Node base;
  for (const Node& name : names) {
    const std::filesystem::path path = file.parent_path() / as_string(name, "extends");
    if (!std::filesystem::is_regular_file(path))
      fail_usage("{}: extends '{}', which is no file beside {}", name.where(), name.text, file.string());
    const Node parsed = parse_chain(path, chain);
    if (parsed.kind != Node::Kind::map && parsed.kind != Node::Kind::null)
      fail_usage("{}: extends '{}', which is not a map of options", name.where(), name.text);
    base = base.kind == Node::Kind::null ? parsed : merged(base, parsed);
  }
  std::erase_if(node.entries, [](const auto& entry) { return entry.first == "extends"; });
  return base.kind == Node::Kind::null ? node : merged(base, node);
}

Node parse_chain(const std::filesystem::path& file, std::vector<std::filesystem::path>& chain) {
  std::error_code error;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, error);
  if (std::find(chain.begin(), chain.end(), canonical) != chain.end())
    fail_usage("{}: extends itself through {}", file.string(), chain.back().string());
  if (chain.size() >= kMaxExtends)
    fail_usage("{}: a chain of more than {} files that extend each other", file.string(), kMaxExtends);
  std::string text;
  try {
    text = read_text_file(file, kMaxBytes);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
  chain.push_back(canonical);
  Node node = with_bases(parse_text(text, file.string()), file, chain);
  chain.pop_back();
  return node;
}

}  // namespace

Node parse_text(std::string_view text, const std::string& name) {
  TreeBuilder builder(name);
  builder.root.file = name;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    if (has_second_document(parser, name))
      fail_usage("{}: holds more than one YAML document; expected one", name);
  } catch (const YAML::Exception& e) {
    if (e.mark.is_null()) fail_usage("{}: not YAML: {}", name, e.msg);
    fail_usage("{}:{}: not YAML: {}", name, e.mark.line + 1, e.msg);
  }
  return std::move(builder.root);
}

Node parse_file(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> chain;
  return parse_chain(file, chain);
}

}  // namespace simulacra::config
