// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "render/base/vec.h"

namespace simulacra::auditing {

/// Area of the smallest rectangle, at any angle, around the points; 0 for fewer than three that span an area.
double smallest_rectangle(std::vector<Vec2d> points);

}  // namespace simulacra::auditing
