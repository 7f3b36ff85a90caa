// SPDX-License-Identifier: Apache-2.0
// Color of a derived copy. A set promises color = diffuse_reflectance * diffuse_illumination + residual of the stored values;
// whoever changes color keeps that promise here: reflectance stays, what is added goes into the residual, and what is taken
// away comes out of the residual first and then, since a residual is not negative, out of the illumination.
#pragma once

#include <span>

#include "render/image/frame.h"

namespace simulacra {

/// A pixel's channel of stored light, each value exact in float16.
struct SplitLight {
  float color = 0, illumination = 0, residual = 0;
};
/// The split of `radiance`, limited to what float16 and the layout take (0 to 65440); color is within half a float16 step of it
/// and of the sum, except that an illumination that is lowered is rounded down. `reflectance` and `illumination` are the
/// source's, exact in float16.
SplitLight split_light(double radiance, float reflectance, float illumination);

/// Gives `frame` another color: three values a pixel, interleaved, in radiance. Where the frame holds the split, illumination and
/// residual change with it, and frame.stats get the largest identity error. Values that are no numbers leave the pixel's
/// channel as it was. Throws Error when the frame has no color, or another number of values.
void replace_color(Frame& frame, std::span<const float> radiance);

}  // namespace simulacra
