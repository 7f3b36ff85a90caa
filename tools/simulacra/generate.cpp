// SPDX-License-Identifier: Apache-2.0
// simulacra generate: a data set in Hypersim layout from a configuration, a scene file, or generated rooms.
#include <iostream>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "dataset/generate/generate.h"
#include "render/base/error.h"
#include "render/base/log.h"
#include "tools/program/interrupt.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

constexpr int kInterrupted = 130;   // as shells report a program that SIGINT ended

struct Request {
  std::string input, out;
  std::optional<std::string> size, scenes, cameras, frames, spp, seed;
  std::vector<std::string> settings;   ///< of --set
  int threads = 0;
  bool strict = false, json = false;
};

/// Options are short names of configuration keys; they stand above the file and below --set.
std::vector<Assignment> assignments_of(const Request& r) {
  std::vector<Assignment> all;
  const auto add = [&](const char* option, const char* key, const std::optional<std::string>& value) {
    if (!value) return;
    if (value->empty() || value->find_first_not_of("0123456789") != std::string::npos)
      fail_usage("{}: '{}' is no whole number from 0 on", option, *value);
    all.emplace_back(fmt::format("{}={}", key, *value), fmt::format("{} {}", option, *value));
  };
  add("--scenes", "dataset.scenes", r.scenes);
  add("--cameras", "cameras.count", r.cameras);
  add("--frames", "cameras.frames", r.frames);
  add("--spp", "render.spp", r.spp);
  add("--seed", "seed", r.seed);
  if (r.size) {
    const Size size = parse_size("--size", *r.size);
    all.emplace_back(fmt::format("dataset.width={}", size.width), fmt::format("--size {}", *r.size));
    all.emplace_back(fmt::format("dataset.height={}", size.height), fmt::format("--size {}", *r.size));
  }
  all.insert(all.end(), r.settings.begin(), r.settings.end());
  return all;
}

void print_json(const Request& r, const GenerateResult& result) {
  nlohmann::ordered_json out;
  out["root"] = r.out;
  out["scenes"] = result.scenes;
  out["frames"] = result.frames;
  out["rendered"] = result.rendered;
  out["kept"] = result.kept;
  out["complete"] = !result.cancelled;
  out["max_identity_error_steps"] = result.identity_error_steps;
  out["seconds"] = result.seconds;
  std::cout << out.dump(1) << '\n';
}

int run(const Request& r) {
  const GenerateRequest request = read_generate_request(r.input, assignments_of(r));
  check_can_write("--out", r.out);
  const Interrupt interrupt;
  ProgressLine progress(r.out);
  GenerateRun options;
  options.root = r.out;
  options.threads = r.threads;
  options.strict = r.strict;
  options.version = SIMULACRA_VERSION;
  options.progress = [&](double share) { progress.update(share); };
  options.say = [&](const std::string& line) {
    progress.done();
    log_info("{}", line);
  };
  options.cancel = interrupt.flag();
  const GenerateResult result = generate(request, options);
  progress.done();
  if (r.json) print_json(r, result);
  const int done = result.rendered + result.kept;
  if (result.cancelled) {
    log_info("stopped: {} of {} frames are complete in {}; the same command goes on from there", done, result.frames, r.out);
    return kInterrupted;
  }
  log_info("{}: {} frames of {} scenes, {} rendered now, {} kept, {:.1f} s", r.out, result.frames, result.scenes,
           result.rendered, result.kept, result.seconds);
  return 0;
}

void declare(CLI::App& app, int& exit_code) {
  auto r = std::make_shared<Request>();
  app.add_option("INPUT", r->input, "a configuration (.yaml), a scene file, or the word rooms")->required()->check(a_name());
  app.add_option("--out", r->out, "folder of the data set: new, or one that this command began")->required()->check(a_name());
  app.add_option("--scenes", r->scenes, "how many rooms (default 1)");
  app.add_option("--cameras", r->cameras, "cameras per scene (default 1)");
  app.add_option("--frames", r->frames, "frames per camera (default 10)");
  app.add_option("--size", r->size, "WIDTHxHEIGHT in pixels (default 1024x768)");
  app.add_option("--spp", r->spp, "samples a pixel (default 64)");
  app.add_option("--seed", r->seed, "of rooms, views and samples (default 0)");
  app.add_option("--threads", r->threads, "0 = all cores; the data do not depend on it")->check(whole_number(0, 1024));
  app.add_option("--set", r->settings, "key=value: any configuration key, such as cameras.from=sampler (may be repeated)")
      ->take_all()
      ->allow_extra_args(false);
  app.add_flag("--strict", r->strict, "an import warning is an error");
  app.add_flag("--json", r->json, "print a summary to stdout");
  app.footer("Example:\n  simulacra generate rooms --out data/rooms --scenes 3 --frames 20 --seed 1\n"
             "A run that was stopped or killed is completed by the same command.");
  app.callback([r, &exit_code] { exit_code = run(*r); });
}

}  // namespace

const Verb kGenerateVerb{"generate", "make a labelled data set in Hypersim layout", declare};

}  // namespace simulacra::tools
