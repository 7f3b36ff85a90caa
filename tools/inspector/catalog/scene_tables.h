// SPDX-License-Identifier: Apache-2.0
// What a scene's tables and cameras say, as JSON for the page. Lengths in metres.
#pragma once

#include <string>

#include "tools/inspector/catalog/frame_list.h"

namespace simulacra::inspector {

/// {"name", "type", "source", "meters_per_unit" (null = unknown), "lens": {"cam_from_uv" (9 numbers), "assumed"},
///  "cameras": [{"name", "frames", "positions", "orientations"}], "entities": {id: name}, "instances": {id: {"name",
///  "semantic", "box": {"center", "axes", "extents"}}}, "materials": [name], "credits", "problems": [line]}.
/// Whatever cannot be read is a line in "problems"; nothing throws.
std::string scene_json(const FrameList& list, std::size_t scene_idx);

}  // namespace simulacra::inspector
