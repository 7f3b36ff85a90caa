// SPDX-License-Identifier: Apache-2.0
// The node hierarchy of a glTF file: which nodes are shown, their names and transforms. Nothing here
// recurses, so that depth costs no stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

/// translation * rotation * scale; `rotation` is a quaternion x, y, z, w of any length but 0.
Affine3d affine_from_trs(Vec3d translation, const std::array<double, 4>& rotation, Vec3d scale);

bool is_finite(const Affine3d& transform);

class NodeGraph {
 public:
  /// Refuses a node with two parents, a cycle, and indices beyond the list.
  explicit NodeGraph(const Document& document);

  /// Nodes of the default scene (else of scene 0, else all), parents before children, hidden ones left out.
  const std::vector<std::size_t>& shown() const { return shown_; }
  Affine3d world_from_node(std::size_t node);
  /// Its name, else "node 3".
  std::string name(std::size_t node) const;
  /// Names from the root down, joined by '/'; a second sibling of one name becomes "name (2)". The front
  /// of a very long path is replaced by "…".
  std::string path(std::size_t node) const;

 private:
  void find_parents();
  void refuse_cycles() const;
  std::vector<std::size_t> roots() const;
  std::vector<std::size_t> listed_roots(const JsonRef& scene) const;
  void number_namesakes();
  void collect(const std::vector<std::size_t>& roots);
  Affine3d parent_from_node(std::size_t node) const;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  const Document* document_;
  std::vector<std::size_t> parent_;
  std::vector<std::uint32_t> namesake_;  // 1 for the first sibling of a name, then 2, 3, …
  std::vector<std::optional<Affine3d>> world_from_node_;
  std::vector<std::size_t> shown_;
};

}  // namespace simulacra::gltf
