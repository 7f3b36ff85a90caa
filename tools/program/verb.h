// SPDX-License-Identifier: Apache-2.0
// One file a subcommand. Each offers one Verb; the main.cpp of its executable lists them.
#pragma once

#include <CLI/CLI.hpp>

namespace simulacra::tools {

struct Verb {
  const char* name;
  const char* summary;   ///< one line for `simulacra --help`
  /// Declares options on the subcommand and sets its callback; the callback stores its exit code in
  /// `exit_code` (0 done, 1 the work failed or a check did not hold) or throws Error / UsageError.
  void (*declare)(CLI::App& app, int& exit_code);
};

}  // namespace simulacra::tools
