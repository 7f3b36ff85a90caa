// SPDX-License-Identifier: Apache-2.0
#include "tools/program/program.h"

#include <exception>
#include <iostream>
#include <new>

#include "render/base/cancelled.h"
#include "render/base/error.h"
#include "tools/program/request_errors.h"

namespace simulacra::tools {

int complain(std::string text, int exit_code) {
  // One line, also when a library's message has several.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  std::cerr << "simulacra: " << text << '\n';
  return exit_code;
}

int run_program(std::span<const Verb* const> verbs, std::span<const VerbElsewhere> elsewhere, int argc, char** argv) {
  CLI::App app{"Simulacra: path-traced, labelled data sets of interiors, and what learns from them"};
  app.name("simulacra");
  app.set_version_flag("--version", "simulacra " SIMULACRA_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  for (const Verb* verb : verbs) verb->declare(*app.add_subcommand(verb->name, verb->summary), exit_code);
  for (const VerbElsewhere& verb : elsewhere) app.add_subcommand(verb.name, verb.summary);
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

}  // namespace simulacra::tools
