// SPDX-License-Identifier: Apache-2.0
// The tone map of tonemap.jpg: the 90th percentile of luminance becomes 0.8 after a gamma of 2.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace simulacra {

/// The factor that color is multiplied with. `rgb` interleaved; `valid[i]` != 0 where pixel i counts. 1 when no
/// pixel counts, 0 when the percentile is below 1e-4. Luminance is 0.3 R + 0.59 G + 0.11 B.
double tone_map_scale(std::span<const float> rgb, std::span<const std::uint8_t> valid);

/// max(scale * x, 0)^(1/2.2), clamped to 1, truncated to 8 bits.
std::vector<std::uint8_t> tone_mapped(std::span<const float> rgb, double scale);

}  // namespace simulacra
