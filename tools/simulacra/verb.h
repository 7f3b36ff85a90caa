// SPDX-License-Identifier: Apache-2.0
// One file a subcommand. Each offers one Verb; kVerbs in main.cpp lists them.
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

extern const Verb kRenderVerb;
extern const Verb kSceneVerb;
extern const Verb kGenerateVerb;
extern const Verb kAuditVerb;
extern const Verb kReportVerb;

}  // namespace simulacra::tools
