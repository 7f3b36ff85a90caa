// SPDX-License-Identifier: Apache-2.0
// Views of a small room whose geometry follows from formulas, written by the store.
#pragma once

#include <filesystem>

namespace simulacra::test {

/// One scene, one camera, `frames` (up to 6) views of width x height pixels through the canonical lens. Neighbours 0 and 1
/// look from nearly the same place, as do 2 and 3; 4 and 5 look away from each other.
void write_room_set(const std::filesystem::path& root, int frames, int width, int height);

}  // namespace simulacra::test
