// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/style.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "render/base/error.h"

namespace simulacra::preference {
namespace {

constexpr std::array<const char*, kNumStyles> kStyles = {"chatty", "plain", "matching"};
constexpr const char* kOwnChattiness = "talks at length";
constexpr const char* kChoice = "prefers the chatty one";

/// An answer on 1 .. points of somebody with this latent value, standard normal over people.
int answer(double latent, bool reversed, int points, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.5);
  const double on_scale = 0.5 * (points + 1) + (reversed ? -latent : latent) + noise(random);
  return static_cast<int>(std::clamp(std::lround(on_scale), 1l, static_cast<long>(points)));
}

std::vector<int> answers_to(const Scale& scale, double latent, std::mt19937_64& random) {
  std::vector<int> answers;
  for (const auto& q : scale.questions) answers.push_back(answer(latent, q.reversed, scale.points, random));
  return answers;
}

double scored(const Scale& scale, double latent, std::mt19937_64& random) { return scale_score(scale, answers_to(scale, latent, random)); }

/// What nobody sees of a participant.
struct Person {
  std::array<double, kNumTraits> traits{};
  std::array<double, kNumUsage> usage{};
  double chattiness = 0;
  bool prefers_chatty = false;
  std::array<double, kNumStyles> opinion{};   ///< of each style
};

Person draw(const StyleTruth& truth, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Person p;
  double log_odds = 0;
  for (std::size_t t = 0; t < kNumTraits; ++t) log_odds += truth.trait_effect[t] * (p.traits[t] = normal(random));
  for (double& u : p.usage) u = normal(random);
  log_odds += truth.chattiness_effect * (p.chattiness = normal(random));
  p.prefers_chatty = std::uniform_real_distribution<double>(0, 1)(random) < 1 / (1 + std::exp(-log_odds));
  const double mood = 0.5 * normal(random);   // a participant's own level, shared by all ratings
  for (std::size_t s = 0; s < kNumStyles; ++s) {
    const auto style = static_cast<Style>(s);
    p.opinion[s] = mood + (style == Style::matching ? truth.matching_gain : 0);
    if (style != Style::matching) p.opinion[s] += ((style == Style::chatty) == p.prefers_chatty ? 0.5 : -0.5) * truth.reaction_effect;
  }
  return p;
}

/// Mean rating of each style on one scale.
std::array<double, kNumStyles> mean_ratings(const Study& study, const Answers& a, const Scale& scale) {
  std::array<double, kNumStyles> sum{}, count{};
  for (std::size_t i = 0; i < a.trials.size(); ++i) {
    const auto style = static_cast<std::size_t>(style_of(study.items[a.trials[i].items[0]].condition));
    sum[style] += scale_score(scale, a.ratings[i].at(scale.name).get<std::vector<int>>()), count[style] += 1;
  }
  for (std::size_t s = 0; s < kNumStyles; ++s) {
    if (count[s] == 0) fail("participant {} rated no {} assistant", a.participant, kStyles[s]);
    sum[s] /= count[s];
  }
  return sum;
}

enum class Features : std::uint8_t { all, person, reactions };

dense::Matrix features(const std::vector<Respondent>& people, Features which) {
  std::vector<double> values;
  for (const Respondent& r : people) {
    if (which != Features::reactions) {
      values.insert(values.end(), r.traits.begin(), r.traits.end());
      values.insert(values.end(), r.usage.begin(), r.usage.end());
    }
    if (which == Features::person) continue;
    values.push_back(r.own_chattiness);
    values.push_back(r.likability[0] - r.likability[1]);
    values.push_back(r.trust[0] - r.trust[1]);
  }
  return {people.size(), values.size() / people.size(), values};
}

std::vector<RatingChange> rating_changes(const std::vector<Respondent>& people) {
  std::vector<RatingChange> changes;
  std::vector<double> p;
  for (const bool trust : {false, true})
    for (const Style other : {Style::chatty, Style::plain}) {
      std::vector<double> difference;
      RatingChange c{trust ? "trust" : "likability", Style::matching, other};
      for (const Respondent& r : people) {
        const auto& rating = trust ? r.trust : r.likability;
        difference.push_back(rating[static_cast<std::size_t>(Style::matching)] - rating[static_cast<std::size_t>(other)]);
        c.mean += difference.back() / static_cast<double>(people.size());
      }
      const SignedRank r = signed_rank(difference);
      c.p = r.p, c.rank_biserial = r.rank_biserial;
      p.push_back(r.p);
      changes.push_back(c);
    }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i].p_holm = adjusted[i];
  return changes;
}

NamedMetrics named(std::string name, const std::vector<double>& scores, const std::vector<bool>& labels) {
  const Metrics m = metrics(scores, labels);
  return {std::move(name), m, wilson(m.tp + m.tn, static_cast<int>(labels.size()))};
}

}  // namespace

std::vector<Scale> style_questionnaire() {
  return {{"outgoing", 5, {{"I start conversations.", false}, {"I feel at ease among many people.", false}, {"I keep in the background.", true}, {"I say little.", true}}},
          {"kind", 5, {{"I take time for others.", false}, {"I feel with others.", false}, {"Other people's problems leave me cold.", true}, {"I am hard to please.", true}}},
          {"orderly", 5, {{"I do my duties at once.", false}, {"I like plans.", false}, {"I leave my things around.", true}, {"I forget to put things back.", true}}},
          {"worried", 5, {{"I worry about things.", false}, {"My mood changes often.", false}, {"I am relaxed most of the time.", true}, {"Little disturbs me.", true}}},
          {"curious", 5, {{"I am full of ideas.", false}, {"I enjoy difficult words.", false}, {"Abstract ideas do not interest me.", true}, {"I have little imagination.", true}}},
          {"uses assistants", 5, {{"I talk to an assistant every day.", false}}},
          {"asks for facts", 5, {{"I ask assistants for facts and directions.", false}}},
          {"chats", 5, {{"I chat with assistants for fun.", false}}},
          {kOwnChattiness, 5, {{"I talk to an assistant in whole sentences, as to a person.", false}, {"I give it as few words as I can.", true}}}};
}

std::vector<Scale> style_choice() { return {{kChoice, 4, {{"I would rather keep the assistant that chats than the one that keeps to the point.", false}}}}; }

Style style_of(const std::string& condition) {
  for (std::size_t s = 0; s < kNumStyles; ++s)
    if (condition == kStyles[s]) return static_cast<Style>(s);
  fail("condition '{}' is no style; there are chatty, plain, matching", condition);
}

std::vector<Scale> style_ratings() {
  return {{"likability", 5, {{"I liked the assistant.", false}, {"I would rather not use it again.", true}}},
          {"trust", 5, {{"I trust its answers.", false}, {"I would check what it says elsewhere.", true}}}};
}

StudyOptions style_study(int participants, int trials, std::uint64_t seed) {
  StudyOptions o;
  o.id = "style", o.title = "Talking with an assistant", o.design = Design::rating, o.participants = participants, o.trials = trials, o.seed = seed;
  o.question = "Imagine that you had this conversation. How was the assistant?";
  o.checks = 0, o.before = style_questionnaire(), o.ratings = style_ratings(), o.after = style_choice();
  return o;
}

std::vector<Respondent> simulate_style_study(int participants, const StyleTruth& truth, std::uint64_t seed) {
  const std::vector<Scale> scales = style_questionnaire(), ratings = style_ratings();
  std::mt19937_64 random(seed);
  std::vector<Respondent> people;
  for (int n = 0; n < participants; ++n) {
    const Person p = draw(truth, random);
    Respondent r;
    for (std::size_t t = 0; t < kNumTraits; ++t) r.traits[t] = scored(scales[t], p.traits[t], random);
    for (std::size_t u = 0; u < kNumUsage; ++u) r.usage[u] = scored(scales[kNumTraits + u], p.usage[u], random);
    r.own_chattiness = p.chattiness, r.prefers_chatty = p.prefers_chatty;
    for (std::size_t s = 0; s < kNumStyles; ++s)
      r.likability[s] = scored(ratings[0], p.opinion[s], random), r.trust[s] = scored(ratings[1], p.opinion[s], random);
    people.push_back(r);
  }
  return people;
}

std::string simulate_style_responses(const Study& study, const StyleTruth& truth, std::uint64_t seed) {
  const std::vector<Scale> scales = style_questionnaire(), ratings = style_ratings(), choice = style_choice();
  std::mt19937_64 random(seed);
  std::string lines;
  for (const Session& session : study.sessions) {
    const Person p = draw(truth, random);
    nlohmann::json given = nlohmann::json::object();
    for (std::size_t t = 0; t < kNumTraits; ++t) given[scales[t].name] = answers_to(scales[t], p.traits[t], random);
    for (std::size_t u = 0; u < kNumUsage; ++u) given[scales[kNumTraits + u].name] = answers_to(scales[kNumTraits + u], p.usage[u], random);
    given[kOwnChattiness] = answers_to(scales.back(), p.chattiness, random);
    given[kChoice] = {p.prefers_chatty ? choice[0].points : 1};
    lines += nlohmann::json{{"kind", "participant"}, {"study", study.options.id}, {"participant", session.participant}, {"consent", true}, {"answers", given}}.dump() + "\n";
    for (std::size_t n = 0; n < session.trials.size(); ++n) {
      const Trial& trial = session.trials[n];
      const double opinion = p.opinion[static_cast<std::size_t>(style_of(study.items[trial.items[0]].condition))];
      nlohmann::json rated;
      for (const Scale& scale : ratings) rated[scale.name] = answers_to(scale, opinion, random);
      lines += nlohmann::json{{"kind", "trial"}, {"study", study.options.id}, {"participant", session.participant}, {"order", n}, {"items", trial.items}, {"seconds", 8}, {"ratings", rated}}.dump() + "\n";
    }
  }
  return lines;
}

std::vector<Respondent> respondents_of(const Study& study, const std::vector<Answers>& people) {
  const std::vector<Scale> scales = style_questionnaire(), ratings = style_ratings(), choice = style_choice();
  std::vector<Respondent> respondents;
  double sum = 0, squares = 0;
  for (const Answers& a : people) {
    const auto score = [&](const Scale& scale) {
      if (!a.questionnaire.contains(scale.name)) fail("participant {} gave no answers to '{}'", a.participant, scale.name);
      return scale_score(scale, a.questionnaire.at(scale.name).get<std::vector<int>>());
    };
    Respondent r;
    for (std::size_t t = 0; t < kNumTraits; ++t) r.traits[t] = score(scales[t]);
    for (std::size_t u = 0; u < kNumUsage; ++u) r.usage[u] = score(scales[kNumTraits + u]);
    r.own_chattiness = score(scales.back());
    r.prefers_chatty = score(choice[0]) > 0.5 * (choice[0].points + 1);
    r.likability = mean_ratings(study, a, ratings[0]), r.trust = mean_ratings(study, a, ratings[1]);
    sum += r.own_chattiness, squares += r.own_chattiness * r.own_chattiness;
    respondents.push_back(r);
  }
  const double n = static_cast<double>(people.size()), mean = sum / n, deviation = std::sqrt(std::max(0.0, squares / n - mean * mean));
  for (Respondent& r : respondents) r.own_chattiness = deviation > 0 ? (r.own_chattiness - mean) / deviation : 0;
  return respondents;
}

StyleAnalysis analyse_style_study(const std::vector<Respondent>& people, const PredictorOptions& options, int permutations, std::uint64_t seed) {
  StyleAnalysis result;
  std::vector<bool> labels;
  for (const Respondent& r : people) labels.push_back(r.prefers_chatty);
  result.participants = static_cast<int>(people.size());
  result.chatty = static_cast<int>(std::ranges::count(labels, true));
  if (people.size() < 8) fail("a style study takes at least 8 participants; there are {}", people.size());
  if (result.chatty < 2 || result.participants - result.chatty < 2)
    fail("{} of {} participants prefer the chatty assistant: a predictor takes at least two of each kind", result.chatty, result.participants);
  result.preference = clopper_pearson(result.chatty, result.participants);
  result.changes = rating_changes(people);
  const auto by = [&](Features which) { return leave_one_out_logistic(features(people, which), labels, options); };
  result.predictors = {named("all", by(Features::all), labels), named("traits and usage", by(Features::person), labels),
                       named("reactions", by(Features::reactions), labels), named("majority", leave_one_out_majority(labels), labels)};
  result.permutation_p = permutation_p(features(people, Features::all), labels, options, permutations, seed);
  return result;
}

nlohmann::json style_json(const StyleAnalysis& a) {
  using nlohmann::json;
  json j = {{"participants", a.participants}, {"prefer_chatty", a.chatty}, {"share_interval", {a.preference.lo, a.preference.hi}}, {"permutation_p", a.permutation_p},
            {"changes", json::array()}, {"predictors", json::array()}};
  for (const RatingChange& c : a.changes)
    j["changes"].push_back({{"scale", c.scale}, {"first", kStyles[static_cast<std::size_t>(c.first)]}, {"second", kStyles[static_cast<std::size_t>(c.second)]},
                            {"mean_difference", c.mean}, {"p", c.p}, {"p_holm", c.p_holm}, {"rank_biserial", c.rank_biserial}});
  for (const NamedMetrics& n : a.predictors)
    j["predictors"].push_back({{"features", n.name}, {"accuracy", n.metrics.accuracy}, {"accuracy_interval", {n.accuracy.lo, n.accuracy.hi}},
                               {"balanced_accuracy", n.metrics.balanced_accuracy}, {"auc", n.metrics.auc}, {"log_loss", n.metrics.log_loss},
                               {"confusion", {{"tp", n.metrics.tp}, {"tn", n.metrics.tn}, {"fp", n.metrics.fp}, {"fn", n.metrics.fn}}}});
  return j;
}

}  // namespace simulacra::preference
