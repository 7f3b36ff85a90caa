// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/refinery.h"

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "tools/learn/run_request.h"
#include "tools/learn/verbs.h"
#include "tools/program/interrupt.h"
#include "tools/program/options.h"

namespace simulacra::tools {
namespace {

struct Request {
  std::string config, data, real, out, run;
  std::vector<std::string> sets;
  bool json = false;
};

sim2real::RefineOptions options_of(const Request& request) {
  config::Node tree = config::parse_file(request.config);
  for (const std::string& set : request.sets) config::apply_set(tree, set);
  sim2real::RefineOptions options;
  config::read(tree, options);
  if (!request.data.empty()) options.data = request.data;
  if (!request.real.empty()) options.real = request.real;
  return options;
}

void print(const sim2real::RefineResult& result, const std::string& out) {
  std::cout << fmt::format("frames                       {}\n", result.frames);
  for (const auto& [name, value] : result.drift.scalars()) std::cout << fmt::format("{:<28} {:.3f}\n", name, value);
  if (result.train_images_per_s > 0) std::cout << fmt::format("trained                      {:.1f} images/s\n", result.train_images_per_s);
  std::cout << fmt::format("written                      {:.1f} images/s\nrefined: {}\npage: {}\n", result.write_images_per_s, out, result.page.string());
}

void print_json(const sim2real::RefineResult& result, const std::string& out) {
  nlohmann::ordered_json json = {{"refined", out}, {"run", result.run.string()}, {"page", result.page.string()}, {"frames", result.frames},
                                 {"weights_sha256", result.weights_sha256}, {"train_images_per_s", result.train_images_per_s}, {"write_images_per_s", result.write_images_per_s}};
  for (const auto& [name, value] : result.drift.scalars()) json[name] = value;
  std::cout << json.dump(2) << '\n';
}

void run(const Request& request) {
  if (request.out.empty()) fail_usage("--out: give a folder for the refined copy");
  const sim2real::RefineOptions options = options_of(request);
  const Interrupt interrupt;
  StepLine line("refine");
  sim2real::RefineControl control;
  control.out = request.out, control.run = request.run, control.version = SIMULACRA_VERSION;
  control.cancel = interrupt.flag();
  control.progress = [&line](const learning::StepReport& report) { line(report); };
  control.say = [](const std::string& text) { std::cerr << text << '\n'; };
  const sim2real::RefineResult result = [&] {
    try {
      return sim2real::refine(options, control);
    } catch (...) {
      line.end();
      throw;
    }
  }();
  line.end();
  if (request.json) print_json(result, request.out);
  else print(result, request.out);
}

void declare(CLI::App& app, int&) {
  const auto request = std::make_shared<Request>();
  app.add_option("CONFIG", request->config, "YAML file, such as those in configs/sim2real")->required()->check(a_name());
  app.add_option("--data", request->data, "the synthetic data set's folder")->check(a_name());
  app.add_option("--real", request->real, "folder of unlabelled real pictures, or of another data set")->check(a_name());
  app.add_option("--out", request->out, "folder of the refined copy; must not be there")->check(a_name());
  app.add_option("--run", request->run, "folder of the training, with curves, checkpoints and page; by default OUT.run")->check(a_name());
  app.add_option("--set", request->sets, "KEY=VALUE over the file's; may be repeated")->allow_extra_args(false);
  app.add_flag("--json", request->json, "print the result as JSON");
  app.footer("Stopped by Ctrl-C or killed, the same command goes on and ends with the same bytes. Exit code 1 and one line when labels moved.\n"
             "Example: simulacra refine configs/sim2real/refine_frame.yaml --data data/rooms --real photos --out data/rooms_refined");
  app.callback([request] { run(*request); });
}

}  // namespace

const Verb kRefineVerb{kRefineElsewhere.name, kRefineElsewhere.summary, declare};

}  // namespace simulacra::tools
