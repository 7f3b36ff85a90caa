// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/audit/src/findings.h"

namespace simulacra::auditing {

/// A CSV file's rows by column name.
using Row = std::map<std::string, std::string>;

/// Checks presence (F1.files, when `required`) and header (`check`); nothing when the file is absent,
/// unreadable or lacks a column.
std::optional<std::vector<Row>> read_table(const std::filesystem::path& path, const std::string& relative,
                                           const std::vector<std::string>& columns, std::string_view check,
                                           bool required, Findings& to);

/// A finite number that is the whole text.
std::optional<double> as_number(std::string_view text);
/// A whole number of up to nine digits.
std::optional<int> as_whole(std::string_view text);

}  // namespace simulacra::auditing
