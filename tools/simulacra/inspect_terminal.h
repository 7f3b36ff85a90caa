// SPDX-License-Identifier: Apache-2.0
// `simulacra inspect` without a browser.
#pragma once

#include <filesystem>
#include <string>

#include <CLI/CLI.hpp>

namespace simulacra::tools {

struct TerminalRequest {
  std::string pixel;                ///< "X,Y"
  bool statistics = false, sixel = false, json = false;
  std::string picture;              ///< a label; "" = none asked for
  std::string frame;                ///< SCENE/CAMERA/NUMBER
  int columns = 0;                  ///< 0 = the terminal's
  bool asked_for() const { return !pixel.empty() || statistics || !picture.empty(); }
};

void declare_terminal_options(CLI::App& app, TerminalRequest& request);

/// Prints what was asked for of `path`, a data set or an HDF5 file. Throws UsageError and Error. Returns the exit code: 1 when
/// a file could not be read.
int inspect_in_terminal(const std::filesystem::path& path, const TerminalRequest& request, int threads);

}  // namespace simulacra::tools
