// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/gltf_uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

namespace simulacra::gltf {
namespace {

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::int8_t, 256> base64_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& v : values) v = -1;
  for (int i = 0; i < 26; ++i) {
    values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(i);
    values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(26 + i);
  }
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(52 + i);
  values['+'] = values['-'] = 62;
  values['/'] = values['_'] = 63;
  return values;
}

bool has_prefix_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

}  // namespace

bool is_data_uri(std::string_view uri) { return has_prefix_ignoring_case(uri, "data:"); }

bool is_remote_uri(std::string_view uri) {
  return uri.find("://") != std::string_view::npos && !has_prefix_ignoring_case(uri, "file://");
}

std::string percent_decoded(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hexadecimal(text[i + 1]), low = hexadecimal(text[i + 2]);
      if (high >= 0 && low >= 0) {
        result += static_cast<char>(high * 16 + low);
        i += 2;
        continue;
      }
    }
    result += text[i];
  }
  return result;
}

std::optional<std::vector<std::uint8_t>> base64_decoded(std::string_view text) {
  static constexpr auto kValues = base64_values();
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  unsigned num_bits = 0;
  std::size_t digits = 0;
  bool padded = false;
  for (const char c : text) {
    if (c == '=') {
      padded = true;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    const int value = kValues[static_cast<unsigned char>(c)];
    if (value < 0 || padded) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffffu;
    num_bits += 6;
    ++digits;
    if (num_bits >= 8) {
      num_bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>(bits >> num_bits & 0xffu));
    }
  }
  if (digits % 4 == 1) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::uint8_t>> data_uri_bytes(std::string_view uri) {
  const std::size_t comma = uri.find(',');
  if (!is_data_uri(uri) || comma == std::string_view::npos) return std::nullopt;
  const std::string_view header = uri.substr(0, comma), payload = uri.substr(comma + 1);
  const bool escaped = payload.find('%') != std::string_view::npos;
  const std::string unescaped = escaped ? percent_decoded(payload) : std::string();
  const std::string_view content = escaped ? std::string_view(unescaped) : payload;
  if (header.ends_with(";base64")) return base64_decoded(content);
  return std::vector<std::uint8_t>(content.begin(), content.end());
}

std::optional<std::filesystem::path> existing_file(const std::filesystem::path& folder, std::string_view uri) {
  if (has_prefix_ignoring_case(uri, "file://")) uri.remove_prefix(7);
  std::string decoded = percent_decoded(uri);
  std::string with_slashes = decoded;
  std::replace(with_slashes.begin(), with_slashes.end(), '\\', '/');
  for (const std::string& candidate : {decoded, std::string(uri), with_slashes}) {
    if (candidate.empty() || candidate.find('\0') != std::string::npos) continue;
    const std::filesystem::path path = folder / candidate;
    if (is_file(path)) return path;
  }
  return std::nullopt;
}

}  // namespace simulacra::gltf
