// SPDX-License-Identifier: Apache-2.0
#include "render/image/frame.h"

#include <algorithm>
#include <cmath>

namespace simulacra {

std::vector<std::uint8_t> display_bytes(const Plane& image) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(image.f.size());
  for (const float v : image.f) bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(v, 0.0f, 1.0f))));
  return bytes;
}

Plane middle_of(const Plane& image, int width, int height) {
  Plane out{width, height, image.channels, {}, {}};
  for (int r = 0; r < height; ++r)
    for (int c = 0; c < width; ++c)
      for (int k = 0; k < image.channels; ++k) out.f.push_back(image.f[image.at(r + (image.height - height) / 2, c + (image.width - width) / 2, k)]);
  return out;
}

Plane& Frame::allocate(Label label) {
  const LabelSpec& row = spec(label);
  Plane& p = plane(label);
  p.width = width;
  p.height = height;
  p.channels = static_cast<int>(row.channels.size());
  const std::size_t n = static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * row.channels.size();
  if (is_float(row.dtype)) {
    p.f.assign(n, static_cast<float>(row.invalid));
  } else {
    p.i.assign(n, static_cast<std::int32_t>(row.invalid));
  }
  return p;
}

}  // namespace simulacra
