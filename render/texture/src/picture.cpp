// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "render/base/error.h"
#include "render/texture/src/decode.h"
#include "render/texture/texture.h"

namespace simulacra {
namespace {

/// The stored values as float: integers over their maximum, no color conversion.
std::vector<float> values_of(const DecodedImage& image) {
  const BitmapShape& shape = image.shape;
  const std::size_t count = shape.total_bytes() / byte_size(shape.format);
  const float* table = decoding_table(shape.format, ColorSpace::linear);
  std::vector<float> values(count);
  with_layout(shape.format, 1, [&]<TexelFormat kFormat, int kChannels>() {
    for (std::size_t i = 0; i < count; ++i)
      values[i] = decode_texel<kFormat, kChannels>(image.texels() + i * byte_size(kFormat), table).x;
  });
  return values;
}

}  // namespace

void read_pictures(std::span<const std::filesystem::path> files,
                   const std::function<void(std::size_t index, Picture picture, const std::string& failure)>& take) {
  std::vector<ImageSource> sources;
  for (const auto& file : files) sources.push_back({file, nullptr, ColorSpace::linear});
  decode_images(sources, [&](std::size_t i, DecodedImage image) {
    if (!image.failure.empty()) return take(i, {}, fmt::format("{}: the image cannot be decoded ({})", files[i].string(), image.failure));
    take(i, {image.shape.width, image.shape.height, image.shape.channels, values_of(image), image.nonfinite}, "");
  });
}

Picture read_picture(const std::filesystem::path& file) {
  Picture read;
  read_pictures({&file, 1}, [&](std::size_t, Picture picture, const std::string& failure) {
    if (!failure.empty()) fail("{}", failure);
    read = std::move(picture);
  });
  return read;
}

}  // namespace simulacra
