// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/simulate.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "render/base/error.h"
#include "sim2real/preference/statistics.h"

namespace simulacra::preference {
namespace {

using nlohmann::json;
using Random = std::mt19937_64;

double uniform(Random& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

/// The participant's own probability.
double own_rate(double rate, double spread, Random& random) {
  const double logit = std::log(rate / (1 - rate)) + spread * std::normal_distribution<double>()(random);
  return 1 / (1 + std::exp(-logit));
}

std::string check_answer(const Study& study, const Trial& trial) {
  const std::string& check = study.items[trial.items[0]].check;
  return study.options.design == Design::pair ? (check == "yes" ? "left" : "right") : check;
}

/// The side that is right, or of the condition that is first; either one of two equal ones.
std::string better_side(const Study& study, const Trial& trial, Random& random) {
  const std::vector<std::string> order = study.conditions();
  const auto rank = [&](std::size_t item) {
    const std::string& condition = study.items[item].condition;
    return condition == study.options.target ? std::ptrdiff_t{-1} : std::ranges::find(order, condition) - order.begin();
  };
  const std::ptrdiff_t left = rank(trial.items[0]), right = rank(trial.items[1]);
  return left == right ? ((random() & 1) != 0 ? "left" : "right") : left < right ? "left" : "right";
}

std::string response(const Study& study, const Trial& trial, double rate, double tie_share, Random& random) {
  const StudyOptions& o = study.options;
  if (trial.check) return check_answer(study, trial);
  const bool good = uniform(random) < rate;
  if (o.design == Design::single) {
    const bool is_target = study.items[trial.items[0]].condition == o.target;
    return o.answers[good == is_target ? 0 : 1];
  }
  if (o.ties && uniform(random) < tie_share) return "tie";
  const std::string better = better_side(study, trial, random);
  return good ? better : better == "left" ? "right" : "left";
}

json ratings(const Study& study, const Trial& trial, double mood, double gain, Random& random) {
  const std::string& first = study.options.target.empty() ? study.conditions().front() : study.options.target;
  const double latent = mood + (study.items[trial.items[0]].condition == first ? gain : 0);
  json given = json::object();
  for (const Scale& scale : study.options.ratings)
    for (const Scale::Question& q : scale.questions) {
      const double on_scale = 0.5 * (scale.points + 1) + (q.reversed ? -latent : latent) + 0.5 * std::normal_distribution<double>()(random);
      given[scale.name].push_back(std::clamp(std::lround(on_scale), 1l, static_cast<long>(scale.points)));
    }
  return given;
}

}  // namespace

std::string simulate_responses(const Study& study, const ResponseTruth& truth, std::uint64_t seed) {
  if (!(truth.rate > 0 && truth.rate < 1)) fail("a rate of {} was asked for; it lies between 0 and 1", truth.rate);
  Random random(seed);
  std::string lines;
  for (const Session& session : study.sessions) {
    const double rate = own_rate(truth.rate, truth.spread, random), mood = 0.5 * std::normal_distribution<double>()(random);
    json answers = json::object();
    for (const auto* scales : {&study.options.before, &study.options.after})
      for (const Scale& scale : *scales)
        for (std::size_t q = 0; q < scale.questions.size(); ++q) answers[scale.name].push_back(1 + static_cast<int>(uniform(random) * scale.points));
    const json person = {{"study", study.options.id}, {"participant", session.participant}};
    json line = person;
    line.update({{"kind", "participant"}, {"consent", true}, {"answers", answers}});
    lines += line.dump() + "\n";
    for (std::size_t n = 0; n < session.trials.size(); ++n) {
      line = person;
      line.update({{"kind", "trial"}, {"order", n}, {"items", session.trials[n].items}, {"seconds", 1 + 2 * uniform(random)}});
      if (study.options.design == Design::rating) line["ratings"] = ratings(study, session.trials[n], mood, truth.rating_gain, random);
      else line["response"] = response(study, session.trials[n], rate, truth.tie_share, random);
      lines += line.dump() + "\n";
    }
  }
  return lines;
}

double simulated_power(int participants, int trials_each, double rate, double spread, double alpha, int studies, std::uint64_t seed) {
  Random random(seed);
  int found = 0;
  for (int study = 0; study < studies; ++study) {
    std::vector<Cluster> people;
    for (int p = 0; p < participants; ++p) {
      const double own = own_rate(rate, spread, random);
      people.push_back({std::binomial_distribution<int>(trials_each, own)(random), trials_each});
    }
    const MixedRate m = mixed_rate(people, 0);
    found += m.rate > 0.5 && m.p_half < 2 * alpha ? 1 : 0;   // the likelihood ratio looks both ways
  }
  return static_cast<double>(found) / studies;
}

}  // namespace simulacra::preference
