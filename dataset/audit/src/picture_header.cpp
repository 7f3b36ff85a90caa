// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/picture_header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "render/base/error.h"

namespace simulacra::auditing {
namespace {

constexpr std::array<std::uint8_t, 8> kPngMark = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

PictureHeader png_header(std::span<const std::uint8_t> file) {
  if (file.size() < 29) fail("a PNG file that ends in its header");
  const auto number = [&](std::size_t at) {
    return (file[at] << 24) | (file[at + 1] << 16) | (file[at + 2] << 8) | file[at + 3];
  };
  const int type = file[25];
  const int channels = type == 0 ? 1 : type == 2 || type == 3 ? 3 : type == 4 ? 2 : type == 6 ? 4 : 0;
  if (channels == 0) fail("a PNG file of color type {}", type);
  return {number(16), number(20), channels};
}

PictureHeader jpeg_header(std::span<const std::uint8_t> file) {
  std::size_t at = 2;
  while (at + 9 < file.size() && file[at] == 0xff) {
    const int mark = file[at + 1];
    if (mark >= 0xc0 && mark <= 0xcf && mark != 0xc4 && mark != 0xc8 && mark != 0xcc)
      return {(file[at + 7] << 8) | file[at + 8], (file[at + 5] << 8) | file[at + 6], file[at + 9]};
    at += 2u + static_cast<std::size_t>((file[at + 2] << 8) | file[at + 3]);
  }
  fail("a JPEG file without a frame header");
}

}  // namespace

PictureHeader picture_header(std::span<const std::uint8_t> file) {
  if (file.size() >= 8 && std::equal(kPngMark.begin(), kPngMark.end(), file.begin())) return png_header(file);
  if (file.size() >= 2 && file[0] == 0xff && file[1] == 0xd8) return jpeg_header(file);
  fail("neither a JPEG nor a PNG file");
}

bool is_whole_picture(std::span<const std::uint8_t> file) {
  const std::span<const std::uint8_t> tail = file.last(std::min<std::size_t>(64, file.size()));
  constexpr std::array<std::uint8_t, 2> jpeg_end = {0xff, 0xd9};
  constexpr std::array<std::uint8_t, 4> png_end = {'I', 'E', 'N', 'D'};
  return std::search(tail.begin(), tail.end(), jpeg_end.begin(), jpeg_end.end()) != tail.end() ||
         std::search(tail.begin(), tail.end(), png_end.begin(), png_end.end()) != tail.end();
}

}  // namespace simulacra::auditing
