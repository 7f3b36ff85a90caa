// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra {

/// The whole file; throws Error naming the file. Refuses what is not a regular file, and files
/// above `max_bytes`.
std::vector<std::uint8_t> read_file(const std::filesystem::path& path,
                                    std::uint64_t max_bytes = std::uint64_t{4} << 30);
std::string read_text_file(const std::filesystem::path& path,
                           std::uint64_t max_bytes = std::uint64_t{1} << 30);

/// Atomic: the file appears complete or not at all (temporary name in a hidden sibling, fsync, rename).
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_text_atomically(const std::filesystem::path& path, std::string_view text);

/// Names of what lies in a folder, in byte order; empty when it cannot be read.
std::vector<std::string> sorted_names(const std::filesystem::path& folder);

}  // namespace simulacra
