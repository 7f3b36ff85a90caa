// SPDX-License-Identifier: Apache-2.0
// Places the meshes of the shown nodes: one object per primitive, node and instance.
#pragma once

#include <string>
#include <vector>

#include "render/description/description.h"
#include "render/import/src/gltf_material.h"
#include "render/import/src/gltf_mesh.h"
#include "render/import/src/gltf_nodes.h"

namespace simulacra::gltf {

class ObjectPlacer {
 public:
  ObjectPlacer(Document& document, NodeGraph& nodes, MaterialReader& materials, SceneDescription& scene)
      : document_(&document), nodes_(&nodes), materials_(&materials), meshes_(document, scene), scene_(&scene) {}

  /// Does nothing for a node without a mesh.
  void place(std::size_t node);
  /// Places a mesh that no node places at the origin.
  void place_alone(std::size_t mesh);

 private:
  struct Placement {
    std::string name, path;
    Affine3d world_from_object;
  };
  std::vector<Placement> placements(std::size_t node);
  std::optional<Skin> skin_of(const JsonRef& node);
  void place_primitive(const JsonRef& mesh, std::size_t primitive, const PrimitiveUse& use,
                       const std::vector<Placement>& placements);
  void warn_of_missing_uv(const JsonRef& primitive, int material, const PrimitiveMesh& read);

  Document* document_;
  NodeGraph* nodes_;
  MaterialReader* materials_;
  MeshReader meshes_;
  SceneDescription* scene_;
};

}  // namespace simulacra::gltf
