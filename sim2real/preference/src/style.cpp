// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/style.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "render/base/error.h"

namespace simulacra::preference {
namespace {

/// An answer on 1 .. 5 of somebody with this latent value, standard normal over people.
int answer(double latent, bool reversed, std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 0.5);
  const double on_scale = 3 + (reversed ? -latent : latent) + noise(random);
  return static_cast<int>(std::clamp(std::lround(on_scale), 1l, 5l));
}

double scored(const Scale& scale, double latent, std::mt19937_64& random) {
  std::vector<int> answers;
  for (const auto& q : scale.questions) answers.push_back(answer(latent, q.reversed, random));
  return scale_score(scale, answers);
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
          {"chats", 5, {{"I chat with assistants for fun.", false}}}};
}

std::vector<Scale> style_ratings() {
  return {{"likability", 5, {{"I liked the assistant.", false}, {"I would rather not use it again.", true}}},
          {"trust", 5, {{"I trust its answers.", false}, {"I would check what it says elsewhere.", true}}}};
}

StudyOptions style_study(int participants, int trials, std::uint64_t seed) {
  StudyOptions o;
  o.id = "style", o.title = "Talking with an assistant", o.design = Design::rating, o.participants = participants, o.trials = trials, o.seed = seed;
  o.question = "Imagine that you had this conversation. How was the assistant?";
  o.checks = 0, o.before = style_questionnaire(), o.ratings = style_ratings();
  return o;
}

std::vector<Respondent> simulate_style_study(int participants, const StyleTruth& truth, std::uint64_t seed) {
  const std::vector<Scale> scales = style_questionnaire(), ratings = style_ratings();
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Respondent> people;
  for (int n = 0; n < participants; ++n) {
    Respondent r;
    double log_odds = 0;
    for (std::size_t t = 0; t < kNumTraits; ++t) {
      const double latent = normal(random);
      log_odds += truth.trait_effect[t] * latent;
      r.traits[t] = scored(scales[t], latent, random);
    }
    for (std::size_t u = 0; u < kNumUsage; ++u) r.usage[u] = scored(scales[kNumTraits + u], normal(random), random);
    r.own_chattiness = normal(random);
    log_odds += truth.chattiness_effect * r.own_chattiness;
    r.prefers_chatty = std::uniform_real_distribution<double>(0, 1)(random) < 1 / (1 + std::exp(-log_odds));
    const double mood = 0.5 * normal(random);   // a participant's own level, shared by all ratings
    for (std::size_t s = 0; s < kNumStyles; ++s) {
      const auto style = static_cast<Style>(s);
      double latent = mood + (style == Style::matching ? truth.matching_gain : 0);
      if (style != Style::matching) latent += ((style == Style::chatty) == r.prefers_chatty ? 0.5 : -0.5) * truth.reaction_effect;
      r.likability[s] = scored(ratings[0], latent, random), r.trust[s] = scored(ratings[1], latent, random);
    }
    people.push_back(r);
  }
  return people;
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

}  // namespace simulacra::preference
