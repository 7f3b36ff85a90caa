// SPDX-License-Identifier: Apache-2.0
// Curves of a training run on disk: a CSV file for people and scripts, and a TensorBoard event file. Knows no LibTorch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace simulacra {

using NamedScalars = std::vector<std::pair<std::string, double>>;

/// CRC-32C (Castagnoli polynomial, reflected), as event files use it.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

/// One record of an event file: length, masked checksum of the length, bytes, masked checksum of the bytes.
std::string event_record(std::string_view bytes);
/// The serialised Event message of TensorBoard with these scalars. wall_seconds: since 1970.
std::string scalar_event(double wall_seconds, std::int64_t step, const NamedScalars& scalars);
/// The message that opens an event file.
std::string version_event(double wall_seconds);

/// Appends to FOLDER/scalars.csv (step, name, value) and FOLDER/events.out.tfevents.*. After a resume, rows of steps that
/// are done again are cut off first, so that each step stands once in the CSV.
class ScalarLog {
 public:
  /// Throws Error when the folder takes no files. `first_step`: the first step that this run will add.
  ScalarLog(const std::filesystem::path& folder, std::int64_t first_step, double wall_seconds);
  void add(std::int64_t step, const NamedScalars& scalars, double wall_seconds);

 private:
  std::ofstream csv_, events_;
};

/// All rows of FOLDER/scalars.csv with this name, by step. Throws Error when a row is damaged.
std::vector<std::pair<std::int64_t, double>> read_curve(const std::filesystem::path& folder, std::string_view name);

}  // namespace simulacra
