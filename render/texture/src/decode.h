// SPDX-License-Identifier: Apache-2.0
// Image files to compact texels, each decoded in a child process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "render/texture/src/bitmap.h"
#include "render/texture/src/contained.h"

namespace simulacra {

/// Sizes beyond which an image is refused from its header.
inline constexpr int kMaxImageSide = 32768;
inline constexpr std::uint64_t kMaxImageBytes = std::uint64_t{2} << 30;

/// An encoded image: a file, or bytes that lay inside another one.
struct ImageSource {
  std::filesystem::path file;
  const std::vector<std::uint8_t>* encoded = nullptr;
  ColorSpace color_space = ColorSpace::linear;  ///< for the mean
};

/// A decoded image, or why there is none.
struct DecodedImage {
  BitmapShape shape;
  SharedBlock block;                  ///< holds the texels, row 0 on top
  std::size_t texel_offset = 0;
  Vec4 mean{};                        ///< linear RGBA
  bool has_alpha = false;             ///< a texel's alpha is below 1
  std::uint64_t nonfinite = 0;        ///< values that were not finite and are 0 now
  std::string failure;                ///< empty when decoded
  const std::uint8_t* texels() const { return block.data() + texel_offset; }
};

/// Decodes all, several at a time, and hands each result over as it comes, with the index of its source;
/// on the calling thread. Never throws because of a file.
void decode_images(std::span<const ImageSource> sources,
                   const std::function<void(std::size_t index, DecodedImage image)>& take);

}  // namespace simulacra
