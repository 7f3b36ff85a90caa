// SPDX-License-Identifier: Apache-2.0
// Reads zip archives that may be damaged or hostile: every offset is checked, names that would leave the
// folder are refused, sizes are capped, checksums are compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra::rooms {

struct ZipLimits {
  std::uint64_t archive_bytes = std::uint64_t{1} << 30;
  std::uint64_t member_bytes = std::uint64_t{256} << 20;  ///< of one member, unpacked
  std::uint64_t total_bytes = std::uint64_t{4} << 30;     ///< of all members together, unpacked
  std::size_t members = 200'000;
};

/// A zip file held in memory, members unpacked on demand. Stored and deflated members; no encryption, no
/// zip64, no multi-part archives. Immutable after construction.
class ZipArchive {
 public:
  /// Throws Error naming the file and what is wrong with it.
  explicit ZipArchive(const std::filesystem::path& file, const ZipLimits& limits = {});
  ZipArchive(std::vector<std::uint8_t> bytes, std::string name, const ZipLimits& limits = {});

  bool has(std::string_view member) const { return members_.find(member) != members_.end(); }
  /// Paths of the files in the archive, sorted; folders are left out.
  std::vector<std::string> names() const;
  /// The names that lie below `folder` (without a trailing '/'), sorted.
  std::vector<std::string> names_below(std::string_view folder) const;
  /// Throws Error when there is no such member, or it is damaged, or larger than it says.
  std::vector<std::uint8_t> read(std::string_view member) const;
  const std::string& name() const { return name_; }

 private:
  struct Member {
    std::uint64_t offset = 0;  ///< of the local header
    std::uint64_t packed = 0, size = 0;
    std::uint32_t crc = 0;
    std::uint16_t method = 0;
  };
  void read_directory(const ZipLimits& limits);

  std::string name_;
  std::vector<std::uint8_t> bytes_;
  std::map<std::string, Member, std::less<>> members_;
};

/// True for a relative path with '/' that stays below its folder: no "..", no drive, no backslash, no NUL.
bool is_safe_member_name(std::string_view name);

}  // namespace simulacra::rooms
