// SPDX-License-Identifier: Apache-2.0
// Messages for people go to stderr; stdout is for results only.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace simulacra {

enum class LogLevel { debug, info, warning, silent };

void set_log_level(LogLevel lowest_shown);
LogLevel log_level();
void log_line(LogLevel level, std::string_view text);

template <typename... Args>
void log_info(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::info, fmt::format(text, std::forward<Args>(args)...));
}
/// Says what the reader should look at; the program goes on.
template <typename... Args>
void log_warning(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::warning, fmt::format(text, std::forward<Args>(args)...));
}
template <typename... Args>
void log_debug(fmt::format_string<Args...> text, Args&&... args) {
  log_line(LogLevel::debug, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace simulacra
