// SPDX-License-Identifier: Apache-2.0
// What a batch can hold beside the image. Row N of the table is Target N.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace simulacra {

enum class Target : std::uint8_t { depth, depth_planar, normals, semantics, albedo, shading, residual, positions };

struct TargetSpec {
  Target id;
  std::string_view name;   ///< word in configurations
  int channels;
  bool is_class;           ///< values are int64 [N, H, W], -1 where the mask is false; else float32 [N, channels, H, W], 0 there
  std::string_view doc;
};

inline constexpr std::array kTargets = {
    TargetSpec{Target::depth, "depth", 1, false, "Distance from the camera's center to the surface, metres."},
    TargetSpec{Target::depth_planar, "depth_planar", 1, false, "Distance along the viewing axis, metres."},
    TargetSpec{Target::normals, "normals", 3, false, "Unit normal in the camera frame: x right, y up, z backward."},
    TargetSpec{Target::semantics, "semantics", 1, true, "NYU40 class, 1 to 40; unlabelled pixels are masked."},
    TargetSpec{Target::albedo, "albedo", 3, false, "diffuse_reflectance; masked where no surface is."},
    TargetSpec{Target::shading, "shading", 3, false,
               "diffuse_illumination, linear, times the image's exposure; masked where it is not defined."},
    TargetSpec{Target::residual, "residual", 3, false, "What the diffuse lobe does not explain, linear, times the image's exposure."},
    TargetSpec{Target::positions, "positions", 3, false, "Surface point in the camera frame, metres."},
};

constexpr const TargetSpec& spec(Target target) { return kTargets[static_cast<std::size_t>(target)]; }

/// Throws UsageError, listing the known names, when there is none of that name.
Target target_from_name(std::string_view name);
/// Every name, for tables and messages.
std::span<const std::string_view> target_names();

static_assert([] {
  for (std::size_t i = 0; i < kTargets.size(); ++i)
    if (static_cast<std::size_t>(kTargets[i].id) != i) return false;
  return true;
}());

}  // namespace simulacra
