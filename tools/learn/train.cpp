// SPDX-License-Identifier: Apache-2.0
#include "learning/train/train.h"

#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "tools/learn/run_request.h"
#include "tools/learn/verbs.h"
#include "tools/program/interrupt.h"

namespace simulacra::tools {
namespace {

void run(const RunRequest& request) {
  learning::TrainOptions options;
  read_run(request, options);
  const Interrupt interrupt;
  StepLine line("train");
  const learning::TrainControl control = control_of(request, interrupt.flag(), line);
  const learning::TrainResult result = with_others([&] { return learning::train(options, control); });
  line.end();
  if (request.dry_run || (control.peers && control.peers->rank() != 0)) return;
  for (const auto& [name, value] : result.scores.scalars()) std::cout << fmt::format("{:<28} {:.4f}\n", name, value);
  std::cout << fmt::format("model: {}\n", (control.out / "model.safetensors").string());
}

void declare(CLI::App& app, int&) {
  const auto request = std::make_shared<RunRequest>();
  declare_run(app, *request);
  app.footer("Stopped by Ctrl-C or killed, the same command goes on and ends with the same weights.\n"
             "Example: simulacra train configs/learning/depth_sigmoid_vit.yaml --data data/rooms --out runs/depth");
  app.callback([request] { run(*request); });
}

}  // namespace

const Verb kTrainVerb{kLearnVerbs[0].name, kLearnVerbs[0].summary, declare};

}  // namespace simulacra::tools
