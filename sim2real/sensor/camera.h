// SPDX-License-Identifier: Apache-2.0
// A photograph of a render: blur, lens, exposure, photosites, development, in this order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "render/base/parallel.h"
#include "render/image/frame.h"
#include "sim2real/sensor/lens.h"
#include "sim2real/sensor/options.h"

namespace simulacra::sensor {

struct Photograph {
  Plane image;                      ///< 3 channels, display values in 0 .. 1
  Plane raw;                        ///< raw numbers, 1 channel with a mosaic, else 3
  Warp warp;                        ///< moves the frame's labels to the picture: warp_labels()
  double electrons_per_radiance = 0;  ///< of green on the axis, automatic exposure included
  std::size_t jpeg_bytes = 0;       ///< 0 without JPEG
};

/// `radiance`: 3 channels, linear Rec. 709. `depth`: planar, in metres, for blur by depth; may be null without it.
/// The same seed and frame give the same bytes on any number of threads; the photosites' gains depend on the seed alone.
/// Throws Error for values that are negative or not finite, a blur by depth without depth, an impossible lens.
Photograph photograph(const Plane& radiance, const Plane* depth, const CameraOptions& camera, std::uint64_t seed,
                      std::uint32_t frame, const ParallelFor& parallel = serial_for);

}  // namespace simulacra::sensor
