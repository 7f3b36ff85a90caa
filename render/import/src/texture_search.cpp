// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/texture_search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

namespace simulacra {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 5> kTextureFolders = {"textures", "texture", "maps", "images", "tex"};
constexpr std::size_t kMaxName = 4096;

/// ASCII only; other letters must match as they are.
std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool has_drive(std::string_view path) {
  return path.size() > 2 && std::isalpha(static_cast<unsigned char>(path[0])) && path[1] == ':' && path[2] == '/';
}

}  // namespace

std::optional<fs::path> FileSearch::entry_ignoring_case(const fs::path& folder, const std::string& name) {
  auto known = listings_.find(folder);
  if (known == listings_.end()) {
    std::multimap<std::string, std::string> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder.empty() ? fs::path(".") : folder, error), end; !error && it != end;
         it.increment(error)) {
      const std::string entry = it->path().filename().string();
      entries.emplace(lower(entry), entry);
    }
    known = listings_.emplace(folder, std::move(entries)).first;
  }
  const auto [first, last] = known->second.equal_range(lower(name));
  if (first == last) return std::nullopt;
  // The same spelling if it is there, else the first in byte order, whatever the file system lists first.
  std::string best;
  for (auto it = first; it != last; ++it) {
    if (it->second == name) return folder / name;
    if (best.empty() || it->second < best) best = it->second;
  }
  return folder / best;
}

std::optional<fs::path> FileSearch::find_inside(const fs::path& folder, const fs::path& relative) {
  if (is_file(folder / relative)) return folder / relative;
  fs::path at = folder;
  for (const fs::path& part : relative) {
    if (part == "." || part.empty()) continue;
    if (part == "..") {
      at /= part;
      continue;
    }
    const std::optional<fs::path> entry = entry_ignoring_case(at, part.string());
    if (!entry) return std::nullopt;
    at = *entry;
  }
  return is_file(at) ? std::optional<fs::path>(at) : std::nullopt;
}

std::optional<fs::path> FileSearch::find(std::string_view written, std::span<const fs::path> folders) {
  std::string name(written);
  std::replace(name.begin(), name.end(), '\\', '/');
  if (name.empty() || name.size() > kMaxName || name.find('\0') != std::string::npos) return std::nullopt;

  const bool absolute = name.front() == '/' || has_drive(name);
  if (absolute && is_file(name)) return fs::path(name);
  if (!absolute)
    for (const fs::path& folder : folders)
      if (auto found = find_inside(folder, name)) return found;

  const fs::path bare = fs::path(name).filename();
  if (bare.empty() || bare == ".." || bare == ".") return std::nullopt;
  for (const fs::path& folder : folders)
    if (auto found = find_inside(folder, bare)) return found;
  for (const fs::path& folder : folders)
    for (const fs::path& around : {folder, folder / ".."})
      for (const char* sub : kTextureFolders)
        if (const auto inner = entry_ignoring_case(around, sub))
          if (auto found = find_inside(*inner, bare)) return found;
  return std::nullopt;
}

}  // namespace simulacra
