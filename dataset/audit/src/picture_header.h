// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace simulacra::auditing {

struct PictureHeader {
  int width = 0, height = 0, channels = 0;
};

/// Size of a JPEG or PNG file in memory, from its header. Throws Error saying what is wrong.
PictureHeader picture_header(std::span<const std::uint8_t> file);

/// Does the file end as a JPEG or PNG has to?
bool is_whole_picture(std::span<const std::uint8_t> file);

}  // namespace simulacra::auditing
