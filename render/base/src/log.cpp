// SPDX-License-Identifier: Apache-2.0
#include "render/base/log.h"

#include <atomic>
#include <cstdio>
#include <string>

namespace simulacra {
namespace {
std::atomic<LogLevel> g_lowest{LogLevel::info};
}

void set_log_level(LogLevel lowest_shown) { g_lowest = lowest_shown; }
LogLevel log_level() { return g_lowest; }

void log_line(LogLevel level, std::string_view text) {
  if (level < g_lowest.load()) return;
  // One write call a line, so that lines of several threads do not mix.
  std::string line;
  if (level == LogLevel::warning) line += "warning: ";
  line += text;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace simulacra
