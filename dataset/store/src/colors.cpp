// SPDX-License-Identifier: Apache-2.0
#include "dataset/store/colors.h"

#include <algorithm>
#include <cmath>

#include "dataset/annotate/nyu40.h"
#include "dataset/schema/checksum.h"
#include "render/base/error.h"

namespace simulacra {
namespace {

// 33 evenly spaced colors of the map (published under CC0); between them it is nearly linear.
constexpr std::array<Color8, 33> kViridis = {
    Color8{68, 1, 84}, Color8{70, 12, 95}, Color8{71, 24, 106}, Color8{72, 34, 115},
    Color8{71, 44, 123}, Color8{69, 54, 129}, Color8{66, 64, 133}, Color8{62, 73, 137},
    Color8{58, 82, 139}, Color8{54, 90, 140}, Color8{50, 98, 141}, Color8{47, 106, 141},
    Color8{44, 114, 142}, Color8{40, 122, 142}, Color8{38, 129, 142}, Color8{35, 137, 141},
    Color8{32, 144, 140}, Color8{30, 151, 138}, Color8{30, 158, 136}, Color8{33, 166, 133},
    Color8{39, 173, 128}, Color8{48, 180, 122}, Color8{61, 187, 116}, Color8{75, 194, 108},
    Color8{91, 200, 98}, Color8{109, 206, 88}, Color8{129, 211, 76}, Color8{149, 215, 63},
    Color8{170, 219, 50}, Color8{191, 223, 36}, Color8{212, 225, 26}, Color8{233, 228, 25},
    Color8{253, 231, 36},
};

Color8 from_hsv(double hue, double saturation, double value) {
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue * 6, 6.0);
    const double share = std::clamp(std::min(k, 4 - k), 0.0, 1.0);
    return static_cast<std::uint8_t>(std::lround(255 * (value - value * saturation * share)));
  };
  return {channel(5), channel(3), channel(1)};
}

}  // namespace

Color8 viridis(double t) {
  if (std::isnan(t)) return {0, 0, 0};
  const double at = std::clamp(t, 0.0, 1.0) * (kViridis.size() - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
  const double w = at - static_cast<double>(i);
  Color8 color{};
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = static_cast<std::uint8_t>(std::lround((1 - w) * kViridis[i][c] + w * kViridis[i + 1][c]));
  return color;
}

Color8 instance_color(int instance) {
  if (instance < 1) return {0, 0, 0};
  const double turns = 0.381966011250105 * instance;  // the golden angle
  const std::uint64_t part[] = {static_cast<std::uint64_t>(instance)};
  const std::uint64_t shade = mix_seed(part);
  return from_hsv(turns - std::floor(turns), 0.55 + 0.4 * static_cast<double>(shade % 256) / 255,
                  0.65 + 0.35 * static_cast<double>(shade / 256 % 256) / 255);
}

Color8 entity_color(int entity) {
  if (entity < 1) return {0, 0, 0};
  const std::uint64_t part[] = {static_cast<std::uint64_t>(entity)};
  return viridis(static_cast<double>(mix_seed(part) % 256) / 255);
}

Color8 semantic_color(int semantic) {
  if (semantic == -1) return {0, 0, 0};
  SIM_CHECK(semantic >= 1 && semantic <= static_cast<int>(kNyu40.size()));
  return kNyu40[static_cast<std::size_t>(semantic) - 1].color;
}

}  // namespace simulacra
