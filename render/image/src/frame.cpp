// SPDX-License-Identifier: Apache-2.0
#include "render/image/frame.h"

namespace simulacra {

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
