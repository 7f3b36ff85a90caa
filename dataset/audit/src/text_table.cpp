// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/src/text_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dataset/schema/csv.h"
#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::auditing {
namespace {

/// Index of the first byte that is no UTF-8, or npos. Overlong forms and surrogates are refused.
std::size_t first_non_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned c = byte(i);
    std::size_t more = 0;
    unsigned low = 0x80, high = 0xbf;
    if (c < 0x80) more = 0;
    else if (c >= 0xc2 && c <= 0xdf) more = 1;
    else if (c >= 0xe0 && c <= 0xef) more = 2, low = c == 0xe0 ? 0xa0 : 0x80, high = c == 0xed ? 0x9f : 0xbf;
    else if (c >= 0xf0 && c <= 0xf4) more = 3, low = c == 0xf0 ? 0x90 : 0x80, high = c == 0xf4 ? 0x8f : 0xbf;
    else return i;
    for (std::size_t k = 1; k <= more; ++k, low = 0x80, high = 0xbf)
      if (byte(i + k) < low || byte(i + k) > high) return i;
    i += more + 1;
  }
  return std::string_view::npos;
}

std::string header_gap(const std::vector<std::string>& header, const std::vector<std::string>& want) {
  std::size_t at = 0;
  while (at < std::min(header.size(), want.size()) && header[at] == want[at]) ++at;
  return fmt::format("{} columns, column {} is {}", header.size(), at + 1,
                     at < header.size() ? "'" + header[at] + "'" : "missing");
}

std::string wanted(const std::vector<std::string>& columns) {
  std::string text = fmt::format("{} columns: ", columns.size());
  for (std::size_t i = 0; i < columns.size() && text.size() < 120; ++i) text += (i ? ", " : "") + columns[i];
  return text;
}

}  // namespace

std::optional<std::vector<Row>> read_table(const std::filesystem::path& path, const std::string& relative,
                                           const std::vector<std::string>& columns, std::string_view check,
                                           bool required, Findings& to) {
  const bool here = std::filesystem::is_regular_file(path);
  if (required) to.test("F1.files", relative, here, "the file exists", "no such file");
  if (!here) return std::nullopt;
  CsvTable table;
  try {
    const std::string text = read_text_file(path);
    if (const std::size_t at = first_non_utf8(text); at != std::string::npos)
      fail("{}: byte {} is no UTF-8", relative, at);
    table = parse_csv(text, relative);
  } catch (const Error& e) {
    to.test(check, relative, false, "comma-separated UTF-8 text", e.what());
    return std::nullopt;
  }
  to.test(check, relative, table.header == columns, [&] { return wanted(columns); },
          [&] { return header_gap(table.header, columns); });
  for (const std::string& column : columns)
    if (std::find(table.header.begin(), table.header.end(), column) == table.header.end()) return std::nullopt;
  std::vector<Row> rows;
  rows.reserve(table.rows.size());
  for (std::vector<std::string>& fields : table.rows) {
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[table.header[i]] = std::move(fields[i]);
  }
  return rows;
}

std::optional<double> as_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> as_whole(std::string_view text) {
  const std::size_t digits = text.size() - (text.starts_with('-') ? 1 : 0);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (digits < 1 || digits > 9 || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace simulacra::auditing
