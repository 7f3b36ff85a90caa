// SPDX-License-Identifier: Apache-2.0
// Colors by which people tell values and ids apart in previews.
#pragma once

#include <array>
#include <cstdint>

namespace simulacra {

using Color8 = std::array<std::uint8_t, 3>;

/// The perceptually even map `viridis` at t in [0, 1] (clamped; NaN gives black), within two grey levels
/// of matplotlib's table.
Color8 viridis(double t);

/// A color for instance 1, 2, …: hues of neighbours lie 137.5° apart. The same for every scene.
Color8 instance_color(int instance);

/// A color for a render entity: viridis in shuffled order.
Color8 entity_color(int entity);

/// The class's NYU40 color; black for -1.
Color8 semantic_color(int semantic);

/// 255 * x truncated, x clamped to [0, 1]. The small addend lets values such as 0.8 reach the 204 that they are.
inline std::uint8_t to_byte(double x) {
  return !(x > 0) ? std::uint8_t{0} : x >= 1 ? std::uint8_t{255} : static_cast<std::uint8_t>(255 * x + 1e-9);
}

}  // namespace simulacra
