// SPDX-License-Identifier: Apache-2.0
// RFC 4180 with a header row; columns are found by name, so their order is free and further ones are ignored.
#include <algorithm>

#include "dataset/rooms/src/catalogue_fields.h"
#include "render/base/error.h"

namespace simulacra::rooms {
namespace {

constexpr std::string_view kNeeded[] = {
    "library", "name", "category", "width_cm", "depth_cm", "height_cm", "creator", "licence", "model"};

/// Reads one record from `at` on; returns false at the end of the text.
bool read_record(std::string_view text, std::size_t& at, std::vector<std::string>& record, const std::string& where) {
  record.clear();
  if (at >= text.size()) return false;
  std::string field;
  bool quoted = false;
  for (;; ++at) {
    const bool end = at >= text.size();
    if (end && quoted) fail("{}: a quote is not closed", where);
    if (!end && quoted) {
      if (text[at] != '"') {
        field += text[at];
        continue;
      }
      if (at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        ++at;
        continue;
      }
      quoted = false;
      continue;
    }
    if (end || text[at] == ',' || text[at] == '\n') {
      if (!field.empty() && field.back() == '\r') field.pop_back();
      record.push_back(std::move(field));
      field.clear();
      if (end || text[at] == '\n') {
        ++at;
        return true;
      }
      continue;
    }
    if (text[at] == '"' && field.empty())
      quoted = true;
    else
      field += text[at];
  }
}

}  // namespace

std::vector<Piece> parse_csv_catalogue(std::string_view text, const std::string& where) {
  std::size_t at = 0;
  std::vector<std::string> header, record;
  if (!read_record(text, at, header, where)) fail("{}: empty, expected a header row", where);
  for (std::string_view name : kNeeded)
    if (std::find(header.begin(), header.end(), name) == header.end())
      fail(
          "{}: no column '{}'; a furniture catalogue has library, name, category, width_cm, depth_cm, height_cm, "
          "creator, licence, model and further ones",
          where,
          name);

  std::vector<Piece> pieces;
  for (std::size_t row = 2; read_record(text, at, record, where); ++row) {
    if (record.size() == 1 && record[0].empty()) continue;
    const std::string row_where = fmt::format("{}: row {}", where, row);
    if (record.size() != header.size())
      fail("{}: {} fields, the header has {}", row_where, record.size(), header.size());
    Fields fields;
    for (std::size_t i = 0; i < header.size(); ++i) fields[header[i]] = record[i];
    Piece piece = piece_from_fields(fields, kCsvKeys, row_where);
    piece.licence = licence_from_text(piece.licence);
    if (!is_safe_member_name(piece.library)) fail("{}: library '{}' is no folder name", row_where, piece.library);
    pieces.push_back(std::move(piece));
  }
  if (pieces.empty()) fail("{}: no rows below the header", where);
  return pieces;
}

}  // namespace simulacra::rooms
