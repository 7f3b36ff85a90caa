// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include "render/session/session.h"
#include "tools/inspector/report/report.h"
#include "tools/inspector/server/server.h"
#include "tools/program/interrupt.h"
#include "tools/program/options.h"
#include "tools/simulacra/inspect_terminal.h"
#include "tools/simulacra/verbs.h"

extern char** environ;

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;

struct Request {
  fs::path root;
  std::vector<fs::path> compare;
  fs::path weights, audit_file, report;
  std::vector<std::string> labels;
  std::size_t frames = 12;
  inspector::ServerOptions server;
  int cache_mib = 192, threads = 0;
  bool open = false, audit = true;
  TerminalRequest terminal;
};

/// Lets the desktop show the page; that there is no desktop is no error.
void open_in_browser(const std::string& url) {
  std::string program = "xdg-open", address = url;
  char* argv[] = {program.data(), address.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawnp(&child, "xdg-open", nullptr, nullptr, argv, environ) != 0)
    std::cerr << "simulacra: there is no xdg-open; open the address in a browser\n";
  else std::thread([child] { ::waitpid(child, nullptr, 0); }).detach();
}

inspector::Sets read_sets(const Request& request) {
  inspector::Sets sets;
  sets.lists.push_back(inspector::list_frames(request.root));
  for (const fs::path& root : request.compare) sets.lists.push_back(inspector::list_frames(root));
  if (!request.weights.empty()) sets.weights = inspector::read_weights(request.weights);
  return sets;
}

/// What was given, or a new one; none where the folder is no whole data set.
std::optional<AuditResult> audit_for_report(const Request& request, const ParallelFor& parallel) {
  if (!request.audit_file.empty()) return inspector::read_audit(request.audit_file);
  if (!request.audit) return std::nullopt;
  AuditOptions options;
  options.parallel = parallel;
  return audit(request.root, options);
}

void write_report_folder(const Request& request) {
  check_can_write("--export", request.report);
  inspector::check_report_folder(request.report);
  const inspector::Sets sets = read_sets(request);
  inspector::ReportRequest what;
  what.frames = request.frames;
  what.labels = request.labels;
  what.parallel = tbb_parallel_for(request.threads);
  const std::optional<AuditResult> judged = audit_for_report(request, what.parallel);
  if (judged) what.audit = &*judged;
  const inspector::ReportSize size = inspector::write_static_report(sets, request.report, what);
  std::cout << fs::absolute(request.report / "index.html").lexically_normal().string() << "\n"
            << size.frames << " of " << sets.lists.front().frames.size() << " frames, " << size.files << " files, " << (size.bytes + 500'000) / 1'000'000
            << " MB\n";
}

void serve(const Request& request) {
  const inspector::Sets sets = read_sets(request);
  const inspector::FrameList& list = sets.lists.front();
  for (const std::string& problem : list.problems) std::cerr << "simulacra: " << problem << '\n';
  std::optional<AuditResult> given;
  if (!request.audit_file.empty()) given = inspector::read_audit(request.audit_file);

  std::atomic<const inspector::Answers*> asked = nullptr;
  const inspector::StatisticsScan statistics(list, [&asked] {
    while (asked && asked.load()->busy() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  std::unique_ptr<inspector::AuditScan> audit;
  if (given) audit = std::make_unique<inspector::AuditScan>(list, std::move(*given));
  else if (request.audit) audit = std::make_unique<inspector::AuditScan>(list);
  inspector::Answers answers(sets, &statistics, audit.get(), static_cast<std::size_t>(request.cache_mib) << 20);
  asked = &answers;
  inspector::Server server(answers, request.server);

  std::cout << list.title << ": " << list.scenes.size() << " scenes, " << list.frames.size() << " frames\n" << server.url() << std::endl;
  if (request.open) open_in_browser(server.url());
  const Interrupt interrupt;
  std::thread watch([&] {
    while (!*interrupt.flag()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    server.stop();
  });
  server.run();
  watch.join();
  asked = nullptr;
}

void declare(CLI::App& app, int& exit_code) {
  const auto request = std::make_shared<Request>();
  app.add_option("DIR", request->root, "the data set, ours or the public one's; a scene's folder will do, and for --pixel, --stats and --picture an HDF5 file")->required()->check(a_name());
  app.add_option("--compare", request->compare, "another data set, or predictions in the same layout, to compare with (may be repeated)")
      ->check(a_name())
      ->allow_extra_args(false);
  app.add_option("--weights", request->weights, "a CSV table of scene_name, camera_name, frame_id and weight, to filter and sort by")->check(a_name());
  app.add_option("--audit", request->audit_file, "what `simulacra audit --json` printed, instead of a new audit in the background")->check(a_name());
  app.add_flag("!--no-audit", request->audit, "make no audit");
  app.add_option("--host", request->server.host, "the address to listen at; others than this computer can see the data set through another")
      ->check(a_name())
      ->capture_default_str();
  app.add_option("--port", request->server.port, "the port; 0 = 8123, or a free one where that is taken")->check(whole_number(0, 65535))->capture_default_str();
  app.add_flag("--open", request->open, "open the page in a browser");
  app.add_option("--cache-mib", request->cache_mib, "memory for pictures that are kept")->check(whole_number(1, 65536))->capture_default_str();
  app.add_option("--export", request->report, "instead of serving, write a folder that file:// or a static host shows, for a sample of frames")->check(a_name());
  app.add_option("--frames", request->frames, "frames of the sample")->check(whole_number(1, 100'000))->capture_default_str();
  app.add_option("--labels", request->labels, "labels of the sample, comma-separated; all unless given")->delimiter(',')->allow_extra_args(false);
  app.add_option("--threads", request->threads, "of --export and --stats; 0 = all cores")->check(whole_number(0, 1024))->capture_default_str();
  declare_terminal_options(app, request->terminal);
  app.footer("Prints the page's address and serves until it is stopped (Ctrl-C). Over SSH: ssh -L 8123:127.0.0.1:8123 HOST, then open the\n"
             "printed address here. Nothing of the data set is changed.\n"
             "Example: simulacra inspect out/rooms\n"
             "         simulacra inspect out/rooms --export rooms_page --frames 8\n"
             "         simulacra inspect out/rooms --pixel 120,80 --frame ai_900_001/cam_00/0003");
  app.callback([request, &exit_code] {
    exit_code = 0;
    if (request->terminal.asked_for()) exit_code = inspect_in_terminal(request->root, request->terminal, request->threads);
    else if (request->report.empty()) serve(*request);
    else write_report_folder(*request);
  });
}

}  // namespace

const Verb kInspectVerb{"inspect", "see every label of every frame in a browser, with the values under the cursor", declare};

}  // namespace simulacra::tools
