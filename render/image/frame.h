// SPDX-License-Identifier: Apache-2.0
// Pixel planes. Row 0 is the top, column 0 the left; channels are interleaved.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "render/base/vec.h"
#include "render/labels/labels.h"

namespace simulacra {

/// The values of one label. Float labels live in `f` (float16 labels hold values that are exactly
/// representable in float16), integer labels in `i`; the other vector is empty.
struct Plane {
  int width = 0, height = 0, channels = 0;
  std::vector<float> f;
  std::vector<std::int32_t> i;
  bool empty() const { return f.empty() && i.empty(); }
  std::size_t at(int row, int column, int channel = 0) const {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)) *
               static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel);
  }
};

/// Display values (0 .. 1, and limited to that) as 8 bits, rounded to nearest.
std::vector<std::uint8_t> display_bytes(const Plane& image);
/// The middle of an image, width x height pixels of it.
Plane middle_of(const Plane& image, int width, int height);

/// What was counted while a frame was rendered.
struct FrameStats {
  std::uint64_t nan_samples = 0;          ///< camera samples left out because they were not finite
  std::uint64_t limited_pixels = 0;       ///< pixels whose E or R was limited to fit float16
  std::uint64_t unlabelled_pixels = 0;    ///< a surface, but no semantic class
  std::uint64_t empty_pixels = 0;         ///< no surface
  double max_identity_error = 0;          ///< largest |color - (ρE + R)| of the stored values
  double max_identity_error_steps = 0;    ///< the same in float16 steps of color
  std::uint64_t rays = 0;                 ///< rays traced by the color pass
  double color_seconds = 0, label_seconds = 0;  ///< wall time
  double color_cpu_seconds = 0, label_cpu_seconds = 0;
};

/// The labels of one rendered view, keyed by Label; an empty plane was not rendered.
struct Frame {
  int width = 0, height = 0;
  std::array<Plane, kNumLabels> planes;
  FrameStats stats;
  bool has(Label label) const { return !planes[index_of(label)].empty(); }
  Plane& plane(Label label) { return planes[index_of(label)]; }
  const Plane& plane(Label label) const { return planes[index_of(label)]; }
  /// Allocates the plane and fills it with the label's `invalid` value.
  Plane& allocate(Label label);
};

}  // namespace simulacra
