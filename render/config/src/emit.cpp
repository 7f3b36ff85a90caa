// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/emitter.h>

#include <algorithm>

#include "render/config/config.h"

namespace simulacra::config {
namespace {

bool is_flat(const Node& node) {
  return std::all_of(node.items.begin(), node.items.end(), [](const Node& item) {
    return item.kind == Node::Kind::scalar || item.kind == Node::Kind::null;
  });
}

void emit(YAML::Emitter& out, const Node& node) {
  if (!node.tag.empty()) out << YAML::VerbatimTag(node.tag);
  switch (node.kind) {
    case Node::Kind::null: out << YAML::Null; break;
    case Node::Kind::scalar:
      if (node.quoted) out << YAML::DoubleQuoted;
      out << node.text;
      break;
    case Node::Kind::sequence:
      if (is_flat(node)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Node& item : node.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case Node::Kind::map:
      out << YAML::BeginMap;
      for (const auto& [name, value] : node.entries) {
        out << YAML::Key << name << YAML::Value;
        emit(out, value);
      }
      out << YAML::EndMap;
      break;
  }
}

}  // namespace

std::string to_yaml(const Node& node) {
  YAML::Emitter out;
  out.SetSeqFormat(YAML::Block);
  emit(out, node);
  return std::string(out.c_str()) + "\n";
}

}  // namespace simulacra::config
