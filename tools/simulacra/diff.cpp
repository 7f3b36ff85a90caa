// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "render/base/error.h"
#include "render/session/session.h"
#include "tools/inspector/compare/compare.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

struct Request {
  fs::path a, b;
  std::vector<std::string> tolerances;
  inspector::CompareOptions options;
  std::size_t max_list = 10;
  int threads = 0;
  bool json = false;
};

inspector::SetComparison compare(const Request& request) {
  for (const fs::path& path : {request.a, request.b})
    if (!fs::exists(path)) fail_usage("{}: no such file or folder", path.string());
  if (fs::is_directory(request.a) != fs::is_directory(request.b))
    fail_usage("{} and {}: one is a folder and the other a file; expected two data sets or two HDF5 files", request.a.string(), request.b.string());
  if (fs::is_directory(request.a)) return inspector::compare_sets(inspector::list_frames(request.a), inspector::list_frames(request.b), request.options);
  if (!request.options.frame.empty()) fail_usage("--frame: given, but {} is a file", request.a.string());
  const std::string label = request.options.labels.size() == 1 ? request.options.labels.front() : "";
  return inspector::compare_files(request.a, request.b, request.options, label);
}

void declare(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  app.add_option("A", request->a, "a data set, or an HDF5 file with one image")->required()->check(a_name());
  app.add_option("B", request->b, "what it is compared with")->required()->check(a_name());
  app.add_option("--tolerance", request->tolerances,
                 "LABEL=ABSOLUTE or LABEL=ABSOLUTE,RELATIVE: values may differ by absolute + relative x the larger (may be repeated). Without it ids\n"
                 "must be equal, and other values may differ by two steps of a 16-bit float")
      ->allow_extra_args(false);
  app.add_option("--labels", request->options.labels, "only these labels, comma-separated")->delimiter(',')->allow_extra_args(false);
  app.add_option("--frame", request->options.frame, "only this frame: SCENE/CAMERA/NUMBER")->check(a_name());
  app.add_option("--max-list", request->max_list, "frames and files to list of each kind")->check(whole_number(0, 1'000'000'000))->capture_default_str();
  app.add_option("--threads", request->threads, "0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  app.add_flag("--json", request->json, "print everything as JSON");
  app.footer("Frames are paired by scene, camera and number. NaN equals NaN.\n"
             "Exit code: 0 they agree, 1 they differ, 2 the request was wrong.\n"
             "Example: simulacra diff out/rooms out/rooms_again --tolerance color=0.01,0.02");
  app.callback([request, &exit_code] {
    for (const std::string& text : request->tolerances) {
      const auto [label, tolerance] = inspector::parse_tolerance(text);
      request->options.tolerances.insert_or_assign(label, tolerance);
    }
    request->options.parallel = tbb_parallel_for(request->threads);
    const inspector::SetComparison result = compare(*request);
    std::cout << (request->json ? inspector::comparison_json(result) : inspector::comparison_text(result, request->max_list));
    exit_code = result.agree() ? 0 : 1;
  });
}

}  // namespace

const Verb kDiffVerb{"diff", "compare two data sets, or two files, label by label", declare};

}  // namespace simulacra::tools
