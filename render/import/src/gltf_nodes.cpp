// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_nodes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "render/base/error.h"

namespace simulacra::gltf {
namespace {

Affine3d affine_from_matrix(const JsonRef& reference) {
  const auto m = reference.numbers<16>();
  // Column-major, the last row is that of an affine map.
  if (std::abs(m[3]) > 1e-6 || std::abs(m[7]) > 1e-6 || std::abs(m[11]) > 1e-6 || std::abs(m[15] - 1) > 1e-6)
    reference.refuse_because(fmt::format("the last row is ({}, {}, {}, {}), expected (0, 0, 0, 1)", m[3], m[7], m[11], m[15]));
  return {Mat3d::from_columns({m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}), {m[12], m[13], m[14]}};
}

Vec3d vector_or(const JsonRef& owner, std::string_view key, Vec3d otherwise) {
  const auto given = owner.find(key);
  if (!given) return otherwise;
  const auto v = given->numbers<3>();
  return {v[0], v[1], v[2]};
}

}  // namespace

Affine3d affine_from_trs(Vec3d translation, const std::array<double, 4>& rotation, Vec3d scale) {
  const double size = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
                                rotation[3] * rotation[3]);
  const double x = rotation[0] / size, y = rotation[1] / size, z = rotation[2] / size, w = rotation[3] / size;
  const Mat3d turned = Mat3d::from_columns({1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                                           {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                                           {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)});
  return {turned * Mat3d::diagonal(scale.x, scale.y, scale.z), translation};
}

bool is_finite(const Affine3d& transform) {
  return simulacra::is_finite(transform.translation) && simulacra::is_finite(transform.linear.column(0)) &&
         simulacra::is_finite(transform.linear.column(1)) && simulacra::is_finite(transform.linear.column(2));
}

NodeGraph::NodeGraph(const Document& document)
    : document_(&document), parent_(document.count("nodes"), kNone), world_from_node_(parent_.size()) {
  find_parents();
  refuse_cycles();
  number_namesakes();
  collect(roots());
}

void NodeGraph::find_parents() {
  for (std::size_t node = 0; node < parent_.size(); ++node) {
    const auto children = document_->item("nodes", node).find("children");
    if (!children) continue;
    for (std::size_t i = 0; i < children->size(); ++i) {
      const JsonRef reference = (*children)[i];
      const std::size_t child = document_->index(reference, "nodes");
      if (parent_[child] != kNone)
        reference.refuse_because(fmt::format("node {} is a child of node {} already; a node has one parent", child,
                                             parent_[child]));
      parent_[child] = node;
    }
  }
}

// Every node has one parent at most, so a walk upwards ends at a root or runs in a circle.
void NodeGraph::refuse_cycles() const {
  enum class State : std::uint8_t { unknown, open, fine };
  std::vector<State> state(parent_.size(), State::unknown);
  std::vector<std::size_t> walked;
  for (std::size_t start = 0; start < parent_.size(); ++start) {
    walked.clear();
    std::size_t node = start;
    while (node != kNone && state[node] == State::unknown) {
      state[node] = State::open;
      walked.push_back(node);
      node = parent_[node];
    }
    if (node != kNone && state[node] == State::open)
      document_->item("nodes", node).refuse_because("is its own ancestor; a hierarchy has no cycles");
    for (const std::size_t seen : walked) state[seen] = State::fine;
  }
}

std::vector<std::size_t> NodeGraph::listed_roots(const JsonRef& scene) const {
  std::vector<std::size_t> result;
  const auto nodes = scene.find("nodes");
  if (!nodes) return result;
  std::vector<bool> listed(parent_.size(), false);
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    const JsonRef reference = (*nodes)[i];
    const std::size_t node = document_->index(reference, "nodes");
    if (parent_[node] != kNone)
      reference.refuse_because(fmt::format("node {} is no root, it is a child of node {}", node, parent_[node]));
    if (listed[node]) reference.refuse_because(fmt::format("node {} is listed twice", node));
    listed[node] = true;
    result.push_back(node);
  }
  return result;
}

std::vector<std::size_t> NodeGraph::roots() const {
  const std::size_t num_scenes = document_->count("scenes");
  const auto given = document_->top().find("scene");
  if (given || num_scenes > 0) {
    const std::size_t chosen = given ? document_->index(*given, "scenes") : 0;
    const JsonRef scene = document_->item("scenes", chosen);
    if (num_scenes > 1)
      document_->warn("scenes", fmt::format("only scene {} of {} is read ({})", chosen, num_scenes, printable(scene.name())));
    return listed_roots(scene);
  }
  std::vector<std::size_t> result;
  for (std::size_t node = 0; node < parent_.size(); ++node)
    if (parent_[node] == kNone) result.push_back(node);
  return result;
}

// Siblings of one name are different things: their paths must differ, too.
void NodeGraph::number_namesakes() {
  std::map<std::pair<std::size_t, std::string>, std::uint32_t> seen;
  namesake_.resize(parent_.size(), 1);
  for (std::size_t node = 0; node < parent_.size(); ++node) namesake_[node] = ++seen[{parent_[node], name(node)}];
}

void NodeGraph::collect(const std::vector<std::size_t>& roots) {
  std::vector<std::size_t> open(roots.rbegin(), roots.rend());
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    const JsonRef entry = document_->item("nodes", node);
    if (const auto visibility = entry.extension("KHR_node_visibility"))
      if (!visibility->boolean_or("visible", true)) continue;
    shown_.push_back(node);
    const auto children = entry.find("children");
    for (std::size_t i = children ? children->size() : 0; i-- > 0;)
      open.push_back(static_cast<std::size_t>((*children)[i].unsigned_integer()));
  }
}

Affine3d NodeGraph::parent_from_node(std::size_t node) const {
  const JsonRef entry = document_->item("nodes", node);
  const auto matrix = entry.find("matrix");
  const bool has_parts = entry.find("translation") || entry.find("rotation") || entry.find("scale");
  if (matrix) {
    if (has_parts) document_->warn(entry.label(), "has 'matrix' and translation, rotation or scale; 'matrix' is used");
    return affine_from_matrix(*matrix);
  }
  std::array<double, 4> rotation{0, 0, 0, 1};
  if (const auto given = entry.find("rotation")) {
    rotation = given->numbers<4>();
    const double size = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
                                  rotation[3] * rotation[3]);
    if (!(size > 1e-9) || !std::isfinite(size)) given->refuse_because("the quaternion has no direction, expected unit length");
    if (std::abs(size - 1) > 1e-2)
      document_->warn(given->pointer(), fmt::format("the quaternion has length {:.4g}; it is normalized", size));
  }
  return affine_from_trs(vector_or(entry, "translation", {0, 0, 0}), rotation, vector_or(entry, "scale", {1, 1, 1}));
}

Affine3d NodeGraph::world_from_node(std::size_t node) {
  std::vector<std::size_t> chain;
  for (std::size_t at = node; at != kNone && !world_from_node_[at]; at = parent_[at]) chain.push_back(at);
  for (std::size_t i = chain.size(); i-- > 0;) {
    const std::size_t at = chain[i], parent = parent_[at];
    const Affine3d local = parent_from_node(at);
    world_from_node_[at] = parent == kNone ? local : *world_from_node_[parent] * local;
    if (!is_finite(*world_from_node_[at]))
      document_->item("nodes", at).refuse_because("its transform in the scene is not finite");
  }
  return *world_from_node_[node];
}

std::string NodeGraph::name(std::size_t node) const {
  std::string own = document_->item("nodes", node).name();
  return own.empty() ? fmt::format("node {}", node) : own;
}

std::string NodeGraph::path(std::size_t node) const {
  constexpr std::size_t kLongest = 2000;
  std::vector<std::string> names;
  std::size_t length = 0;
  for (std::size_t at = node; at != kNone; at = parent_[at]) {
    if (length > kLongest) {
      names.emplace_back("…");
      break;
    }
    names.push_back(namesake_[at] > 1 ? fmt::format("{} ({})", name(at), namesake_[at]) : name(at));
    length += names.back().size() + 1;
  }
  std::string result;
  for (std::size_t i = names.size(); i-- > 0;) result += fmt::format("{}{}", result.empty() ? "" : "/", names[i]);
  return result;
}

}  // namespace simulacra::gltf
