// SPDX-License-Identifier: Apache-2.0
#include "tests/support/thresholds.h"

#include <fstream>
#include <stdexcept>

#include "tests/support/shared_data.h"

namespace simulacra::test {
namespace {

using Measured = std::map<std::string, double>;

double value_of(const std::string& expression, const Measured& measured) {
  if (const auto found = measured.find(expression); found != measured.end()) return found->second;
  for (const char* op : {" / ", " - "})
    if (const auto at = expression.find(op); at != std::string::npos) {
      const double a = value_of(expression.substr(0, at), measured), b = value_of(expression.substr(at + 3), measured);
      return op[1] == '/' ? a / b : a - b;
    }
  throw std::runtime_error("nothing was measured that is called '" + expression + "'");
}

/// NaN is in no relation.
bool related(double a, const std::string& relation, double b) {
  if (relation == "<=") return a <= b;
  if (relation == ">=") return a >= b;
  if (relation == "<") return a < b;
  if (relation == ">") return a > b;
  if (relation == "==") return a == b;
  throw std::runtime_error("no relation is called '" + relation + "'");
}

::testing::AssertionResult ascending(const std::string& chain, const Measured& measured) {
  const auto at = chain.find(" <= ");
  if (at == std::string::npos) return ::testing::AssertionSuccess();
  const std::string rest = chain.substr(at + 4), next = rest.substr(0, rest.find(" <= "));
  const double a = value_of(chain.substr(0, at), measured), b = value_of(next, measured);
  if (!(a <= b)) return ::testing::AssertionFailure() << chain.substr(0, at) << " = " << a << " is above " << next << " = " << b;
  return ascending(rest, measured);
}

}  // namespace

std::vector<ThresholdCheck> threshold_checks(const std::string& id) {
  const auto shared = shared_folder();
  if (!shared) throw std::runtime_error("no shared data");
  const auto path = *shared / "acceptance/learning/thresholds.json";
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  const nlohmann::json file = nlohmann::json::parse(in);
  for (const auto& experiment : file.at("experiments")) {
    if (experiment.at("id") != id) continue;
    std::vector<ThresholdCheck> checks;
    for (const auto& c : experiment.at("checks")) checks.push_back({c.at(0), c.at(1), c.at(2)});
    return checks;
  }
  throw std::runtime_error("no experiment is called " + id);
}

::testing::AssertionResult holds(const ThresholdCheck& check, const Measured& measured) {
  if (check.relation == "order of the means") return ascending(check.expression, measured);
  const double got = value_of(check.expression, measured);
  const double bound = check.bound.is_string() ? value_of(check.bound.get<std::string>(), measured) : check.bound.get<double>();
  auto result = related(got, check.relation, bound) ? ::testing::AssertionSuccess() : ::testing::AssertionFailure();
  return result << check.expression << " = " << got << ", demanded " << check.relation << " " << bound;
}

}  // namespace simulacra::test
