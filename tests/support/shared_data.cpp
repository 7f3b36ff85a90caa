// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shared_data.h"

#include <cstdlib>
#include <string>

#include "render/base/error.h"

namespace simulacra::test {

namespace fs = std::filesystem;

std::optional<fs::path> shared_folder() {
  const fs::path folder = fs::path(SIMULACRA_SOURCE_DIR).parent_path() / "shared";
  if (fs::is_directory(folder / "data")) return folder;
  return std::nullopt;
}

TempDir::TempDir() {
  std::string pattern = (fs::temp_directory_path() / "simulacra-test-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("{}: cannot be made", pattern);
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace simulacra::test
