// SPDX-License-Identifier: Apache-2.0
// Materials of a glTF file as MaterialDescriptions of kind `standard`.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "render/description/description.h"
#include "render/import/src/gltf_document.h"
#include "render/import/src/gltf_texture.h"

namespace simulacra::gltf {

class MaterialReader {
 public:
  /// Reads all materials of the file, in its order, into SceneDescription::materials.
  MaterialReader(Document& document, SceneDescription& scene);

  /// The material of a primitive: its own, or glTF's default, which is added when first needed.
  int material_of(const JsonRef& primitive);
  /// True when alphaMode is OPAQUE, so that alpha has no meaning.
  bool is_opaque(int material) const { return opaque_[static_cast<std::size_t>(material)]; }
  /// Which of the UV sets its textures use.
  std::array<bool, 2> uv_sets(int material) const;

 private:
  int add(const JsonRef& entry);

  Document* document_;
  SceneDescription* scene_;
  TextureReader textures_;
  std::vector<bool> opaque_;
  std::optional<int> default_;
  Json default_json_;
};

}  // namespace simulacra::gltf
