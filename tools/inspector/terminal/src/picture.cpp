// SPDX-License-Identifier: Apache-2.0
// Pictures of characters: "▀" in the upper pixel's color on the lower pixel's, or sixel graphics [DEC STD 070, chapter 9]:
// bands of six rows, a color at a time, with runs shortened.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tools/inspector/catalog/planes.h"
#include "tools/inspector/terminal/terminal.h"

namespace simulacra::inspector {
namespace {

const std::uint8_t* pixel(const SmallPicture& p, int x, int y) { return p.rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(p.width) + static_cast<std::size_t>(x)); }

std::string half_blocks(const SmallPicture& p) {
  std::string text;
  for (int y = 0; y < p.height; y += 2) {
    for (int x = 0; x < p.width; ++x) {
      const std::uint8_t* top = pixel(p, x, y);
      text += fmt::format("\x1b[38;2;{};{};{}m", top[0], top[1], top[2]);
      if (y + 1 < p.height) {
        const std::uint8_t* bottom = pixel(p, x, y + 1);
        text += fmt::format("\x1b[48;2;{};{};{}m", bottom[0], bottom[1], bottom[2]);
      }
      text += "\u2580";
    }
    text += "\x1b[0m\n";
  }
  return text;
}

// 6 x 6 x 6 levels: terminals have at least 256 registers.
constexpr int kLevels = 6, kColors = kLevels * kLevels * kLevels;

/// The register of a pixel, with an ordered 4 x 4 dither.
int register_of(const std::uint8_t* rgb, int x, int y) {
  constexpr std::array<int, 16> bayer = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
  const double offset = (bayer[static_cast<std::size_t>((y & 3) * 4 + (x & 3))] + 0.5) / 16 - 0.5;
  int index = 0;
  for (int c = 0; c < 3; ++c) {
    const double level = rgb[c] / 255.0 * (kLevels - 1) + offset;
    index = index * kLevels + std::clamp(static_cast<int>(level + 0.5), 0, kLevels - 1);
  }
  return index;
}

void append_run(std::string& text, char sixel, int count) {
  if (count > 3) text += fmt::format("!{}{}", count, sixel);
  else text.append(static_cast<std::size_t>(count), sixel);
}

/// One color of a band; nothing where the band has none of it.
void append_color(std::string& text, const std::vector<int>& registers, int width, int rows, int color) {
  std::string line;
  char last = 0;
  int run = 0;
  bool any = false;
  for (int x = 0; x < width; ++x) {
    int bits = 0;
    for (int r = 0; r < rows; ++r) bits |= (registers[static_cast<std::size_t>(r * width + x)] == color) << r;
    any |= bits != 0;
    const char sixel = static_cast<char>('?' + bits);
    if (sixel != last && run > 0) append_run(line, last, run), run = 0;
    last = sixel, ++run;
  }
  append_run(line, last, run);
  if (any) text += fmt::format("#{}{}$", color, line);
}

std::string sixels(const SmallPicture& p) {
  std::string text = fmt::format("\x1bP0;1q\"1;1;{};{}", p.width, p.height);
  for (int i = 0; i < kColors; ++i) text += fmt::format("#{};2;{};{};{}", i, i / (kLevels * kLevels) * 20, i / kLevels % kLevels * 20, i % kLevels * 20);
  for (int y = 0; y < p.height; y += 6) {
    const int rows = std::min(6, p.height - y);
    std::vector<int> registers;
    for (int r = 0; r < rows; ++r)
      for (int x = 0; x < p.width; ++x) registers.push_back(register_of(pixel(p, x, y + r), x, y + r));
    std::vector<int> used = registers;
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int color : used) append_color(text, registers, p.width, rows, color);
    text += "-";
  }
  return text + "\x1b\\\n";
}

}  // namespace

std::string picture_text(const LabelFile& file, const PictureOptions& options) {
  const int columns = static_cast<int>(std::clamp<std::size_t>(options.columns, 2, 1000));
  return options.sixel ? sixels(small_picture(file.path, file.label, 8 * columns)) : half_blocks(small_picture(file.path, file.label, columns));
}

}  // namespace simulacra::inspector
