// SPDX-License-Identifier: Apache-2.0
// Comma-separated text (RFC 4180, UTF-8, lines end in \n).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  /// Column number of `name`; throws Error listing the columns when there is none.
  std::size_t column(std::string_view name) const;
  bool operator==(const CsvTable&) const = default;
};

/// A row as text, fields quoted where they must be, with the line end.
std::string csv_row(std::span<const std::string> fields);

std::string csv_text(const CsvTable& table);

/// Throws Error "name: row 3 has 5 fields under a header of 6" and the like. Quoted fields may hold
/// commas, quotes and line ends; \r\n is taken as a line end; empty lines are skipped.
CsvTable parse_csv(std::string_view text, const std::string& name);
CsvTable read_csv(const std::filesystem::path& path);

/// The shortest text that reads back as the same double; integers up to 2^53 keep a trailing ".0" when
/// `keep_point` is set (pandas then takes the column for floats).
std::string csv_number(double value, bool keep_point = true);
/// "True" or "False", as pandas writes them.
std::string csv_bool(bool value);

}  // namespace simulacra
