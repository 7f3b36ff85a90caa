// SPDX-License-Identifier: Apache-2.0
#include "sim2real/preference/study.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "render/base/error.h"
#include "sim2real/preference/orders.h"
#include "sim2real/preference/src/page_text.h"

namespace simulacra::preference {
namespace {

using Random = std::mt19937_64;
using Places = std::vector<std::size_t>;

template <typename T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

/// The items of each condition in a seeded order, taken in turn: over all participants every item equally often, to one.
class Decks {
 public:
  Decks(const Study& study, Random& random) {
    for (std::size_t i = 0; i < study.items.size(); ++i)
      if (study.items[i].check.empty()) decks_[study.items[i].condition].items.push_back(i);
    for (auto& [condition, deck] : decks_) shuffle(deck.items, random);
  }
  std::size_t size(const std::string& condition) const { return decks_.at(condition).items.size(); }
  std::size_t next(const std::string& condition) {
    Deck& deck = decks_.at(condition);
    return deck.items[deck.taken++ % deck.items.size()];
  }

 private:
  struct Deck {
    Places items;
    std::size_t taken = 0;
  };
  std::map<std::string, Deck> decks_;
};

void check_counts(const StudyOptions& o, std::size_t unit, const char* what) {
  if (o.participants < 1 || o.trials < 1) fail("a study takes participants and trials; there are {} and {}", o.participants, o.trials);
  if (static_cast<std::size_t>(o.trials) % unit != 0)
    fail("{} trials cannot be balanced over {}: they must be a multiple of {}", o.trials, what, unit);
}

void check_supply(const Decks& decks, const std::vector<std::string>& conditions, std::size_t needed) {
  for (const std::string& c : conditions)
    if (decks.size(c) < needed) fail("condition '{}' has {} items; without repetition a participant needs {}", c, decks.size(c), needed);
}

std::vector<Trial> single_trials(const StudyOptions& o, const std::vector<std::string>& conditions, Decks& decks, Random& random) {
  std::vector<Trial> trials;
  while (trials.size() < static_cast<std::size_t>(o.trials)) {
    std::vector<Trial> block;
    for (const std::string& c : conditions) block.push_back({{decks.next(c)}, false});
    shuffle(block, random);
    trials.insert(trials.end(), block.begin(), block.end());
  }
  return trials;
}

std::vector<Trial> pair_trials(const StudyOptions& o, const std::vector<std::string>& conditions, Decks& decks, Random& random) {
  std::vector<Trial> trials;
  while (trials.size() < static_cast<std::size_t>(o.trials)) {
    std::vector<Trial> block;
    for (std::size_t a = 0; a < conditions.size(); ++a)
      for (std::size_t b = a + 1; b < conditions.size(); ++b)
        for (const bool turned : {false, true}) {
          const std::size_t first = decks.next(conditions[a]), second = decks.next(conditions[b]);
          block.push_back({turned ? Places{second, first} : Places{first, second}, false});
        }
    shuffle(block, random);
    trials.insert(trials.end(), block.begin(), block.end());
  }
  return trials;
}

std::vector<Trial> rating_trials(const StudyOptions& o, const std::vector<std::string>& conditions, Decks& decks, std::size_t participant) {
  const auto orders = balanced_orders(static_cast<int>(conditions.size()));
  std::vector<Trial> trials;
  for (std::size_t round = 0; trials.size() < static_cast<std::size_t>(o.trials); ++round)
    for (const int c : orders[(participant + round) % orders.size()]) trials.push_back({{decks.next(conditions[static_cast<std::size_t>(c)])}, false});
  return trials;
}

/// One check in the middle of each of as many equal parts, moved within its part by chance.
void insert_checks(std::vector<Trial>& trials, const Study& study, Random& random) {
  std::map<std::string, Places> by_answer;
  for (std::size_t i = 0; i < study.items.size(); ++i)
    if (!study.items[i].check.empty()) by_answer[study.items[i].check].push_back(i);
  const auto count = static_cast<std::size_t>(std::max(0, study.options.checks));
  if (count == 0 || by_answer.empty()) return;
  std::vector<Trial> checks;
  for (std::size_t n = 0; n < count; ++n) {
    if (study.options.design == Design::pair) {
      if (!by_answer.contains("yes") || !by_answer.contains("no")) fail("attention checks of pairs take items with check 'yes' and others with check 'no'");
      Places pair = {by_answer["yes"][n % by_answer["yes"].size()], by_answer["no"][n % by_answer["no"].size()]};
      if (random() & 1) std::swap(pair[0], pair[1]);
      checks.push_back({pair, true});
    } else {
      auto answer = by_answer.begin();
      std::advance(answer, static_cast<std::ptrdiff_t>(n % by_answer.size()));
      checks.push_back({{answer->second[(n / by_answer.size()) % answer->second.size()]}, true});
    }
  }
  for (std::size_t n = count; n-- > 0;) {
    const std::size_t first = n * trials.size() / count, last = (n + 1) * trials.size() / count;
    trials.insert(trials.begin() + static_cast<std::ptrdiff_t>(first + random() % std::max<std::size_t>(1, last - first)), checks[n]);
  }
}

/// What the page shows, and nothing that tells conditions, names of items, the target or checks.
nlohmann::json blinded(const Study& study) {
  nlohmann::json j = study_json(study);
  for (const char* key : {"target", "seed", "checks", "trials"}) j.erase(key);
  for (nlohmann::json& item : j["items"]) item = {{"media", item["media"]}, {"text", item["text"]}};
  for (nlohmann::json& session : j["sessions"])
    for (nlohmann::json& trial : session["trials"]) trial.erase("check");
  return j;
}

}  // namespace

double scale_score(const Scale& scale, const std::vector<int>& answers) {
  if (answers.size() != scale.questions.size() || answers.empty())
    fail("scale '{}' has {} questions and got {} answers", scale.name, scale.questions.size(), answers.size());
  double sum = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] < 1 || answers[i] > scale.points) fail("scale '{}': an answer of {}; it goes from 1 to {}", scale.name, answers[i], scale.points);
    sum += scale.questions[i].reversed ? scale.points + 1 - answers[i] : answers[i];
  }
  return sum / static_cast<double>(answers.size());
}

std::vector<std::string> Study::conditions() const {
  std::vector<std::string> names;
  for (const Item& item : items)
    if (item.check.empty() && std::ranges::find(names, item.condition) == names.end()) names.push_back(item.condition);
  return names;
}

Study make_study(const StudyOptions& options, std::vector<Item> items) {
  Study study{options, std::move(items), {}};
  std::set<std::string> ids;
  for (const Item& item : study.items)
    if (!ids.insert(item.id).second) fail("item '{}' stands twice in study '{}'", item.id, options.id);
  const std::vector<std::string> conditions = study.conditions();
  if (conditions.size() < 2) fail("study '{}' has {} conditions; it takes two or more", options.id, conditions.size());
  if (!options.target.empty() && std::ranges::find(conditions, options.target) == conditions.end())
    fail("no item is of the target condition '{}'", options.target);
  const std::size_t k = conditions.size(), trials = static_cast<std::size_t>(std::max(options.trials, 0)), num_pairs = k * (k - 1);
  check_counts(options, options.design == Design::pair ? num_pairs : k, options.design == Design::pair ? "pairs of conditions and sides" : "conditions");

  Random random(options.seed);
  Decks decks(study, random);
  check_supply(decks, conditions, options.design == Design::pair ? trials / num_pairs * 2 * (k - 1) : trials / k);
  for (int p = 0; p < options.participants; ++p) {
    Session session{fmt::format("p{:02d}", p + 1), {}};
    session.trials = options.design == Design::single ? single_trials(options, conditions, decks, random)
                     : options.design == Design::pair ? pair_trials(options, conditions, decks, random)
                                                      : rating_trials(options, conditions, decks, static_cast<std::size_t>(p));
    insert_checks(session.trials, study, random);
    study.sessions.push_back(std::move(session));
  }
  return study;
}

std::string study_page(const Study& study) {
  std::string json = blinded(study).dump();
  // Inside a script element, only "<" could end it.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) json.replace(at, 1, "\\u003c");
  std::string page(kPageText);
  constexpr std::string_view kPlace = "{{study}}";
  const std::size_t place = page.find(kPlace);
  SIM_CHECK(place != std::string::npos);
  page.replace(place, kPlace.size(), json);
  return page;
}

}  // namespace simulacra::preference
