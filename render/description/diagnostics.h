// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace simulacra {

/// What an importer had to leave out or could not find. `--strict` turns any of them into an error.
struct ImportWarning {
  std::string file;     ///< the file in which the culprit stands
  std::string culprit;  ///< name of the texture, extension, parameter, node …
  std::string text;     ///< what happens instead
};

/// Collects warnings, each once.
class Diagnostics {
 public:
  void warn(std::string file, std::string culprit, std::string text);
  const std::vector<ImportWarning>& warnings() const { return warnings_; }

 private:
  std::vector<ImportWarning> warnings_;
};

}  // namespace simulacra
