// SPDX-License-Identifier: Apache-2.0
#include "tools/learn/run_request.h"

#include <chrono>
#include <cstdio>
#include <iostream>

#include <unistd.h>

#include <fmt/format.h>

#include "learning/train/communicator.h"
#include "learning/train/run_folder.h"
#include "tools/program/options.h"

namespace simulacra::tools {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

void declare_run(CLI::App& app, RunRequest& request) {
  app.add_option("CONFIG", request.config, "YAML file, such as those in configs/learning")->required()->check(a_name());
  app.add_option("--data", request.data, "the data set's folder")->check(a_name());
  app.add_option("--out", request.out, "folder of the run; one that holds this run goes on")->check(a_name());
  app.add_option("--set", request.sets, "KEY=VALUE over the file's; may be repeated")->allow_extra_args(false);
  app.add_flag("--dry-run", request.dry_run, "print shapes, parameters, memory and a time forecast; write nothing");
}

StepLine::StepLine(const char* what) : what_(what), terminal_(::isatty(STDERR_FILENO) != 0) {}

void StepLine::operator()(const learning::StepReport& r) {
  const double t = now();
  const bool last = r.step == r.steps;
  if (!last && t - last_ < (terminal_ ? 0.2 : 10)) return;
  last_ = t;
  const std::string text = fmt::format("{} {}/{}  loss {:.4f}  {:.1f} images/s  {} left{}", what_, r.step, r.steps, r.loss, r.images_per_s,
                                       learning::duration_text(r.seconds_left),
                                       r.wait_share > 0.1 ? fmt::format("  ({:.0f} % waiting for data)", 100 * r.wait_share) : std::string());
  if (terminal_) std::fprintf(stderr, "\r\033[K%s", text.c_str());
  else std::fprintf(stderr, "%s\n", text.c_str());
  open_ = terminal_;
}

void StepLine::end() {
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

learning::TrainControl control_of(const RunRequest& request, const std::atomic<bool>* cancel, StepLine& line) {
  learning::TrainControl control;
  control.out = request.out;
  control.dry_run = request.dry_run;
  control.peers = learning::all_processes();
  control.cancel = cancel;
  control.progress = [&line](const learning::StepReport& report) { line(report); };
  control.say = [dry = request.dry_run](const std::string& text) { (dry ? std::cout : std::cerr) << text << '\n'; };
  return control;
}

}  // namespace simulacra::tools
