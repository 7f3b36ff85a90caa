// SPDX-License-Identifier: Apache-2.0
// Image textures and image files. The only user of OpenImageIO.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "render/base/parallel.h"
#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra {

/// A decoded picture: interleaved float channels (1..4), row 0 on top.
struct Picture {
  int width = 0, height = 0, channels = 0;
  std::vector<float> pixels;
  std::uint64_t nonfinite = 0;   ///< stored values that were not finite; they are 0 here
};

/// All textures of a scene, decoded. Immutable and safe for any number of threads after construction.
/// Decoders run contained: a file that crashes, hangs or balloons a decoder becomes a warning and the
/// texture counts as missing.
class TextureSet {
 public:
  /// `cache_bytes` caps resident texels: small textures stay decoded, what exceeds the cap goes through
  /// OpenImageIO's tile cache.
  TextureSet(std::span<const TextureDescription> textures, std::uint64_t cache_bytes, Diagnostics& diagnostics);
  ~TextureSet();
  TextureSet(TextureSet&&) noexcept;
  TextureSet& operator=(TextureSet&&) noexcept;

  /// Linear RGBA at a mesh UV (the texture's uv transform, wrap and filter are applied). A missing
  /// texture gives (1,1,1,1); missing() tells. Gray images repeat their channel; without alpha a = 1.
  Vec4 sample(int texture, Vec2 mesh_uv) const;
  bool missing(int texture) const;
  /// True when any texel's alpha is below 1 (so that opaque materials skip the lookup).
  bool has_alpha(int texture) const;
  /// Mean of linear RGBA over the image.
  Vec4 mean(int texture) const;
  /// Size in texels of a bitmap; (1,1) for procedural ones. For bump differences.
  void resolution(int texture, int& width, int& height) const;
  /// Which of the mesh's UV sets sample() expects: 0 or 1.
  int uv_set(int texture) const;
  /// d(texture uv) / d(mesh uv), rows.
  std::array<float, 4> uv_linear(int texture) const;
  /// The whole image as linear float (for environment maps).
  Picture picture(int texture) const;
  std::uint64_t resident_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decodes an image file as it stands (no color conversion), contained as above. Throws Error.
Picture read_picture(const std::filesystem::path& file);

/// The same for many files, several decoders at work at a time, all of them started from the calling thread: decoders are
/// forked, so a list is better read by one call than by many threads. take() gets each picture once, on the calling thread, in
/// the order in which they are ready. `failure` is empty, or one line that names the file; then the picture is empty.
void read_pictures(std::span<const std::filesystem::path> files,
                   const std::function<void(std::size_t index, Picture picture, const std::string& failure)>& take);

/// Interleaved 8-bit pixels to a PNG (1, 3 or 4 channels) or a baseline JPEG (3 channels) in memory.
/// subsampling of the chroma planes: 4:4:4, 4:2:2 or 4:2:0.
std::vector<std::uint8_t> encode_png(int width, int height, int channels, std::span<const std::uint8_t> pixels);
std::vector<std::uint8_t> encode_jpeg(int width, int height, std::span<const std::uint8_t> rgb, int quality,
                                      std::string_view subsampling = "4:2:0");
/// A JPEG that this program made, back from memory: values k/255. Not contained, so not for files from elsewhere.
Picture decode_jpeg(std::span<const std::uint8_t> file);

}  // namespace simulacra
