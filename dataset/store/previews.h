// SPDX-License-Identifier: Apache-2.0
// Pictures for people (and for the readers that take tonemap.jpg as their input image).
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/schema/layout.h"
#include "render/image/frame.h"

namespace simulacra {

/// True when the frame holds every label that the preview is made of.
bool can_preview(const Frame& frame, Preview preview);

/// The encoded JPEG or PNG. Values are truncated to 8 bits; PNGs have four channels, with alpha 0 where a
/// scalar label is NaN. Depth is scaled between its finite least and greatest value.
std::vector<std::uint8_t> encode_preview(const Frame& frame, Preview preview, int jpeg_quality);

}  // namespace simulacra
