// SPDX-License-Identifier: Apache-2.0
#include "render/base/error.h"

#include <gtest/gtest.h>

namespace simulacra {
namespace {

TEST(Errors, CarryTheirFormattedText) {
  try {
    fail("{}: {} found, {} expected", "a.png", 3, 4);
  } catch (const UsageError&) {
    FAIL() << "a failure of the outside is no wrong request";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "a.png: 3 found, 4 expected");
  }
  EXPECT_THROW(fail_usage("no option is called '{}'", "x"), UsageError);
}

TEST(ErrorsDeathTest, ABugStopsTheProgramAndNamesTheCondition) {
  const int one = 1;
  EXPECT_DEATH(SIM_CHECK(one == 2), "one == 2");
  SIM_CHECK(one == 1);
}

}  // namespace
}  // namespace simulacra
