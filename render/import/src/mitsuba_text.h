// SPDX-License-Identifier: Apache-2.0
// Numbers and colors as Mitsuba files write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "render/base/vec.h"

namespace simulacra::mitsuba {

/// Items between commas and white space; empty ones are left out.
std::vector<std::string> split_list(std::string_view text);
/// A finite number with nothing but white space around it; independent of the locale.
std::optional<double> parse_number(std::string_view text);
/// At least one number, separated by commas or white space.
std::optional<std::vector<double>> parse_numbers(std::string_view text);
/// "#rrggbb" (sRGB), one or three numbers (linear, or sRGB with `srgb`); the result is linear.
std::optional<Rgb> parse_color(std::string_view text, bool srgb);

}  // namespace simulacra::mitsuba
