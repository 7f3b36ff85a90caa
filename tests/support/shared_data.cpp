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

std::string judge_python() {
  const char* chosen = std::getenv("SIMULACRA_JUDGE_PYTHON");
  for (const std::string& python : {std::string(chosen ? chosen : ""), std::string(SIMULACRA_SOURCE_DIR "/build/venv/bin/python"),
                                    std::string("python3"), std::string("/usr/bin/python3")})
    if (!python.empty() && std::system(("'" + python + "' -c 'import numpy, h5py' > /dev/null 2>&1").c_str()) == 0) return python;
  return "";
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
