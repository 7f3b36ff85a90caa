// SPDX-License-Identifier: Apache-2.0
// The curve of sRGB (IEC 61966-2-1).
#pragma once

#include <cmath>

namespace simulacra {

/// Linear light of a display value in 0 .. 1.
inline double linear_from_srgb(double display) { return display <= 0.04045 ? display / 12.92 : std::pow((display + 0.055) / 1.055, 2.4); }

}  // namespace simulacra
