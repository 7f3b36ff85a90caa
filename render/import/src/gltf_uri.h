// SPDX-License-Identifier: Apache-2.0
// URIs of buffers and images: percent-encoding, data: URIs with base64, files beside the glTF file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra::gltf {

bool is_data_uri(std::string_view uri);
/// True for "http://…" and other schemes that name no local file.
bool is_remote_uri(std::string_view uri);

/// "%41" becomes "A"; a '%' without two hexadecimal digits stays as it is.
std::string percent_decoded(std::string_view text);

/// The bytes of base64 text (both alphabets, with or without padding, white space skipped); nothing
/// when it holds another character or ends in the middle of a byte.
std::optional<std::vector<std::uint8_t>> base64_decoded(std::string_view text);

/// The bytes of a data: URI, base64 or percent-encoded; nothing when it is malformed.
std::optional<std::vector<std::uint8_t>> data_uri_bytes(std::string_view uri);

/// The local file a URI names, relative to `folder`. Tried in this order: percent-decoded, as it stands,
/// with backslashes as slashes. Nothing when none of these is a regular file.
std::optional<std::filesystem::path> existing_file(const std::filesystem::path& folder, std::string_view uri);

}  // namespace simulacra::gltf
