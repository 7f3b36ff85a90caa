// SPDX-License-Identifier: Apache-2.0
// Format: PKWARE APPNOTE 6.3.x, sections 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (end record).
#include "dataset/rooms/zip.h"

#include <libdeflate.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::rooms {
namespace {

constexpr std::uint32_t kEndRecord = 0x06054b50, kDirectoryEntry = 0x02014b50, kLocalHeader = 0x04034b50;
constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30, kMaxComment = 65535;
constexpr std::uint16_t kStored = 0, kDeflated = 8;

std::uint16_t u16(const std::vector<std::uint8_t>& b, std::size_t at) {
  return static_cast<std::uint16_t>(b[at] | (b[at + 1] << 8));
}
std::uint32_t u32(const std::vector<std::uint8_t>& b, std::size_t at) {
  return static_cast<std::uint32_t>(u16(b, at)) | (static_cast<std::uint32_t>(u16(b, at + 2)) << 16);
}

/// The end record is the last thing in the file but for a comment of up to 64 KiB.
std::optional<std::size_t> find_end_record(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const std::size_t last = bytes.size() - kEndBytes;
  const std::size_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (std::size_t at = last + 1; at-- > first;)
    if (u32(bytes, at) == kEndRecord && at + kEndBytes + u16(bytes, at + 20) == bytes.size()) return at;
  return std::nullopt;
}

}  // namespace

bool is_safe_member_name(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  if (name.find_first_of(std::string_view("\\:\0", 3)) != std::string_view::npos) return false;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part == "." || part == ".." || (part.empty() && end != name.size())) return false;
    start = end + 1;
  }
  return true;
}

ZipArchive::ZipArchive(const std::filesystem::path& file, const ZipLimits& limits)
    : ZipArchive(read_file(file, limits.archive_bytes), file.string(), limits) {}

ZipArchive::ZipArchive(std::vector<std::uint8_t> bytes, std::string name, const ZipLimits& limits)
    : name_(std::move(name)), bytes_(std::move(bytes)) {
  read_directory(limits);
}

void ZipArchive::read_directory(const ZipLimits& limits) {
  const auto end = find_end_record(bytes_);
  if (!end) fail("{}: not a zip archive, or truncated: no end record", name_);
  const std::size_t count = u16(bytes_, *end + 10);
  const std::uint64_t size = u32(bytes_, *end + 12), start = u32(bytes_, *end + 16);
  if (u16(bytes_, *end + 4) != 0 || u16(bytes_, *end + 6) != 0) fail("{}: a part of a multi-part archive", name_);
  if (count == 0xffff || size == 0xffffffff || start == 0xffffffff)
    fail("{}: a zip64 archive; archives below 4 GiB with fewer than 65535 members are read", name_);
  if (count > limits.members) fail("{}: {} members, at most {} are read", name_, count, limits.members);
  if (start + size > *end) fail("{}: its directory lies outside the file", name_);

  std::uint64_t total = 0;
  std::size_t at = static_cast<std::size_t>(start);
  const std::size_t stop = static_cast<std::size_t>(start + size);
  for (std::size_t i = 0; i < count; ++i) {
    if (at + kEntryBytes > stop || u32(bytes_, at) != kDirectoryEntry)
      fail("{}: entry {} of its directory is damaged", name_, i + 1);
    const std::size_t name_bytes = u16(bytes_, at + 28);
    const std::size_t rest_bytes = std::size_t{u16(bytes_, at + 30)} + u16(bytes_, at + 32);
    if (at + kEntryBytes + name_bytes + rest_bytes > stop)
      fail("{}: entry {} of its directory is damaged", name_, i + 1);
    const std::string member(reinterpret_cast<const char*>(bytes_.data()) + at + kEntryBytes, name_bytes);
    Member m;
    m.method = u16(bytes_, at + 10);
    m.crc = u32(bytes_, at + 16);
    m.packed = u32(bytes_, at + 20);
    m.size = u32(bytes_, at + 24);
    m.offset = u32(bytes_, at + 42);
    const bool encrypted = (u16(bytes_, at + 8) & 1u) != 0;
    at += kEntryBytes + name_bytes + rest_bytes;

    if (!is_safe_member_name(member)) fail("{}: member '{}' would lie outside the archive's folder", name_, member);
    if (member.back() == '/') continue;
    if (encrypted) fail("{}: member '{}' is encrypted", name_, member);
    if (m.method != kStored && m.method != kDeflated)
      fail("{}: member '{}' uses compression method {}; stored (0) and deflate (8) are read", name_, member, m.method);
    if (m.size > limits.member_bytes)
      fail("{}: member '{}' unpacks to {} bytes, at most {} are read", name_, member, m.size, limits.member_bytes);
    total += m.size;
    if (total > limits.total_bytes) fail("{}: unpacks to more than {} bytes", name_, limits.total_bytes);
    if (!members_.emplace(member, m).second) fail("{}: two members are called '{}'", name_, member);
  }
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> result;
  for (const auto& [member, m] : members_) result.push_back(member);
  return result;
}

std::vector<std::string> ZipArchive::names_below(std::string_view folder) const {
  const std::string prefix = std::string(folder) + "/";
  std::vector<std::string> result;
  for (auto it = members_.lower_bound(prefix); it != members_.end() && it->first.starts_with(prefix); ++it)
    result.push_back(it->first);
  return result;
}

std::vector<std::uint8_t> ZipArchive::read(std::string_view member) const {
  const auto found = members_.find(member);
  if (found == members_.end()) fail("{}: has no member '{}'", name_, member);
  const Member& m = found->second;
  if (m.offset + kLocalBytes > bytes_.size() || u32(bytes_, static_cast<std::size_t>(m.offset)) != kLocalHeader)
    fail("{}: the header of member '{}' is damaged", name_, member);
  const auto header = static_cast<std::size_t>(m.offset);
  const std::uint64_t start = m.offset + kLocalBytes + u16(bytes_, header + 26) + u16(bytes_, header + 28);
  if (start + m.packed > bytes_.size()) fail("{}: member '{}' is cut off", name_, member);

  std::vector<std::uint8_t> out(static_cast<std::size_t>(m.size));
  const std::uint8_t* packed = bytes_.data() + start;
  if (m.method == kStored) {
    if (m.packed != m.size) fail("{}: member '{}' is damaged: its two sizes differ", name_, member);
    std::copy(packed, packed + m.size, out.begin());
  } else {
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> inflate(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!inflate) fail("{}: no memory to unpack '{}'", name_, member);
    std::size_t written = 0;
    const libdeflate_result result = libdeflate_deflate_decompress(
        inflate.get(), packed, static_cast<std::size_t>(m.packed), out.data(), out.size(), &written);
    if (result != LIBDEFLATE_SUCCESS || written != out.size())
      fail("{}: member '{}' is damaged: it does not unpack to {} bytes", name_, member, m.size);
  }
  if (libdeflate_crc32(0, out.data(), out.size()) != m.crc)
    fail("{}: member '{}' is damaged: its checksum differs", name_, member);
  return out;
}

}  // namespace simulacra::rooms
