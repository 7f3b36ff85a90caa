// SPDX-License-Identifier: Apache-2.0
#include "tests/support/thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/shared_data.h"

namespace simulacra::test {
namespace {

const std::map<std::string, double> kMeasured = {{"a", 3}, {"b", 2}, {"error(best one)", 4}, {"nan", NAN}};

TEST(Thresholds, NamesDifferencesAndRatiosAreCompared) {
  EXPECT_TRUE(holds({"a", ">=", 3}, kMeasured));
  EXPECT_FALSE(holds({"a", ">", 3}, kMeasured));
  EXPECT_TRUE(holds({"a - b", "<=", 1.0}, kMeasured));
  EXPECT_FALSE(holds({"a - b", "<=", 0.9}, kMeasured));
  EXPECT_TRUE(holds({"b / error(best one)", "==", 0.5}, kMeasured));
  EXPECT_TRUE(holds({"b", "<", "error(best one)"}, kMeasured));
  EXPECT_FALSE(holds({"nan", "<=", 1}, kMeasured));
  EXPECT_FALSE(holds({"nan", ">=", 1}, kMeasured));
  EXPECT_THROW(holds({"c", "<=", 1}, kMeasured), std::runtime_error);
}

TEST(Thresholds, ChainsAreInOrder) {
  EXPECT_TRUE(holds({"b <= a <= error(best one)", "order of the means", true}, kMeasured));
  EXPECT_FALSE(holds({"b <= error(best one) <= a", "order of the means", true}, kMeasured));
  EXPECT_FALSE(holds({"b <= nan", "order of the means", true}, kMeasured));
}

TEST(Thresholds, TheFileIsRead) {
  SIM_NEED_SHARED_DATA(shared);
  EXPECT_GT(threshold_checks("dab_classifier").size(), 3u);
  EXPECT_THROW(threshold_checks("none"), std::runtime_error);
}

}  // namespace
}  // namespace simulacra::test
