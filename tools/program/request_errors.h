// SPDX-License-Identifier: Apache-2.0
// What is said about a command line that cannot be parsed: one line with the culprit and what is possible.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace simulacra::tools {

/// `app` is the program with its verbs, after parse(argc, argv) threw `error`.
std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, const char* const* argv);

}  // namespace simulacra::tools
