// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/analysis.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "render/base/error.h"
#include "sim2real/preference/pairs.h"

namespace simulacra::preference {
namespace {

using nlohmann::json;

json interval_json(const Interval& i) { return json::array({i.lo, i.hi}); }

const std::string& condition_of(const Study& study, std::size_t item) { return study.items[item].condition; }

/// What the answer of a trial says: the place of the chosen item, or -1 for a tie.
std::ptrdiff_t chosen(const Trial& trial, const std::string& response) {
  if (response == "tie") return -1;
  return static_cast<std::ptrdiff_t>(trial.items[response == "left" ? 0 : 1]);
}

bool right(const Study& study, const Trial& trial, const std::string& response) {
  const std::string& target = study.options.target;
  if (study.options.design == Design::single) return (response == study.options.answers[0]) == (condition_of(study, trial.items[0]) == target);
  return condition_of(study, static_cast<std::size_t>(chosen(trial, response))) == target;
}

/// Of a pair without the target condition, or a tie, nothing is right.
bool has_right_answer(const Study& study, const Trial& trial, const std::string& response) {
  if (study.options.design == Design::single) return true;
  const int targets = static_cast<int>(std::ranges::count_if(trial.items, [&](std::size_t i) { return condition_of(study, i) == study.options.target; }));
  return targets == 1 && response != "tie";
}

json rate_json(const std::vector<Cluster>& clusters, const Study& study, const AnalysisOptions& o) {
  int k = 0, n = 0;
  for (const Cluster& c : clusters) k += c.successes, n += c.trials;
  if (n == 0) fail("study '{}' has no trial with a right answer", study.options.id);
  const MixedRate mixed = mixed_rate(clusters);
  return {{"successes", k}, {"trials", n}, {"rate", static_cast<double>(k) / n},
          {"p_one_sided", binomial_upper_tail(k, n, 0.5)}, {"p_two_sided", binomial_two_sided(k, n)},
          {"clopper_pearson", interval_json(clopper_pearson(k, n))}, {"wilson", interval_json(wilson(k, n))},
          {"bootstrap_over_participants", interval_json(cluster_bootstrap(clusters, study.options.seed, o.bootstrap_draws))},
          {"mixed", {{"rate", mixed.rate}, {"interval", interval_json(mixed.interval)}, {"sigma", mixed.sigma}, {"p", mixed.p_half}}},
          {"equivalence", {{"margin", o.equivalence_margin}, {"p", equivalence(k, n, o.equivalence_margin)}}},
          {"power", {{"rate", o.planned_rate}, {"power", power(n, o.planned_rate)}}}};
}

json correctness(const Study& study, const std::vector<Answers>& people, const AnalysisOptions& o) {
  std::vector<Cluster> clusters;
  json each = json::array();
  Detection sum;
  for (const Answers& a : people) {
    Cluster c;
    int hits = 0, signals = 0, alarms = 0, noise = 0;
    for (std::size_t i = 0; i < a.trials.size(); ++i) {
      if (!has_right_answer(study, a.trials[i], a.responses[i])) continue;
      const bool good = right(study, a.trials[i], a.responses[i]);
      c.successes += good, ++c.trials;
      if (study.options.design != Design::single) continue;
      const bool signal = condition_of(study, a.trials[i].items[0]) == study.options.target;
      (signal ? signals : noise) += 1;
      if (signal) hits += good;
      else alarms += !good;
    }
    clusters.push_back(c);
    json row = {{"participant", a.participant}, {"successes", c.successes}, {"trials", c.trials}};
    if (signals > 0 && noise > 0) {
      const Detection d = signal_detection(hits, signals, alarms, noise);
      row["d_prime"] = d.d_prime, row["criterion"] = d.criterion;
      sum.d_prime += d.d_prime, sum.criterion += d.criterion;
    }
    each.push_back(std::move(row));
  }
  json result = rate_json(clusters, study, o);
  result["participants"] = std::move(each);
  const auto count = static_cast<double>(people.size());
  if (study.options.design == Design::single) result["d_prime"] = sum.d_prime / count, result["criterion"] = sum.criterion / count;
  else if (result["rate"] > 0.0 && result["rate"] < 1.0) result["d_prime"] = forced_choice_d_prime(result["rate"]);
  return result;
}

json preferences(const Study& study, const std::vector<Answers>& people, const AnalysisOptions& o) {
  const std::vector<std::string> names = study.conditions();
  const auto index = [&](std::size_t item) { return static_cast<std::size_t>(std::ranges::find(names, condition_of(study, item)) - names.begin()); };
  dense::Matrix wins(names.size(), names.size()), ties(names.size(), names.size());
  std::vector<Cluster> first;   // how often the first condition won, of two
  bool tied = false;
  for (const Answers& a : people) {
    first.push_back({});
    for (std::size_t i = 0; i < a.trials.size(); ++i) {
      const std::size_t left = index(a.trials[i].items[0]), right_one = index(a.trials[i].items[1]);
      if (a.responses[i] == "tie") {
        ties(left, right_one) += 1, ties(right_one, left) += 1, tied = true;
        continue;
      }
      const bool left_won = a.responses[i] == "left";
      wins(left_won ? left : right_one, left_won ? right_one : left) += 1;
      first.back().successes += (left_won ? left : right_one) == 0, ++first.back().trials;
    }
  }
  json result = {{"conditions", names}, {"wins", json::array()}, {"circular_share", circular_share(wins)}};
  for (std::size_t i = 0; i < names.size(); ++i) result["wins"].push_back(std::vector<double>(wins.row(i).begin(), wins.row(i).end()));
  try {
    if (tied) {
      const Davidson d = davidson(wins, ties);
      result["strengths"] = d.strengths, result["nu"] = d.nu;
    } else {
      result["strengths"] = bradley_terry(wins);
    }
  } catch (const Error& e) {
    result["strengths"] = nullptr, result["why_no_strengths"] = e.what();
  }
  if (names.size() == 2) {
    result["first_over_second"] = rate_json(first, study, o);
    for (std::size_t i = 0; i < people.size(); ++i)
      result["first_over_second"]["participants"].push_back({{"participant", people[i].participant}, {"successes", first[i].successes}, {"trials", first[i].trials}});
  }
  return result;
}

json rating_changes(const Study& study, const std::vector<Answers>& people) {
  const std::vector<std::string> names = study.conditions();
  json result = json::array();
  std::vector<double> p;
  for (const Scale& scale : study.options.ratings) {
    std::map<std::string, std::vector<double>> means;   // of each participant
    for (const Answers& a : people) {
      std::map<std::string, std::pair<double, double>> sums;
      for (std::size_t i = 0; i < a.trials.size(); ++i) {
        auto& [sum, count] = sums[condition_of(study, a.trials[i].items[0])];
        sum += scale_score(scale, a.ratings[i].at(scale.name).get<std::vector<int>>()), count += 1;
      }
      for (const std::string& n : names) means[n].push_back(sums[n].second > 0 ? sums[n].first / sums[n].second : 0);
    }
    for (std::size_t a = 0; a < names.size(); ++a)
      for (std::size_t b = a + 1; b < names.size(); ++b) {
        std::vector<double> difference;
        double mean = 0;
        for (std::size_t i = 0; i < people.size(); ++i) {
          difference.push_back(means[names[a]][i] - means[names[b]][i]);
          mean += difference.back() / static_cast<double>(people.size());
        }
        const SignedRank r = signed_rank(difference);
        p.push_back(r.p);
        result.push_back({{"scale", scale.name}, {"first", names[a]}, {"second", names[b]}, {"mean_difference", mean}, {"p", r.p}, {"rank_biserial", r.rank_biserial}});
      }
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) result[i]["p_holm"] = adjusted[i];
  return result;
}

std::string rate_lines(const json& r) {
  const auto range = [](const json& i) { return fmt::format("{:.3f} to {:.3f}", i[0].get<double>(), i[1].get<double>()); };
  std::string text = fmt::format("{} of {} ({:.1f} %)\n\n| | |\n|---|---|\n", r.at("successes").get<int>(), r.at("trials").get<int>(), 100 * r.at("rate").get<double>());
  text += fmt::format("| p against chance, one-sided (all trials independent) | {:.3g} |\n", r.at("p_one_sided").get<double>());
  text += fmt::format("| 95 % exact interval (all trials independent) | {} |\n", range(r.at("clopper_pearson")));
  text += fmt::format("| 95 % interval, participants random (mixed logistic model) | {}; p {:.3g} |\n", range(r.at("mixed").at("interval")), r.at("mixed").at("p").get<double>());
  text += fmt::format("| 95 % interval, bootstrap over participants | {} |\n", range(r.at("bootstrap_over_participants")));
  text += fmt::format("| p of lying within {} of chance | {:.3g} |\n", r.at("equivalence").at("margin").get<double>(), r.at("equivalence").at("p").get<double>());
  text += fmt::format("| power at a true rate of {} | {:.3f} |\n", r.at("power").at("rate").get<double>(), r.at("power").at("power").get<double>());
  return text + "\n";
}

std::string style_lines(const json& s) {
  std::string text = fmt::format("\n## Style\n\n{} of {} prefer the chatty assistant; 95 % exact interval {:.3f} to {:.3f}\n\n| features | accuracy | 95 % | balanced | area |\n|---|---|---|---|---|\n",
                                 s.at("prefer_chatty").get<int>(), s.at("participants").get<int>(), s.at("share_interval")[0].get<double>(), s.at("share_interval")[1].get<double>());
  for (const json& p : s.at("predictors"))
    text += fmt::format("| {} | {:.2f} | {:.2f} to {:.2f} | {:.2f} | {:.2f} |\n", p.at("features").get<std::string>(), p.at("accuracy").get<double>(),
                        p.at("accuracy_interval")[0].get<double>(), p.at("accuracy_interval")[1].get<double>(), p.at("balanced_accuracy").get<double>(), p.at("auc").get<double>());
  return text + fmt::format("\np of \"all\" by shuffled labels: {:.3g}\n", s.at("permutation_p").get<double>());
}

}  // namespace

std::string fingerprint(std::span<const ResponseFile> files) {
  std::uint64_t hash = 0xcbf29ce484222325ull;   // FNV-1a
  for (const ResponseFile& file : files)
    for (const char c : file.text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", hash);
}

json analyse(const Study& study, std::string_view json_lines, const AnalysisOptions& options) {
  const ResponseFile file{"", std::string(json_lines)};
  return analyse(study, {&file, 1}, options);
}

json analyse(const Study& study, std::span<const ResponseFile> files, const AnalysisOptions& options) {
  std::vector<Exclusion> excluded;
  const std::vector<Answers> people = read_responses(study, files, options, excluded);
  if (people.empty()) fail("study '{}': nobody is left to analyse ({} excluded{})", study.options.id, excluded.size(),
                           excluded.empty() ? "" : ", the first for: " + excluded.front().reason);
  json report = {{"study", study.options.id}, {"design", study_json({study.options, {}, {}}).at("design")}, {"seed", study.options.seed},
                 {"responses", fingerprint(files)}, {"invited", study.sessions.size()}, {"kept", people.size()}, {"excluded", json::array()},
                 {"rules", {{"most_failed_checks", options.most_failed_checks}, {"least_share", options.least_share}, {"least_median_seconds", options.least_median_seconds}}}};
  for (const Exclusion& e : excluded) report["excluded"].push_back({{"participant", e.participant}, {"reason", e.reason}});
  if (study.options.design == Design::rating) report["ratings"] = rating_changes(study, people);
  if (study.options.design == Design::pair) report["preferences"] = preferences(study, people, options);
  if (study.options.design != Design::rating && !study.options.target.empty()) report["correct"] = correctness(study, people, options);
  return report;
}

std::string report_markdown(const json& report) {
  std::string text = fmt::format("# Study {}\n\nDesign {}, seed {}, responses {}. {} invited, {} kept.\n\n", report.at("study").get<std::string>(),
                                 report.at("design").get<std::string>(), report.at("seed").dump(), report.at("responses").get<std::string>(),
                                 report.at("invited").get<int>(), report.at("kept").get<int>());
  for (const json& e : report.at("excluded")) text += fmt::format("- excluded {}: {}\n", e.at("participant").get<std::string>(), e.at("reason").get<std::string>());
  if (report.contains("correct")) text += "\n## Right answers\n\n" + rate_lines(report.at("correct"));
  if (report.contains("preferences")) {
    const json& p = report.at("preferences");
    text += "\n## Preferences\n\n| condition | strength |\n|---|---|\n";
    for (std::size_t i = 0; i < p.at("conditions").size(); ++i)
      text += fmt::format("| {} | {} |\n", p.at("conditions")[i].get<std::string>(), p.at("strengths").is_null() ? "not determined" : fmt::format("{:.3f}", p.at("strengths")[i].get<double>()));
    if (p.contains("first_over_second")) text += fmt::format("\n{} over {}: ", p.at("conditions")[0].get<std::string>(), p.at("conditions")[1].get<std::string>()) + rate_lines(p.at("first_over_second"));
  }
  if (report.contains("style")) text += style_lines(report.at("style"));
  if (report.contains("ratings")) {
    text += "\n## Ratings\n\n| scale | first - second | mean difference | rank-biserial | p (Holm) |\n|---|---|---|---|---|\n";
    for (const json& r : report.at("ratings"))
      text += fmt::format("| {} | {} - {} | {:.2f} | {:.2f} | {:.3g} |\n", r.at("scale").get<std::string>(), r.at("first").get<std::string>(), r.at("second").get<std::string>(),
                          r.at("mean_difference").get<double>(), r.at("rank_biserial").get<double>(), r.at("p_holm").get<double>());
  }
  return text;
}

}  // namespace simulacra::preference
