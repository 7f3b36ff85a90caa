// SPDX-License-Identifier: Apache-2.0
// Primitives of glTF meshes as MeshDescriptions. The same accessors give the same MeshDescription.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/import/src/gltf_accessor.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

/// Where the joints of a skin stand at rest: world_from_mesh of joint j is joint[j].
struct Skin {
  std::size_t index = 0;
  std::vector<Affine3d> joints;
};

/// What distinguishes one use of a primitive from another, besides its accessors.
struct PrimitiveUse {
  std::span<const double> morph_weights;
  /// Bakes the skin into the positions, which are then in the world frame.
  const Skin* skin = nullptr;
  /// False: vertex colors get alpha 1, as an opaque material wants.
  bool keep_alpha = true;
};

/// A primitive that has triangles.
struct PrimitiveMesh {
  int mesh = -1;              ///< index into SceneDescription::meshes
  bool has_colors = false;
  std::array<bool, 2> has_uv{};
  bool skinned = false;       ///< positions are in the world frame
};

class MeshReader {
 public:
  MeshReader(Document& document, SceneDescription& scene) : document_(&document), scene_(&scene) {}

  /// Nothing when the primitive has no triangle; a warning says why.
  std::optional<PrimitiveMesh> read(const JsonRef& mesh, std::size_t primitive, const PrimitiveUse& use);
  /// The distinct flattened copy of a mesh whose transform has no inverse: positions in the world frame.
  int flattened(int mesh, const Affine3d& world_from_object);

 private:
  int add(MeshDescription mesh);

  Document* document_;
  SceneDescription* scene_;
  std::map<std::string, PrimitiveMesh> known_;
  std::uint64_t bytes_ = 0;
};

}  // namespace simulacra::gltf
