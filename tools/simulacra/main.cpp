// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "render/base/error.h"
#include "render/session/session.h"
#include "tools/simulacra/request_errors.h"
#include "tools/simulacra/verb.h"

namespace {

using namespace simulacra;
using namespace simulacra::tools;

constexpr std::array kVerbs = {&kGenerateVerb, &kRenderVerb, &kSceneVerb, &kAuditVerb, &kReportVerb};

/// One line, also when a library's message has several.
std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

int complain(const std::string& text, int exit_code) {
  std::cerr << "simulacra: " << one_line(text) << '\n';
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Simulacra: path-traced, labelled data sets of interiors"};
  app.name("simulacra");
  app.set_version_flag("--version", "simulacra " SIMULACRA_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  for (const Verb* verb : kVerbs) verb->declare(*app.add_subcommand(verb->name, verb->summary), exit_code);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return complain(explain(e, app, argc, argv), 2);
  } catch (const UsageError& e) {
    return complain(e.what(), 2);
  } catch (const Cancelled&) {
    return complain("stopped; nothing half-done was left behind", 130);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", 1);
  } catch (const std::exception& e) {
    return complain(e.what(), 1);
  }
}
