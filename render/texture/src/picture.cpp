// SPDX-License-Identifier: Apache-2.0
#include <array>

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

Picture read_picture(const std::filesystem::path& file) {
  const std::array<ImageSource, 1> sources{ImageSource{file, nullptr, ColorSpace::linear}};
  Picture picture;
  decode_images(sources, [&](std::size_t, DecodedImage image) {
    if (!image.failure.empty()) fail("{}: the image cannot be decoded ({})", file.string(), image.failure);
    picture = {image.shape.width, image.shape.height, image.shape.channels, values_of(image)};
  });
  return picture;
}

}  // namespace simulacra
