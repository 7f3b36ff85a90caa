// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "render/base/error.h"
#include "render/base/files.h"
#include "sim2real/preference/analysis.h"
#include "sim2real/preference/config.h"
#include "sim2real/preference/simulate.h"
#include "sim2real/preference/statistics.h"
#include "sim2real/preference/style.h"
#include "tools/program/options.h"
#include "tools/simulacra/study_pictures.h"
#include "tools/simulacra/verbs.h"

namespace simulacra::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

preference::Study read_study(const std::string& file) {
  return as_request([&] {
    const json parsed = json::parse(read_text_file(file), nullptr, /*allow_exceptions=*/false);
    if (parsed.is_discarded()) fail("{}: no study; expected the .json file that stands beside the page", file);
    try {
      return preference::study_from_json(parsed);
    } catch (const Error& e) {
      fail("{}: {}", file, e.what());
    }
  });
}

// ---------------------------------------------------------------- make

struct Make {
  std::string config, page;
  std::vector<std::string> sets;
};

void make(const Make& request) {
  check_can_write_page("-o", request.page);
  config::Node tree = config::parse_file(request.config);
  for (const std::string& set : request.sets) config::apply_set(tree, set);
  const preference::StudyConfig config = preference::study_config_from(tree, fs::path(request.config).parent_path());
  std::vector<preference::Item> items = picture_items(config);
  for (preference::Item& item : preference::text_items(config)) items.push_back(std::move(item));
  const preference::Study study = as_request([&] {
    try {
      return preference::make_study(config.options, std::move(items));
    } catch (const Error& e) {
      fail("{}: {}", request.config, e.what());
    }
  });
  const fs::path key = fs::path(request.page).replace_extension(".json");
  // A condition or a text may hold bytes that are no UTF-8.
  write_text_atomically(key, preference::study_json(study).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
  write_text_atomically(request.page, preference::study_page(study));
  std::cout << fmt::format("page for participants: {}\nkey, for the analysis and nobody else: {}\n{} participants (p01 to {}), {} trials each\n", request.page, key.string(),
                           study.sessions.size(), study.sessions.back().participant, study.sessions.front().trials.size());
}

void declare_make(CLI::App& app) {
  const auto request = std::make_shared<Make>();
  app.add_option("CONFIG", request->config, "YAML file, such as configs/sim2real/preference_turing.yaml")->required()->check(a_name());
  app.add_option("-o,--output", request->page, "the page; the study's key goes beside it as .json")->required()->check(a_name());
  app.add_option("--set", request->sets, "KEY=VALUE over the file's; may be repeated")->allow_extra_args(false);
  app.footer("Participants open the page (study.html?participant=p07), and send what it saves.\n"
             "Example: simulacra preference make configs/sim2real/preference_turing.yaml -o study.html");
  app.callback([request] { make(*request); });
}

// ---------------------------------------------------------------- analyse, style

struct Analyse {
  std::string study, page;
  std::vector<std::string> answers;
  preference::AnalysisOptions options;
  int permutations = 199;
  std::uint64_t seed = 1;
  bool json_out = false;
};

std::vector<preference::ResponseFile> read_answers(const std::vector<std::string>& names) {
  std::vector<preference::ResponseFile> files;
  for (const std::string& name : names) files.push_back({name, as_request([&] { return read_text_file(name); })});
  return files;
}

void print(const Analyse& request, const json& report) {
  if (!request.page.empty()) {
    write_text_atomically(request.page, preference::report_page(report));
    std::cerr << "page: " << request.page << '\n';
  }
  std::cout << (request.json_out ? report.dump(2) + "\n" : preference::report_markdown(report));
}

void analyse(const Analyse& request) {
  check_can_write_page("-o", request.page);
  const preference::Study study = read_study(request.study);
  print(request, as_request([&] { return preference::analyse(study, read_answers(request.answers), request.options); }));
}

void style(const Analyse& request) {
  check_can_write_page("-o", request.page);
  const preference::Study study = read_study(request.study);
  const auto files = read_answers(request.answers);
  print(request, as_request([&] {
    json report = preference::analyse(study, files, request.options);
    std::vector<preference::Exclusion> excluded;
    const auto people = preference::respondents_of(study, preference::read_responses(study, files, request.options, excluded));
    report["style"] = preference::style_json(preference::analyse_style_study(people, {}, request.permutations, request.seed));
    return report;
  }));
}

void declare_analysis(CLI::App& app, Analyse& r) {
  app.add_option("STUDY", r.study, "the study's key, the .json file beside its page")->required()->check(a_name());
  app.add_option("ANSWERS", r.answers, "files that the page saved (JSON), of one or several participants each")->required()->check(a_name());
  app.add_option("-o,--output", r.page, "HTML page")->check(a_name());
  app.add_flag("--json", r.json_out, "print everything as JSON");
  app.add_option("--most-failed-checks", r.options.most_failed_checks, "a participant with more is left out")->check(whole_number(0, 1000))->capture_default_str();
  app.add_option("--least-share", r.options.least_share, "of the trials that a participant must have answered")->check(number(0, 1))->capture_default_str();
  app.add_option("--least-seconds", r.options.least_median_seconds, "a participant with a shorter median is left out")->check(number(0, 1e6))->capture_default_str();
}

void declare_analyse(CLI::App& app) {
  const auto request = std::make_shared<Analyse>();
  declare_analysis(app, *request);
  app.add_option("--margin", request->options.equivalence_margin, "of \"no difference\": the rate within this of 1/2")->check(number(0.001, 0.5))->capture_default_str();
  app.add_option("--rate", request->options.planned_rate, "whose power is told")->check(number(0.5, 0.999))->capture_default_str();
  app.footer("Fix the rules that leave people out before you look at the answers.\n"
             "Example: simulacra preference analyse study.json answers/*.jsonl -o result.html");
  app.callback([request] { analyse(*request); });
}

void declare_style(CLI::App& app) {
  const auto request = std::make_shared<Analyse>();
  declare_analysis(app, *request);
  app.add_option("--permutations", request->permutations, "shuffles of the labels behind the predictor's p")->check(whole_number(1, 100'000))->capture_default_str();
  app.add_option("--seed", request->seed, "of the shuffles")->check(whole_number(0, ~std::uint64_t{0}))->capture_default_str();
  app.footer("The study is made by: simulacra preference make configs/sim2real/preference_style.yaml -o style.html\n"
             "Example: simulacra preference style style.json answers/*.jsonl -o result.html");
  app.callback([request] { style(*request); });
}

// ---------------------------------------------------------------- simulate

struct Simulate {
  std::string study, out;
  preference::ResponseTruth truth;
  preference::StyleTruth style;
  std::vector<double> traits;
  std::uint64_t seed = 1;
};

bool is_style_study(const preference::Study& study) {
  const auto has = [&](const char* condition) {
    const auto names = study.conditions();
    return std::ranges::find(names, condition) != names.end();
  };
  return study.options.design == preference::Design::rating && has("chatty") && has("plain") && has("matching");
}

void simulate(const Simulate& request) {
  const preference::Study study = read_study(request.study);
  check_can_write("-o", request.out);
  preference::StyleTruth truth = request.style;
  std::ranges::copy(request.traits, truth.trait_effect.begin());
  const std::string lines = as_request([&] {
    return is_style_study(study) ? preference::simulate_style_responses(study, truth, request.seed) : preference::simulate_responses(study, request.truth, request.seed);
  });
  write_text_atomically(request.out, lines);
}

void declare_simulate(CLI::App& app) {
  const auto r = std::make_shared<Simulate>();
  app.add_option("STUDY", r->study, "the study's key")->required()->check(a_name());
  app.add_option("-o,--output", r->out, "answers of all its participants, as the page saves them")->required()->check(a_name());
  app.add_option("--rate", r->truth.rate, "of right answers; without a target, of preferring the condition that comes first")->check(number(0.001, 0.999))->capture_default_str();
  app.add_option("--spread", r->truth.spread, "of participants, on the logit scale")->check(number(0, 5))->capture_default_str();
  app.add_option("--ties", r->truth.tie_share, "share of \"no difference\", where the study has it")->check(number(0, 1))->capture_default_str();
  app.add_option("--gain", r->truth.rating_gain, "rating points of the target condition, or the first")->check(number(-4, 4))->capture_default_str();
  app.add_option("--traits", r->traits, "style study: log-odds of preferring chatty, per standard deviation of each of five traits")->expected(5);
  app.add_option("--reaction", r->style.reaction_effect, "style study: rating points of the preferred style over the other")->check(number(-4, 4))->capture_default_str();
  app.add_option("--matching", r->style.matching_gain, "style study: rating points of the matching assistant")->check(number(-4, 4))->capture_default_str();
  app.add_option("--seed", r->seed, "of every answer")->check(whole_number(0, ~std::uint64_t{0}))->capture_default_str();
  app.footer("A study whose analysis does not find what is known to be there needs more trials or another design.\n"
             "Example: simulacra preference simulate study.json -o pilot.jsonl --rate 0.6");
  app.callback([r] { simulate(*r); });
}

// ---------------------------------------------------------------- power

struct Power {
  double rate = 0.6, wanted = 0.8, alpha = 0.05, spread = 0.5, margin = 0.05;
  int trials = 0, participants = 0, studies = 200;
  std::uint64_t seed = 1;
  bool json_out = false;
};

json power_of(const Power& p) {
  json j = {{"rate", p.rate}, {"alpha", p.alpha}};
  const int trials = p.trials > 0 ? p.trials : as_request([&] { return preference::trials_for_power(p.rate, p.wanted, p.alpha); });
  const int threshold = preference::smallest_significant(trials, p.alpha);
  j["trials"] = trials, j["significant_from"] = threshold;
  j["power"] = preference::power(trials, p.rate, p.alpha);
  j["equivalence"] = {{"margin", p.margin}, {"p_at_one_half", preference::equivalence(trials / 2, trials, p.margin)}};
  if (p.participants == 0) return j;
  const int each = std::max(1, trials / p.participants);
  j["people"] = {{"participants", p.participants}, {"trials_each", each}, {"spread", p.spread}, {"studies", p.studies},
                 {"power", preference::simulated_power(p.participants, each, p.rate, p.spread, p.alpha, p.studies, p.seed)}};
  return j;
}

void power(const Power& p) {
  const json j = power_of(p);
  if (p.json_out) {
    std::cout << j.dump(2) << '\n';
    return;
  }
  const int trials = j["trials"];
  std::cout << fmt::format("{} independent answers at a true rate of {} have a power of {:.3f} (one-sided, {})\n", trials, p.rate, j["power"].get<double>(), p.alpha);
  if (const int threshold = j["significant_from"]; threshold <= trials)
    std::cout << fmt::format("significant from {} right answers on ({:.1f} %)\n", threshold, 100.0 * threshold / trials);
  std::cout << fmt::format("with one half observed, p of lying within {} of it: {:.3g}\n", p.margin, j["equivalence"]["p_at_one_half"].get<double>());
  if (p.participants > 0) {
    const json& people = j["people"];
    std::cout << fmt::format("{} people of {} trials who differ by {} on the logit scale, mixed model: power {:.2f} ({} simulated studies)\n", p.participants,
                             people["trials_each"].get<int>(), p.spread, people["power"].get<double>(), p.studies);
  }
}

void declare_power(CLI::App& app) {
  const auto p = std::make_shared<Power>();
  app.add_option("--rate", p->rate, "true rate that is to be found")->check(number(0.501, 0.999))->capture_default_str();
  app.add_option("--power", p->wanted, "probability of finding it; the trials needed are told")->check(number(0.05, 0.999))->capture_default_str();
  app.add_option("--trials", p->trials, "of all participants together, instead of --power")->check(whole_number(1, 1'000'000));
  app.add_option("--alpha", p->alpha, "one-sided level")->check(number(1e-6, 0.5))->capture_default_str();
  app.add_option("--margin", p->margin, "of \"no difference\"")->check(number(0.001, 0.5))->capture_default_str();
  app.add_option("--participants", p->participants, "also simulate the mixed model with so many people")->check(whole_number(2, 1000));
  app.add_option("--spread", p->spread, "of people, on the logit scale")->check(number(0, 5))->capture_default_str();
  app.add_option("--studies", p->studies, "that are simulated")->check(whole_number(20, 100'000))->capture_default_str();
  app.add_option("--seed", p->seed, "of the simulation")->check(whole_number(0, ~std::uint64_t{0}))->capture_default_str();
  app.add_flag("--json", p->json_out, "print as JSON");
  app.footer("Example: simulacra preference power --rate 0.6 --participants 20");
  app.callback([p] { power(*p); });
}

void declare(CLI::App& app, int&) {
  declare_make(*app.add_subcommand("make", "make a study: one page for its participants, and its key"));
  declare_analyse(*app.add_subcommand("analyse", "analyse answers: exact and mixed-effect intervals, strengths, ratings"));
  declare_style(*app.add_subcommand("style", "the same of the conversational-style study, and whether preferences can be predicted"));
  declare_simulate(*app.add_subcommand("simulate", "answers of simulated people with a known truth"));
  declare_power(*app.add_subcommand("power", "plan: trials and people that a study needs"));
  app.require_subcommand(1);
  app.footer("Example: simulacra preference make configs/sim2real/preference_turing.yaml -o study.html");
}

}  // namespace

const Verb kPreferenceVerb{"preference", "make and analyse studies of people's judgements", declare};

}  // namespace simulacra::tools
