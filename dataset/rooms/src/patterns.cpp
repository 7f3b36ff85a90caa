// SPDX-License-Identifier: Apache-2.0
#include "dataset/rooms/src/patterns.h"

#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "render/base/error.h"

namespace simulacra::rooms {
namespace {

constexpr int kSize = 768;  ///< texels a side of floors and walls

std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

/// Value noise in [0, 1] on a lattice of `nx` by `ny` cells over the unit square; wraps around.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : seed_(static_cast<std::uint32_t>(seed)) {}
  float at(float u, float v, int nx, int ny) const {
    const float x = u * static_cast<float>(nx), y = v * static_cast<float>(ny);
    const int ix = static_cast<int>(std::floor(x)), iy = static_cast<int>(std::floor(y));
    const float fx = smooth(x - static_cast<float>(ix)), fy = smooth(y - static_cast<float>(iy));
    const float a = lattice(ix, iy, nx, ny), b = lattice(ix + 1, iy, nx, ny);
    const float c = lattice(ix, iy + 1, nx, ny), d = lattice(ix + 1, iy + 1, nx, ny);
    return (a + (b - a) * fx) * (1 - fy) + (c + (d - c) * fx) * fy;
  }
  float cell(int x, int y) const {
    return static_cast<float>(
               mixed(static_cast<std::uint32_t>(x) * 0x9e3779b9u ^ mixed(static_cast<std::uint32_t>(y) + seed_)) >> 8) *
           0x1p-24f;
  }

 private:
  static float smooth(float t) { return t * t * (3 - 2 * t); }
  float lattice(int x, int y, int nx, int ny) const { return cell((x % nx + nx) % nx, (y % ny + ny) % ny); }
  std::uint32_t seed_;
};

Rgb blend(Rgb a, Rgb b, float t) { return a * (1 - t) + b * t; }

void put_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put_chunk(std::vector<std::uint8_t>& out, const char (&type)[5], const std::vector<std::uint8_t>& body) {
  put_u32(out, static_cast<std::uint32_t>(body.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type, type + 4);
  out.insert(out.end(), body.begin(), body.end());
  put_u32(out, libdeflate_crc32(0, out.data() + start, out.size() - start));
}

template <typename Color>
Bitmap filled(int width, int height, const Color& color) {
  Bitmap picture(width, height);
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column)
      picture.set(column,
                  row,
                  color((static_cast<float>(column) + 0.5f) / static_cast<float>(width),
                        (static_cast<float>(row) + 0.5f) / static_cast<float>(height)));
  return picture;
}

Rgb random_color(Random& random, double lo, double hi) {
  const auto channel = [&] { return static_cast<float>(random.between(lo, hi)); };
  const float r = channel(), g = channel(), b = channel();
  return {r, g, b};
}

}  // namespace

Bitmap::Bitmap(int width_, int height_)
    : width(width_), height(height_), rgb(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3) {}

void Bitmap::set(int column, int row, Rgb displayed) {
  const std::size_t at =
      (static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column)) * 3;
  for (std::size_t c = 0; c < 3; ++c)
    rgb[at + c] = static_cast<std::uint8_t>(std::clamp(displayed[c], 0.0f, 1.0f) * 255.0f + 0.5f);
}

std::vector<std::uint8_t> to_png(const Bitmap& picture) {
  std::vector<std::uint8_t> rows;  // each row starts with its filter type, 0 = none
  const auto stride = static_cast<std::size_t>(picture.width) * 3;
  for (std::size_t row = 0; row < static_cast<std::size_t>(picture.height); ++row) {
    rows.push_back(0);
    const auto first = picture.rgb.begin() + static_cast<std::ptrdiff_t>(row * stride);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(stride));
  }
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> deflate(
      libdeflate_alloc_compressor(1), &libdeflate_free_compressor);
  SIM_CHECK(deflate != nullptr);
  std::vector<std::uint8_t> packed(libdeflate_zlib_compress_bound(deflate.get(), rows.size()));
  packed.resize(libdeflate_zlib_compress(deflate.get(), rows.data(), rows.size(), packed.data(), packed.size()));

  std::vector<std::uint8_t> png = {0x89, 'P', 'N', 'G', 0x0d, 0x0a, 0x1a, 0x0a};
  std::vector<std::uint8_t> header;
  put_u32(header, static_cast<std::uint32_t>(picture.width));
  put_u32(header, static_cast<std::uint32_t>(picture.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB, no interlace
  put_chunk(png, "IHDR", header);
  put_chunk(png, "IDAT", packed);
  put_chunk(png, "IEND", {});
  return png;
}

Bitmap wood_boards(Random random, Rgb color, int boards) {
  const Noise noise(random.bits());
  return filled(kSize, kSize, [&](float u, float v) {
    const float across = v * static_cast<float>(boards);
    const int board = static_cast<int>(across);
    const float shifted = u + noise.cell(board, 71);  // each row of boards starts elsewhere
    const float along = shifted - std::floor(shifted);
    const int piece = board * 2 + (along < 0.5f ? 0 : 1);
    const float in_piece = (along < 0.5f ? along : along - 0.5f) * 2, in_board = across - static_cast<float>(board);
    const float grain = 0.6f * noise.at(u, v, 6, boards * 14) + 0.4f * noise.at(u, v, 24, boards * 40);
    const float shade = 0.86f + 0.26f * noise.cell(piece, 5) + 0.22f * (grain - 0.5f);
    const bool joint = in_board < 0.015f || in_piece < 0.002f;
    return color * (joint ? 0.55f : shade);
  });
}

Bitmap square_tiles(Random random, Rgb color, Rgb joint, int tiles, float variation) {
  const Noise noise(random.bits());
  return filled(kSize, kSize, [&](float u, float v) {
    const float x = u * static_cast<float>(tiles), y = v * static_cast<float>(tiles);
    const int ix = static_cast<int>(x), iy = static_cast<int>(y);
    const float edge = std::min({x - static_cast<float>(ix),
                                 y - static_cast<float>(iy),
                                 static_cast<float>(ix + 1) - x,
                                 static_cast<float>(iy + 1) - y});
    if (edge < 0.012f) return joint;
    const float cloud = noise.at(u, v, tiles * 3, tiles * 3) - 0.5f;
    return color * (1 + variation * (noise.cell(ix, iy) - 0.5f) + 0.5f * variation * cloud);
  });
}

Bitmap fine_noise(Random random, Rgb color, float strength) {
  const Noise noise(random.bits());
  return filled(kSize, kSize, [&](float u, float v) {
    const float n = 0.5f * noise.at(u, v, 256, 256) + 0.3f * noise.at(u, v, 64, 64) + 0.2f * noise.at(u, v, 9, 9);
    return color * (1 + strength * (n - 0.5f));
  });
}

Bitmap stripes(Random random, Rgb a, Rgb b, int count) {
  const Noise noise(random.bits());
  return filled(kSize, kSize, [&](float u, float v) {
    const float x = u * static_cast<float>(count);
    const bool wide = x - std::floor(x) < 0.6f;
    return (wide ? a : b) * (1 + 0.05f * (noise.at(u, v, 200, 60) - 0.5f));
  });
}

Bitmap rug_pattern(Random random, Rgb ground, Rgb figure) {
  const Noise noise(random.bits());
  const int figures = 3 + static_cast<int>(random.below(4));
  const bool woven = random.chance(0.4);
  const Rgb third = blend(ground, figure, 0.5f) * 0.8f;
  return filled(512, 512, [&](float u, float v) {
    const float edge = std::min({u, v, 1 - u, 1 - v});
    const float pile = 1 + 0.25f * (noise.at(u, v, 200, 200) - 0.5f);
    if (edge < 0.03f) return third * pile;
    if (edge < 0.09f) return figure * pile;
    if (edge < 0.11f) return third * pile;
    const float x = u * static_cast<float>(figures), y = v * static_cast<float>(figures);
    const float fx = std::abs(x - std::floor(x) - 0.5f), fy = std::abs(y - std::floor(y) - 0.5f);
    const bool inside = woven ? std::fmod(fx * 8 + fy * 8, 2.0f) < 0.7f : fx + fy < 0.3f;
    return (inside ? figure : ground) * pile;
  });
}

Bitmap painting(Random random) {
  const Noise noise(random.bits());
  const Rgb ground = random_color(random, 0.55, 0.95);
  if (random.chance(0.4)) {  // a landscape: sky, hills one behind another
    const Rgb sky_top = random_color(random, 0.4, 0.8), hill = random_color(random, 0.15, 0.5);
    return filled(384, 384, [&](float u, float v) {
      Rgb color = blend(sky_top, ground, v * 1.6f);
      for (int layer = 0; layer < 4; ++layer) {
        const float line =
            0.42f + 0.14f * static_cast<float>(layer) +
            0.16f * (noise.at(u + 0.37f * static_cast<float>(layer), 0.2f * static_cast<float>(layer), 5, 7) - 0.5f);
        if (v > line)
          color =
              blend(hill, ground, 0.6f - 0.18f * static_cast<float>(layer)) * (0.9f + 0.2f * noise.at(u, v, 40, 40));
      }
      return color;
    });
  }
  struct Figure {
    float x, y, size;
    bool round;
    Rgb color;
  };
  std::vector<Figure> figures;
  const int count = 5 + static_cast<int>(random.below(9));
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(random.unit()), y = static_cast<float>(random.unit());
    const auto size = static_cast<float>(random.between(0.06, 0.28));
    const bool round = random.chance(0.5);
    figures.push_back({x, y, size, round, random_color(random, 0.08, 0.95)});
  }
  return filled(384, 384, [&](float u, float v) {
    Rgb color = ground * (0.94f + 0.12f * noise.at(u, v, 90, 90));
    for (const Figure& f : figures) {
      const float dx = u - f.x, dy = v - f.y;
      const bool inside =
          f.round ? dx * dx + dy * dy < f.size * f.size : std::abs(dx) < f.size && std::abs(dy) < 0.6f * f.size;
      if (inside) color = blend(color, f.color, 0.8f);
    }
    return color;
  });
}

Bitmap view_outside(Random random, bool overcast) {
  const Noise noise(random.bits());
  const Rgb zenith = overcast ? Rgb{0.88f, 0.89f, 0.91f} : Rgb{0.78f, 0.86f, 0.96f};
  const Rgb horizon = overcast ? Rgb{0.90f, 0.91f, 0.92f} : Rgb{0.95f, 0.97f, 0.98f};
  const int houses = 5 + static_cast<int>(random.below(6));
  return filled(512, 384, [&](float u, float v) {
    const float up = 1 - v;  // 0 at the sill
    const float trees = 0.14f + 0.1f * noise.at(u, 0.3f, 9, 3) + 0.05f * noise.at(u, 0.6f, 40, 3);
    if (up < trees) return Rgb{0.33f, 0.40f, 0.26f} * (0.7f + 0.6f * noise.at(u, v, 70, 50));
    const float x = u * static_cast<float>(houses);
    const int house = static_cast<int>(x);
    const float gable = 0.06f * (0.5f - std::abs(x - static_cast<float>(house) - 0.5f));
    const float roof = 0.2f + 0.16f * noise.cell(house, 3) + gable;
    if (up < roof) {
      const bool tiles = up > roof - 0.05f - gable;
      const Rgb wall = blend(Rgb{0.80f, 0.76f, 0.70f}, Rgb{0.66f, 0.56f, 0.48f}, noise.cell(house, 9));
      return blend(tiles ? Rgb{0.52f, 0.36f, 0.30f} : wall, horizon, 0.25f) * (0.85f + 0.3f * noise.cell(house, 17));
    }
    const float cloud = std::max(0.0f, noise.at(u, v, 5, 6) * 0.6f + noise.at(u, v, 13, 14) * 0.4f - 0.5f);
    return blend(blend(horizon, zenith, std::sqrt(up)), Rgb{0.98f}, std::min(1.0f, cloud * (overcast ? 0.6f : 2.2f)));
  });
}

}  // namespace simulacra::rooms
