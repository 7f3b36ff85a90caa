// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace simulacra {

/// An image format told from a file's first bytes (Targa, which has no mark, from its extension).
struct ImageFormat {
  std::string_view name;    ///< for people: "PNG"
  std::string_view plugin;  ///< OpenImageIO's reader; empty when no reader exists
};

/// Nullptr when the bytes are no image that is known. `extension` is lower case with its dot.
const ImageFormat* image_format(std::span<const std::uint8_t> first_bytes, std::string_view extension);

/// "PNG, JPEG, …": the formats that can be read.
std::string readable_image_formats();

}  // namespace simulacra
