// SPDX-License-Identifier: Apache-2.0
#include "tools/program/request_errors.h"

#include <algorithm>

#include <fmt/format.h>
#include <vector>

#include "render/config/config.h"

namespace simulacra::tools {
namespace {

using Names = std::vector<std::string>;

std::string joined(const Names& names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string did_you_mean(const std::string& name, const Names& known) {
  const std::string nearest = config::nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format(" did you mean '{}'?", nearest);
}

std::string explain_verb(const CLI::App& app, int argc, const char* const* argv) {
  Names verbs;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) verbs.push_back(verb->get_name());
  if (argc < 2) return fmt::format("no verb; the verbs are {} (simulacra VERB --help tells more)", joined(verbs));
  const std::string name = argv[1];
  return fmt::format("no verb is called '{}';{} the verbs are {}", name, did_you_mean(name, verbs), joined(verbs));
}

std::string explain_extra(const CLI::App& verb, const std::string& extra) {
  Names options, places;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) places.push_back(option->get_name(true));
    else options.push_back(option->get_name());
  }
  if (!extra.starts_with('-') || extra == "-")
    return fmt::format("{}: '{}' is one argument too many; expected {} once", verb.get_name(), extra, joined(places));
  const std::string name = extra.substr(0, extra.find('='));
  return fmt::format("{}: no option is called '{}';{} the options are {}", verb.get_name(), name,
                     did_you_mean(name, options), joined(options));
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return explain_verb(app, argc, argv);
  const CLI::App& verb = *chosen.front();
  const std::string text = error.what(), option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const Names extras = app.remaining(true);   // last to first
    const auto named = std::find_if(extras.begin(), extras.end(), [](const std::string& e) { return e.starts_with('-'); });
    if (!extras.empty()) return explain_extra(verb, named == extras.end() ? extras.back() : *named);
  }
  if (error.get_name() == "RequiredError")
    return fmt::format("{}: {}; see simulacra {} --help", verb.get_name(), text, verb.get_name());
  if (error.get_name() == "ArgumentMismatch") {
    if (text.find("At Most") != std::string::npos) return fmt::format("{}: given more than once; expected once", option);
    if (text.find("missing") != std::string::npos) return fmt::format("{}: given without a value; expected one", option);
  }
  return text;
}

}  // namespace simulacra::tools
