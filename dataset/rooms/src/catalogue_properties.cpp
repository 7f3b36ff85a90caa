// SPDX-License-Identifier: Apache-2.0
// Java properties as Sweet Home 3D writes them: ISO 8859-1, "key#row=value", escapes \uXXXX, '#' comments.
#include <charconv>
#include <cstdlib>
#include <map>

#include "dataset/rooms/catalogue.h"
#include "dataset/rooms/src/catalogue_fields.h"
#include "render/base/error.h"

namespace simulacra::rooms {
namespace {

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xe0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

/// Latin-1 and escapes to UTF-8. A surrogate half is replaced by '?': names never hold one.
std::string decoded(std::string_view raw, const std::string& where) {
  std::string out;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\') {
      append_utf8(out, static_cast<unsigned char>(raw[i]));
      continue;
    }
    if (++i == raw.size()) break;
    if (raw[i] != 'u') {
      out += raw[i] == 't' ? '\t' : raw[i] == 'n' ? ' ' : raw[i];
      continue;
    }
    unsigned code = 0;
    const char* first = raw.data() + i + 1;
    const char* last = raw.data() + std::min(raw.size(), i + 5);
    const auto [end, error] = std::from_chars(first, last, code, 16);
    if (error != std::errc{} || end != first + 4) fail("{}: '{}' has a broken \\u escape", where, raw);
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? '?' : code);
    i += 4;
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<Piece> parse_properties_catalogue(std::string_view text, const std::string& where) {
  Fields library;  // keys without a row number
  std::map<int, Fields> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (line.empty() || line.front() == '#' || line.front() == '!') continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string value = decoded(trimmed(line.substr(equals + 1)), where);
    const std::size_t hash = key.find('#');
    if (hash == std::string_view::npos) {
      library[std::string(key)] = value;
      continue;
    }
    int row = 0;
    const auto [stop, error] = std::from_chars(key.data() + hash + 1, key.data() + key.size(), row);
    if (error != std::errc{} || stop != key.data() + key.size() || row < 1)
      fail("{}: key '{}': expected a row number from 1 after '#'", where, key);
    rows[row][std::string(key.substr(0, hash))] = value;
  }
  if (rows.empty()) fail("{}: no row 'name#1=…': not a furniture catalogue", where);

  const auto found = library.find("license");
  const std::string licence = licence_from_text(found == library.end() ? "" : found->second);
  std::vector<Piece> pieces;
  for (auto& [row, fields] : rows) {
    const std::string row_where = fmt::format("{}: row {}", where, row);
    fields.try_emplace("licence", licence);
    pieces.push_back(piece_from_fields(fields, kPropertiesKeys, row_where));
  }
  return pieces;
}

}  // namespace simulacra::rooms
