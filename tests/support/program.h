// SPDX-License-Identifier: Apache-2.0
// A program as a user starts it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include <sys/wait.h>

#include "render/base/files.h"
#include "tests/support/shared_data.h"

namespace simulacra::test {

struct Outcome {
  int exit_code = -1;
  std::string out, err;
};

/// `program arguments` by the shell, in `folder`; what it prints goes to files elsewhere.
inline Outcome run_program_in(const std::filesystem::path& folder, const std::string& program, const std::string& arguments) {
  const TempDir prints;
  const std::string out = (prints.path() / "out").string(), err = (prints.path() / "err").string();
  const std::string command = "cd '" + folder.string() + "' && '" + program + "' " + arguments + " > '" + out + "' 2> '" + err + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text_file(out), read_text_file(err)};
}

inline std::set<std::string> names_below(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.insert(entry.path().string());
  return names;
}

}  // namespace simulacra::test
