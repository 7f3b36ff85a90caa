// SPDX-License-Identifier: Apache-2.0
#include "render/base/base64.h"

#include <string_view>

namespace simulacra {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned a = bytes[i], b = i + 1 < bytes.size() ? bytes[i + 1] : 0u, c = i + 2 < bytes.size() ? bytes[i + 2] : 0u;
    const unsigned word = a << 16 | b << 8 | c;
    out += digits[word >> 18];
    out += digits[word >> 12 & 63];
    out += i + 1 < bytes.size() ? digits[word >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? digits[word & 63] : '=';
  }
  return out;
}

}  // namespace simulacra
