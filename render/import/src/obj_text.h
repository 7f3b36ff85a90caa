// SPDX-License-Identifier: Apache-2.0
// OBJ and MTL are line-based text: lines, words and numbers of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace simulacra::obj {

/// The file as UTF-8 or bytes close to it: a byte order mark is dropped, UTF-16 with a mark is converted.
/// Throws UsageError when it cannot be read.
std::string read_obj_text(const std::filesystem::path& file);

/// Logical lines: ended by LF, CR LF or CR; a backslash before the end joins the next line.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  /// False at the end. `line` is valid until the next call.
  bool next(std::string_view& line);
  /// Number, from 1, of the physical line at which the last logical line began.
  int number() const { return number_; }

 private:
  std::string_view physical();

  std::string_view rest_;
  std::string joined_;
  int number_ = 0, next_number_ = 1;
};

/// Takes the next word off the front of `line`; empty at the end or at a comment.
std::string_view take_word(std::string_view& line);

/// What is left of the line as one name: without surrounding blanks and without a comment after a blank.
std::string_view take_name(std::string_view line);

/// The whole word as a number, which may be NaN or infinite; nothing when it is none. Numbers too small
/// or too large for double become 0 or infinite.
std::optional<double> as_number(std::string_view word);

/// At most 60 characters, without control characters, for messages.
std::string shown(std::string_view text);

}  // namespace simulacra::obj
