// SPDX-License-Identifier: Apache-2.0
#include "learning/train/pretrain.h"

#include <iostream>
#include <memory>

#include <fmt/format.h>

#include "tools/learn/run_request.h"
#include "tools/learn/verbs.h"
#include "tools/program/interrupt.h"

namespace simulacra::tools {
namespace {

void run(const RunRequest& request) {
  learning::PretrainOptions options;
  read_run(request, options);
  const Interrupt interrupt;
  StepLine line("pretrain");
  const learning::TrainControl control = control_of(request, interrupt.flag(), line);
  const learning::PretrainResult result = with_others([&] { return learning::pretrain(options, control); });
  line.end();
  if (request.dry_run || (control.peers && control.peers->rank() != 0)) return;
  std::cout << fmt::format("loss                         {:.4f}\nnearest view is right        {:.1f} %\nencoder: {}\n", result.loss,
                           100 * result.share_right, (control.out / "encoder.safetensors").string());
}

void declare(CLI::App& app, int&) {
  const auto request = std::make_shared<RunRequest>();
  declare_run(app, *request);
  app.footer("Then: simulacra train CONFIG … --set run.start_from=OUT/encoder.safetensors\n"
             "Example: simulacra pretrain configs/learning/poly_view.yaml --data data/rooms --out runs/poly_view");
  app.callback([request] { run(*request); });
}

}  // namespace

const Verb kPretrainVerb{kLearnVerbs[1].name, kLearnVerbs[1].summary, declare};

}  // namespace simulacra::tools
