// SPDX-License-Identifier: Apache-2.0
// Finds files by names that were true on another machine.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra {

/// Looks in documented places, in this order; backslashes count as slashes:
///  1. an absolute path that exists here, as it stands;
///  2. relative to each folder, as written, then with upper and lower case ignored;
///  3. the bare file name in each folder, case ignored;
///  4. the bare file name in textures/, texture/, maps/, images/ and tex/ inside each folder and beside it, case
///     ignored.
/// Only regular files count. Folder listings are kept, so one object serves a whole import.
class FileSearch {
 public:
  std::optional<std::filesystem::path> find(std::string_view written,
                                            std::span<const std::filesystem::path> folders);

 private:
  std::optional<std::filesystem::path> find_inside(const std::filesystem::path& folder,
                                                   const std::filesystem::path& relative);
  std::optional<std::filesystem::path> entry_ignoring_case(const std::filesystem::path& folder,
                                                           const std::string& name);

  /// Per folder: entries by lower-case name.
  std::map<std::filesystem::path, std::multimap<std::string, std::string>> listings_;
};

}  // namespace simulacra
