// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace simulacra::test {

/// ../shared beside the checkout (real scenes and independent judges), when it is there.
std::optional<std::filesystem::path> shared_folder();

/// A Python with numpy and h5py, or "" when there is none: SIMULACRA_JUDGE_PYTHON (an environment variable), else that of
/// build/venv, which tools/test makes, else python3.
std::string judge_python();

/// A fresh empty folder, removed with everything in it at the end of the scope.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// First line of a test that needs ../shared: skips by name where it is absent.
#define SIM_NEED_SHARED_DATA(variable)                                             \
  const auto variable##_found = ::simulacra::test::shared_folder();                \
  if (!variable##_found) GTEST_SKIP() << "skipped: no shared data";                \
  const std::filesystem::path variable = *variable##_found

}  // namespace simulacra::test
