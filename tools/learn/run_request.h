// SPDX-License-Identifier: Apache-2.0
// What `train` and `pretrain` share on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "learning/train/communicator.h"
#include "learning/train/train.h"
#include "render/base/cancelled.h"
#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::tools {

struct RunRequest {
  std::string config, data, out;
  std::vector<std::string> sets;
  bool dry_run = false;
};

/// CONFIG, --data, --out, --set, --dry-run.
void declare_run(CLI::App& app, RunRequest& request);

/// The configuration file with --set and --data on top; `options` is what it fills.
template <typename Options>
void read_run(const RunRequest& request, Options& options) {
  config::Node tree = config::parse_file(request.config);
  for (const std::string& set : request.sets) config::apply_set(tree, set);
  config::read(tree, options);
  if (!request.data.empty()) options.data = request.data;
}

/// A line with loss, speed and time left: in place on a terminal, every ten seconds elsewhere. On stderr.
class StepLine {
 public:
  explicit StepLine(const char* what);
  void operator()(const learning::StepReport& report);
  void end();

 private:
  const char* what_;
  bool terminal_, open_ = false;
  double last_ = -1e9;
};

/// work(), one process's part of what several do together. When it fails here, the others do not wait for it: all end.
template <typename Work>
auto with_others(Work work) {
  try {
    return work();
  } catch (const UsageError&) {
    learning::end_all_at_exit(2);
    throw;
  } catch (const Cancelled&) {
    throw;
  } catch (...) {
    learning::end_all_at_exit(1);
    throw;
  }
}

/// With the folder, other processes, the signal flag, and lines on stderr.
learning::TrainControl control_of(const RunRequest& request, const std::atomic<bool>* cancel, StepLine& line);

}  // namespace simulacra::tools
