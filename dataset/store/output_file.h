// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra {

/// A file of a data set, complete in memory.
struct OutputFile {
  std::string path;                 ///< relative to the data set's folder, with '/'
  std::vector<std::uint8_t> bytes;
  double seconds = 0;               ///< wall time to make the bytes
};

inline OutputFile text_file(std::string path, std::string_view text) {
  return {std::move(path), std::vector<std::uint8_t>(text.begin(), text.end()), 0};
}

}  // namespace simulacra
