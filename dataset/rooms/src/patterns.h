// SPDX-License-Identifier: Apache-2.0
// Pictures made from a seed: floors, walls, rugs, paintings, the view outside. Floors and walls tile seamlessly.
#pragma once

#include <cstdint>
#include <vector>

#include "dataset/rooms/random.h"
#include "render/base/vec.h"

namespace simulacra::rooms {

/// 8-bit RGB, row 0 on top.
struct Bitmap {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
  Bitmap(int width_, int height_);
  /// Clamped to [0, 1]; displayed values.
  void set(int column, int row, Rgb displayed);
};
std::vector<std::uint8_t> to_png(const Bitmap& picture);

// Colors are displayed (sRGB) values in [0, 1].
/// Floorboards along u, `boards` of them across the picture.
Bitmap wood_boards(Random random, Rgb color, int boards);
/// Square tiles, `tiles` across the picture, with joints.
Bitmap square_tiles(Random random, Rgb color, Rgb joint, int tiles, float variation);
/// Short-piled carpet or plaster: fine noise.
Bitmap fine_noise(Random random, Rgb color, float strength);
/// Stripes along v for wallpaper.
Bitmap stripes(Random random, Rgb a, Rgb b, int count);
/// A border and a field of simple figures.
Bitmap rug_pattern(Random random, Rgb ground, Rgb figure);
/// An abstract painting or a landscape.
Bitmap painting(Random random);
/// What a window shows: sky above the roofs of a town, trees below.
Bitmap view_outside(Random random, bool overcast);

}  // namespace simulacra::rooms
