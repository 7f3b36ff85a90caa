// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/src/config_difference.h"

#include <map>
#include <vector>

#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra {
namespace {

using Leaves = std::map<std::string, std::string>;

/// Every scalar of the tree by its dotted path.
void add_leaves(const config::Node& node, const std::string& path, Leaves& leaves) {
  switch (node.kind) {
    case config::Node::Kind::null: leaves[path] = "nothing"; break;
    case config::Node::Kind::scalar: leaves[path] = node.text; break;
    case config::Node::Kind::sequence:
      for (std::size_t i = 0; i < node.items.size(); ++i) add_leaves(node.items[i], fmt::format("{}[{}]", path, i), leaves);
      break;
    case config::Node::Kind::map:
      for (const auto& [key, value] : node.entries) add_leaves(value, path.empty() ? key : path + "." + key, leaves);
      break;
  }
}

Leaves leaves_of(const config::Node& node) {
  Leaves leaves;
  add_leaves(node, "", leaves);
  return leaves;
}

std::string shown(const Leaves& leaves, const std::string& path) {
  const auto at = leaves.find(path);
  return at == leaves.end() ? "absent" : at->second;
}

}  // namespace

std::string difference(const DatasetRecord& there, const DatasetRecord& here, const std::filesystem::path& config_file,
                       const std::string& config_yaml_here) {
  std::vector<std::string> found;
  if (there.version != here.version)
    found.push_back(fmt::format("it was made by simulacra {}, this is {}", there.version, here.version));
  if (std::filesystem::exists(config_file)) {
    const Leaves a = leaves_of(config::parse_file(config_file));
    const Leaves b = leaves_of(config::parse_text(config_yaml_here, "configuration"));
    Leaves all = a;
    all.insert(b.begin(), b.end());
    for (const auto& [path, value] : all)
      if (shown(a, path) != shown(b, path))
        found.push_back(fmt::format("{} is {} there, {} here", path, shown(a, path), shown(b, path)));
  }
  if (found.empty()) return "its configuration differs";
  std::string text;
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i) text += (i ? ", " : "") + found[i];
  if (found.size() > kShown) text += fmt::format(", and {} more", found.size() - kShown);
  return text;
}

}  // namespace simulacra
