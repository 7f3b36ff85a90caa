// SPDX-License-Identifier: Apache-2.0
// The folder of a run, and what is said about the machine it runs on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "learning/record/scalar_log.h"

namespace simulacra::learning {

/// config.yaml, scalars.csv and the event file. Does nothing on ranks other than the first. While it lives, no other process
/// gets the folder.
class RunFolder {
 public:
  /// Makes the folder and writes config.yaml, unless one is there. Throws UsageError when `out` is empty, is a file, or
  /// holds the config.yaml of another run (with the first difference); Error when another process is writing there.
  RunFolder(std::filesystem::path out, const std::string& config, bool first_rank);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  /// Rows from `first_step` on are cut off: they will be made again.
  void open_curves(std::int64_t first_step);
  void add(std::int64_t step, const NamedScalars& scalars);

 private:
  void take(const std::filesystem::path& file);

  std::filesystem::path out_;
  bool active_;
  int lock_ = -1;                            ///< config.yaml, open
  std::optional<ScalarLog> log_;
};

/// The same folder or file from any working directory: absolute, without "." and a slash at the end. "" stays.
std::string settled_path(const std::string& path);

/// The first line that differs between two configurations: "steps: 100 there, 200 here".
std::string first_difference(const std::string& there, const std::string& here);

/// "float32" or "bfloat16". "auto" is bfloat16 where the processor has instructions for its products (AMX): elsewhere they
/// are emulated, and a hundred times slower than float32.
std::string effective_precision(const std::string& asked);
/// For people: why auto chose it, or "".
std::string reason_of_precision(const std::string& chosen);

/// Of this process so far.
double peak_memory_bytes();
/// "42 s", "3:05 min", "2:10 h".
std::string duration_text(double seconds);

}  // namespace simulacra::learning
