// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/run_folder.h"

#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>

#include <sys/resource.h>

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
  if (fs::exists(file)) {
    const std::string there = text_of(file);
    if (there != config)
      fail_usage("--out: {} holds another run ({}); give another folder, or the same options", out_.string(), first_difference(there, config));
    return;
  }
  std::error_code error;
  fs::create_directories(out_, error);
  std::ofstream(file) << config;
  if (error || !fs::exists(file)) fail_usage("--out: {} cannot be written", out_.string());
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
