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

/// Of a verb that has parts, as `preference` has, and of which none was chosen.
std::string explain_part(const std::string& verb, const Names& parts, const CLI::App& app) {
  const Names extras = app.remaining(true);
  if (extras.empty()) return fmt::format("{}: say which; expected one of {}", verb, joined(parts));
  return fmt::format("{}: there is no '{}';{} expected one of {}", verb, extras.back(), did_you_mean(extras.back(), parts), joined(parts));
}

std::string explain_extra(const CLI::App& verb, const std::string& name_of_verb, const std::string& extra) {
  Names options, places;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_positional()) places.push_back(option->get_name(true));
    else options.push_back(option->get_name());
  }
  if (!extra.starts_with('-') || extra == "-")
    return fmt::format("{}: '{}' is one argument too many; expected {} once", name_of_verb, extra, joined(places));
  const std::string option = extra.substr(0, extra.find('='));
  return fmt::format("{}: no option is called '{}';{} the options are {}", name_of_verb, option,
                     did_you_mean(option, options), joined(options));
}

}  // namespace

std::string explain(const CLI::ParseError& error, const CLI::App& app, int argc, const char* const* argv) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return explain_verb(app, argc, argv);
  const CLI::App* innermost = chosen.front();
  std::string name = innermost->get_name();
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
    name += " " + innermost->get_name();
  }
  const CLI::App& verb = *innermost;
  Names parts;
  for (const CLI::App* part : verb.get_subcommands([](const CLI::App*) { return true; })) parts.push_back(part->get_name());
  if (!parts.empty()) return explain_part(name, parts, app);
  const std::string text = error.what(), option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const Names extras = app.remaining(true);   // last to first
    const auto named = std::find_if(extras.begin(), extras.end(), [](const std::string& e) { return e.starts_with('-'); });
    if (!extras.empty()) return explain_extra(verb, name, named == extras.end() ? extras.back() : *named);
  }
  if (error.get_name() == "RequiredError")
    return fmt::format("{}: {}; see simulacra {} --help", name, text, name);
  if (error.get_name() == "ArgumentMismatch") {
    if (text.find("At Most") != std::string::npos) return fmt::format("{}: given more than once; expected once", option);
    if (text.find("missing") != std::string::npos) return fmt::format("{}: given without a value; expected one", option);
  }
  return text;
}

}  // namespace simulacra::tools
