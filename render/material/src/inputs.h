// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/material/material.h"

namespace simulacra {

/// The inputs of a material at a hit.
struct Inputs {
  const TextureSet& textures;
  const SurfacePoint& at;

  Vec4 texel(int texture) const { return textures.sample(texture, at.uv[textures.uv_set(texture)]); }
  Rgb operator()(const RgbInput& input) const {
    if (input.texture < 0) return input.factor;
    const Vec4 t = texel(input.texture);
    return input.factor * Rgb{t.x, t.y, t.z};
  }
  float operator()(const FloatInput& input) const {
    if (input.texture < 0) return input.offset + input.factor;
    return input.offset + input.factor * channel(texel(input.texture), input.channel);
  }
  /// With the vertex color.
  Rgb base_color(const MaterialDescription& m) const {
    const Rgb color = (*this)(m.base_color);
    if (!m.use_vertex_color) return color;
    return color * Rgb{at.vertex_color.x, at.vertex_color.y, at.vertex_color.z};
  }

  static float channel(Vec4 t, int index) {
    switch (index) {
      case 0: return t.x;
      case 1: return t.y;
      case 2: return t.z;
      case 3: return t.w;
      default: return luminance({t.x, t.y, t.z});
    }
  }
};

}  // namespace simulacra
