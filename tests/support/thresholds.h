// SPDX-License-Identifier: Apache-2.0
// What end-to-end experiments have to reach: ../shared/acceptance/learning/thresholds.json.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace simulacra::test {

/// One line such as ["sort_dab - sort_ste", ">=", 0.08].
struct ThresholdCheck {
  std::string expression;  ///< a name, "a - b", "a / b", or for "order of the means" a chain "a <= b <= c"
  std::string relation;    ///< "<=", ">=", "<", ">", "==" or "order of the means"
  nlohmann::json bound;    ///< a number, or the name of one
};

/// The checks of an experiment by its id; throws when there is none. Needs the shared data.
std::vector<ThresholdCheck> threshold_checks(const std::string& id);

/// Whether the measured values, by the names of the expression, are as the check demands. The message has the value.
::testing::AssertionResult holds(const ThresholdCheck& check, const std::map<std::string, double>& measured);

}  // namespace simulacra::test
