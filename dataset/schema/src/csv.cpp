// SPDX-License-Identifier: Apache-2.0
#include "dataset/schema/csv.h"

#include <algorithm>
#include <cmath>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra {
namespace {

bool needs_quotes(std::string_view field) { return field.find_first_of(",\"\r\n") != std::string_view::npos; }

/// Reads fields one by one; knows where in the text it stands.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  /// The next non-empty line's fields; empty at the end of the text.
  std::vector<std::string> row() {
    std::vector<std::string> fields;
    while (at_ < text_.size()) {
      if (end_of_line()) continue;
      do fields.push_back(field());
      while (take(','));
      if (at_ < text_.size() && !end_of_line())
        fail("{}:{}: found '{}' after a quoted field, expected a comma or the line's end", name_, line_, text_[at_]);
      return fields;
    }
    return fields;
  }
  int line() const { return line_; }

 private:
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool end_of_line() {
    const std::size_t was = at_;
    take('\r');
    if (take('\n')) {
      ++line_;
      return true;
    }
    at_ = was;
    return false;
  }
  std::string field() {
    if (!take('"')) {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      std::string value(text_.substr(at_, end - at_));
      at_ = end;
      return value;
    }
    std::string value;
    const int first_line = line_;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        value += c;
      } else if (take('"')) {
        value += '"';
      } else {
        return value;
      }
    }
    fail("{}:{}: a quoted field is not closed", name_, first_line);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::size_t CsvTable::column(std::string_view name) const {
  const auto at = std::find(header.begin(), header.end(), name);
  if (at != header.end()) return static_cast<std::size_t>(at - header.begin());
  std::string known;
  for (const std::string& column : header) known += (known.empty() ? "" : ", ") + column;
  fail("no column is called '{}'; the columns are {}", name, known);
}

std::string csv_row(std::span<const std::string> fields) {
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += ',';
    if (!needs_quotes(fields[i])) {
      text += fields[i];
      continue;
    }
    text += '"';
    for (const char c : fields[i]) {
      if (c == '"') text += '"';
      text += c;
    }
    text += '"';
  }
  // A single empty field would be an empty line, which readers skip.
  if (fields.size() == 1 && fields[0].empty()) text = "\"\"";
  return text + "\n";
}

std::string csv_text(const CsvTable& table) {
  std::string text = csv_row(table.header);
  for (const std::vector<std::string>& row : table.rows) {
    SIM_CHECK(row.size() == table.header.size());
    text += csv_row(row);
  }
  return text;
}

CsvTable parse_csv(std::string_view text, const std::string& name) {
  CsvReader reader(text, name);
  CsvTable table;
  table.header = reader.row();
  if (table.header.empty()) fail("{}: an empty file, expected a header", name);
  for (std::vector<std::string> row = reader.row(); !row.empty(); row = reader.row()) {
    if (row.size() != table.header.size())
      fail("{}: row {} has {} fields under a header of {}", name, table.rows.size() + 1, row.size(),
           table.header.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

CsvTable read_csv(const std::filesystem::path& path) { return parse_csv(read_text_file(path), path.string()); }

std::string csv_number(double value, bool keep_point) {
  std::string text = fmt::format("{}", value);
  if (keep_point && std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  if (!keep_point && text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string csv_bool(bool value) { return value ? "True" : "False"; }

}  // namespace simulacra
