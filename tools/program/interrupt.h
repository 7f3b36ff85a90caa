// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace simulacra::tools {

/// While it lives, SIGINT and SIGTERM raise a flag instead of ending the program; a second one ends it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  const std::atomic<bool>* flag() const;
};

/// A bar with time left on a terminal, a plain line every ten seconds elsewhere. On stderr.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  void update(double share);
  void done();

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool terminal_;
  Clock::time_point start_, last_;
};

}  // namespace simulacra::tools
