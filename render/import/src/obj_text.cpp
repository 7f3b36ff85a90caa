// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/obj_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "render/base/error.h"
#include "render/base/files.h"

namespace simulacra::obj {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{3} << 30;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0u | (code >> 6));
    put(0x80u | (code & 0x3fu));
  } else if (code < 0x10000) {
    put(0xe0u | (code >> 12));
    put(0x80u | ((code >> 6) & 0x3fu));
    put(0x80u | (code & 0x3fu));
  } else {
    put(0xf0u | (code >> 18));
    put(0x80u | ((code >> 12) & 0x3fu));
    put(0x80u | ((code >> 6) & 0x3fu));
    put(0x80u | (code & 0x3fu));
  }
}

std::string utf8_from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(big_endian ? (a << 8) | b : (b << 8) | a);
  };
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t code = unit(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;  // half of a pair
    }
    append_utf8(text, code);
  }
  return text;
}

}  // namespace

std::string read_obj_text(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_text_file(file, kMaxBytes);
  } catch (const Error& e) {
    throw UsageError(e.what());
  }
  const std::string_view view = text;
  if (view.starts_with("\xef\xbb\xbf")) return text.substr(3);
  if (view.starts_with("\xff\xfe")) return utf8_from_utf16(view.substr(2), false);
  if (view.starts_with("\xfe\xff")) return utf8_from_utf16(view.substr(2), true);
  return text;
}

std::string_view Lines::physical() {
  const std::size_t end = rest_.find_first_of("\n\r");
  const std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    rest_ = {};
  } else {
    const bool pair = rest_[end] == '\r' && end + 1 < rest_.size() && rest_[end + 1] == '\n';
    rest_.remove_prefix(end + (pair ? 2 : 1));
  }
  ++next_number_;
  return line;
}

bool Lines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  number_ = next_number_;
  line = physical();
  if (!line.ends_with('\\')) return true;
  joined_.clear();
  while (line.ends_with('\\')) {
    joined_ += line.substr(0, line.size() - 1);
    joined_ += ' ';
    line = rest_.empty() ? std::string_view() : physical();
  }
  joined_ += line;
  line = joined_;
  return true;
}

std::string_view take_word(std::string_view& line) {
  std::size_t begin = 0;
  while (begin < line.size() && is_blank(line[begin])) ++begin;
  if (begin == line.size() || line[begin] == '#') {
    line = {};
    return {};
  }
  std::size_t end = begin;
  while (end < line.size() && !is_blank(line[end])) ++end;
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::string_view take_name(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || is_blank(line[i - 1]))) {
      line = line.substr(0, i);
      break;
    }
  }
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

std::optional<double> as_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size() || word.empty()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool tiny = word.find("e-") != std::string_view::npos || word.find("E-") != std::string_view::npos;
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return error == std::errc{} ? std::optional<double>(value) : std::nullopt;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string result(text.substr(0, kShown));
  for (char& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  if (text.size() > kShown) result += "...";
  return result;
}

}  // namespace simulacra::obj
