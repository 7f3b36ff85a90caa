// SPDX-License-Identifier: Apache-2.0
// Images, samplers and textureInfo objects of a glTF file as TextureDescriptions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "render/description/description.h"
#include "render/import/src/gltf_document.h"

namespace simulacra::gltf {

class TextureReader {
 public:
  TextureReader(Document& document, SceneDescription& scene) : document_(&document), scene_(&scene) {}

  /// The texture a textureInfo object refers to, with its KHR_texture_transform and UV set; index into
  /// SceneDescription::textures. The same image, sampler, transform and color space give the same index.
  /// A texture without an image that can be read is there, too, and says `missing`.
  int read(const JsonRef& texture_info, ColorSpace color_space);

 private:
  struct Image {
    std::string name;
    std::filesystem::path file;
    std::shared_ptr<const std::vector<std::uint8_t>> encoded;
    bool missing = false;
  };
  const Image& image(std::size_t index);
  Image load_image(const JsonRef& entry);
  Image image_of(const JsonRef& texture, std::string& identity);

  Document* document_;
  SceneDescription* scene_;
  std::map<std::size_t, Image> images_;
  std::map<std::string, int> known_;
  std::uint64_t encoded_bytes_ = 0;
};

}  // namespace simulacra::gltf
