// SPDX-License-Identifier: Apache-2.0
#include "tools/program/interrupt.h"

#include <csignal>
#include <cstdio>
#include <unistd.h>

#include <fmt/core.h>

#include "render/base/log.h"

namespace simulacra::tools {
namespace {

std::atomic<bool> g_interrupted{false};

extern "C" void on_signal(int number) {
  g_interrupted = true;
  std::signal(number, SIG_DFL);  // the next one is final
}

std::string duration(double seconds) {
  const int s = static_cast<int>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace

Interrupt::Interrupt() {
  g_interrupted = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>* Interrupt::flag() const { return &g_interrupted; }

ProgressLine::ProgressLine(std::string what)
    : what_(std::move(what)), terminal_(isatty(STDERR_FILENO) != 0), start_(Clock::now()), last_(start_) {}

void ProgressLine::update(double share) {
  const auto now = Clock::now();
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10000);
  if (now - last_ < pause || share <= 0) return;
  last_ = now;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const std::string left = duration(spent / share - spent);
  if (terminal_) {
    const int full = static_cast<int>(share * 30);
    std::fputs(fmt::format("\r{} [{:#<{}}{:.<{}}] {:3.0f} %, {} left  ", what_, "", full, "", 30 - full, 100 * share, left).c_str(), stderr);
  } else {
    log_info("{}: {:.0f} %, {} left", what_, 100 * share, left);
  }
}

void ProgressLine::done() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

}  // namespace simulacra::tools
