// SPDX-License-Identifier: Apache-2.0
// What the program's executables share: parse, run the verb, say errors in one line.
#pragma once

#include <span>
#include <string>

#include "tools/program/verb.h"

namespace simulacra::tools {

/// A verb that another executable beside this one runs.
struct VerbElsewhere {
  const char* name;
  const char* summary;
};

/// Runs the verb that argv names. Exit code: 0 done, 1 the work failed or a check did not hold, 2 the request was
/// wrong, 130 stopped. `elsewhere` is only listed, by --help and where a verb is unknown.
int run_program(std::span<const Verb* const> verbs, std::span<const VerbElsewhere> elsewhere, int argc, char** argv);

/// One line on stderr; returns `exit_code`.
int complain(std::string text, int exit_code);

}  // namespace simulacra::tools
