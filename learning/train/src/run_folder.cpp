// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/run_folder.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "render/base/error.h"

namespace simulacra::learning {
namespace {

namespace fs = std::filesystem;

double now_seconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) fail("{}: cannot be read", path.string());
  return out.str();
}

std::string trimmed(const std::string& line) {
  const auto first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

}  // namespace

RunFolder::RunFolder(fs::path out, const std::string& config, bool first_rank) : out_(std::move(out)), active_(first_rank) {
  if (!active_) return;
  if (out_.empty()) fail_usage("--out: give the folder of the run");
  if (fs::exists(out_) && !fs::is_directory(out_)) fail_usage("--out: {} is a file; give a folder", out_.string());
  const fs::path file = out_ / "config.yaml";
  take(file);
  const std::string there = text_of(file);
  if (!there.empty() && there != config)
    fail_usage("--out: {} holds another run ({}); give another folder, or the same options", out_.string(), first_difference(there, config));
  if (!there.empty()) return;
  std::ofstream text(file);
  text << config << std::flush;
  if (text) return;
  fs::remove(file);
  fail("{}: cannot be written: is the disk full?", file.string());
}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

/// Opens the file, which may be new and empty then, and locks it.
void RunFolder::take(const fs::path& file) {
  std::error_code error;
  fs::create_directories(out_, error);
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0) fail_usage("--out: {} cannot be written: {}", out_.string(), std::strerror(errno));
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const bool taken = errno == EWOULDBLOCK;  // else the file system has no locks
  if (!taken) return;
  ::close(std::exchange(lock_, -1));
  fail("--out: another process is writing the run in {}", out_.string());
}

std::string settled_path(const std::string& path) {
  if (path.empty()) return path;
  const fs::path settled = fs::absolute(path).lexically_normal();
  return (settled.has_filename() ? settled : settled.parent_path()).string();
}

void RunFolder::open_curves(std::int64_t first_step) {
  if (active_) log_.emplace(out_, first_step, now_seconds());
}

void RunFolder::add(std::int64_t step, const NamedScalars& scalars) {
  if (log_) log_->add(step, scalars, now_seconds());
}

std::string first_difference(const std::string& there, const std::string& here) {
  std::istringstream a(there), b(here);
  std::string x, y;
  while (true) {
    const bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "nothing";
    if (!more_a || !more_b || x != y)
      return fmt::format("'{}' there, '{}' here", more_a ? trimmed(x) : "nothing", more_b ? trimmed(y) : "nothing");
  }
}

std::string effective_precision(const std::string& asked) {
  if (asked != "auto") return asked;
  __builtin_cpu_init();
  return __builtin_cpu_supports("amx-bf16") ? "bfloat16" : "float32";
}

std::string reason_of_precision(const std::string& chosen) {
  return chosen == "bfloat16" ? " (the processor multiplies bfloat16 in tiles)"
                              : " (the processor has no tile instructions for bfloat16, which would be far slower)";
}

double peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  const auto s = static_cast<std::int64_t>(std::llround(seconds));
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

}  // namespace simulacra::learning
