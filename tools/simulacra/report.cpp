// SPDX-License-Identifier: Apache-2.0
#include "dataset/report/report.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "render/session/session.h"
#include "tools/program/options.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

struct Request {
  std::filesystem::path root, out;
  int threads = 0;
  bool audit = true;
};

void declare(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  app.add_option("DIR", request->root, "the data set")->required()->check(a_name());
  app.add_option("-o,--output", request->out, "the page to write; DIR/report.html unless given")->check(a_name());
  app.add_flag("!--no-audit", request->audit, "leave the audit's result out");
  app.add_option("--threads", request->threads, "0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  app.footer("Example: simulacra report out/rooms -o rooms.html");
  app.callback([request, &exit_code] {
    const std::filesystem::path out = request->out.empty() ? request->root / "report.html" : request->out;
    if (std::filesystem::is_directory(request->root)) check_can_write(request->out.empty() ? "DIR" : "-o", out);
    ReportOptions options;
    options.parallel = tbb_parallel_for(request->threads);
    AuditOptions checks;
    checks.parallel = options.parallel;
    if (request->audit) options.audit = audit(request->root, checks);
    write_report(request->root, out, options);
    std::cout << std::filesystem::absolute(out).lexically_normal().string() << '\n';
    exit_code = 0;
  });
}

}  // namespace

const Verb kReportVerb{"report", "write an HTML page that shows every modality of every frame", declare};

}  // namespace simulacra::tools
