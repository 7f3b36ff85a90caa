// SPDX-License-Identifier: Apache-2.0
// What compression left: of JPEG files from their tables, of decoded pictures from their block transforms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "render/image/frame.h"

namespace simulacra::calibrate {

struct JpegTrace {
  int quality = 0;           ///< 1 to 100, the scale of the Independent JPEG Group
  std::string subsampling;   ///< "4:2:0" …; empty where it is not known
};

/// Of a JPEG file: the quality whose luma table is nearest (the tables of ISO 10918-1 annex K times 50/q for q < 50, 2 - q/50
/// above), and the subsampling. nullopt for other files, and damaged ones.
std::optional<JpegTrace> jpeg_trace_of_file(std::span<const std::uint8_t> file);

/// Quality of pictures that were JPEG once, then decoded and stored without loss: multiples of the table's steps in the 8 x 8
/// cosine transforms of luma. nullopt when nothing stands out: never compressed, scaled afterwards, or quality above about 92,
/// where steps are lost in the rounding of 8 bits. Pictures may be cut out of larger ones.
std::optional<int> jpeg_quality_of_pictures(std::span<const Plane> images);

}  // namespace simulacra::calibrate
