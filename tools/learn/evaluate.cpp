// SPDX-License-Identifier: Apache-2.0
#include "learning/train/evaluate.h"

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "learning/report/page.h"
#include "learning/train/checkpoint.h"
#include "learning/train/model_files.h"
#include "learning/train/train.h"
#include "render/base/error.h"
#include "render/base/files.h"
#include "tools/learn/verbs.h"
#include "tools/program/options.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

struct Request {
  std::string run, data, page;
  int frames = 8;
  bool json = false;
};

void print_json(const learning::Scores& scores) {
  nlohmann::ordered_json json = {{"frames", scores.frames}, {"seconds", scores.seconds}};
  for (const auto& [name, value] : scores.scalars()) json[name] = std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  if (scores.semantics) {
    nlohmann::ordered_json iou = nlohmann::ordered_json::array();
    for (const double v : scores.semantics->iou) iou.push_back(std::isfinite(v) ? nlohmann::ordered_json(v) : nlohmann::ordered_json());
    json["semantics/iou"] = iou;
  }
  std::cout << json.dump(2) << '\n';
}

/// The frames that the training held back. Throws UsageError when it had other frames than the data set would give it now: what is
/// held back now could be among them.
FrameIndex held_back_frames(const fs::path& model, const learning::TrainOptions& options) {
  learning::TrainFrames frames = learning::frames_of(options.data, options.split);
  const std::string then = learning::trained_on(model);
  if (then.empty()) fail_usage("{}: does not say which frames it was trained on; name the frames to judge it on with --data", model.string());
  if (then != learning::fingerprint(frames.train))
    fail_usage("{}: the data set has changed since the training, so that what is held back now may have been trained on; name the frames to judge it "
               "on with --data",
               options.data);
  return std::move(frames.held_back);
}

void run(const Request& request) {
  check_can_write_page("-o", request.page);
  const fs::path folder = request.run;
  if (!fs::exists(folder / "config.yaml") || !fs::exists(folder / "model.safetensors"))
    fail_usage("RUN: {} is no folder of a finished training: it needs config.yaml and model.safetensors", request.run);
  learning::TrainOptions options;
  config::read(config::parse_file(folder / "config.yaml"), options);
  FrameIndex frames;
  if (request.data.empty()) {
    frames = held_back_frames(folder / "model.safetensors", options);
  } else {
    options.data = request.data;
    frames = scan_frames(request.data);
  }
  nn::Model model = learning::load_trained_model(folder / "model.safetensors", options);
  const learning::Scores scores = learning::evaluate(model, frames, options);
  if (request.json) print_json(scores);
  else for (const auto& [name, value] : scores.scalars()) std::cout << fmt::format("{:<28} {:.4f}\n", name, value);
  if (request.page.empty()) return;
  const auto shown = learning::predict_some(model, frames, options, static_cast<std::size_t>(request.frames));
  write_text_atomically(request.page, learning::evaluation_page({.run = folder, .data = options.data, .scores = scores, .shown = shown}));
  std::cerr << "page: " << request.page << '\n';
}

void declare(CLI::App& app, int&) {
  const auto request = std::make_shared<Request>();
  app.add_option("RUN", request->run, "folder of a training")->required()->check(a_name());
  app.add_option("--data", request->data, "judge on every frame of this data set, instead of those that the training held back")->check(a_name());
  app.add_option("-o,--output", request->page, "HTML page with scores, curves and predictions")->check(a_name());
  app.add_option("--frames", request->frames, "frames that the page shows")->check(whole_number(1, 1000))->capture_default_str();
  app.add_flag("--json", request->json, "print scores as JSON");
  app.footer("Example: simulacra evaluate runs/depth -o depth.html");
  app.callback([request] { run(*request); });
}

}  // namespace

const Verb kEvaluateVerb{kLearnVerbs[2].name, kLearnVerbs[2].summary, declare};

}  // namespace simulacra::tools
