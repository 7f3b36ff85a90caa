// SPDX-License-Identifier: Apache-2.0
#include "dataset/audit/audit.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "render/session/session.h"
#include "tools/inspector/report/report.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

struct Request {
  std::string root;
  AuditOptions options;
  int threads = 0;
  std::size_t max_list = 10;
  bool json = false;
  std::filesystem::path html;
};

/// The inspector's page of the frames with findings and some others, which starts with the list of findings.
void write_page(const Request& request, const AuditResult& result) {
  inspector::Sets sets;
  sets.lists.push_back(inspector::list_frames(request.root));
  inspector::ReportRequest what;
  what.audit = &result;
  what.parallel = request.options.parallel;
  what.start = "t=audit";
  inspector::write_static_report(sets, request.html, what);
  std::cerr << std::filesystem::absolute(request.html / "index.html").lexically_normal().string() << '\n';
}

void declare(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  app.add_option("DIR", request->root, "the data set: a folder of scenes, or one with a folder `scenes`")
      ->required()
      ->check(a_name());
  app.add_flag("--json", request->json, "print everything as JSON, every failure included");
  app.add_option("--kinds", request->options.kinds, "judge only these image kinds and groups, comma-separated: " + [] {
        std::string list;
        for (const std::string& kind : audit_kinds()) list += kind + ", ";
        return list + "all";
      }())->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--skip", request->options.skip, "checks or families not to make, comma-separated: F15, F13.canonical")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--scene", request->options.scenes, "only scenes of this name (* and ? allowed; may be repeated)")
      ->allow_extra_args(false);
  app.add_flag("--complete", request->options.complete, "demand 1024x768, boxes and tonemap.jpg too");
  app.add_option("--threads", request->threads, "0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  app.add_option("--max-list", request->max_list, "failures to print of each check")
      ->check(whole_number(0, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--html", request->html, "also write a folder with a page that shows each finding at its pixel (12 frames, those with findings first)")
      ->check(a_name());
  app.footer("Exit code: 0 all checks hold, 1 one fails or the set is incomplete, 2 the request was wrong.\n"
             "Example: simulacra audit out/rooms --skip F15");
  app.callback([request, &exit_code] {
    request->options.parallel = tbb_parallel_for(request->threads);
    if (!request->html.empty()) check_can_write("--html", request->html), inspector::check_report_folder(request->html);
    const AuditResult result = audit(request->root, request->options);
    std::cout << (request->json ? audit_as_json(result) : audit_as_text(result, request->max_list));
    if (!request->html.empty()) write_page(*request, result);
    exit_code = result.ok() ? 0 : 1;
  });
}

}  // namespace

const Verb kAuditVerb{"audit", "judge a data set in Hypersim layout: one line a check", declare};

}  // namespace simulacra::tools
