// SPDX-License-Identifier: Apache-2.0
// The generator behind the golden files, and the comparison rule itself.
#include "tests/support/golden.h"

#include <fmt/format.h>

#include <cmath>

namespace simulacra::test::golden {
namespace {

TEST(Generator, KnownAnswers) {
  SIM_NEED_GOLDEN(file, "generator");
  for (const Json& c : file.at("cases")) {
    SCOPED_TRACE(c.at("name").get<std::string>());
    const Json& p = c.at("params");
    const Json& expected = c.at("expected");
    const auto seed = p.at("seed").get<std::uint64_t>();
    if (expected.contains("hex")) {
      const auto hex = expected.at("hex").get<std::vector<std::string>>();
      for (std::size_t i = 0; i < hex.size(); ++i) EXPECT_EQ(fmt::format("{:016x}", raw(seed, i)), hex[i]);
    } else if (p.contains("kind")) {
      std::size_t count = 1;
      for (const auto& s : p.at("shape")) count *= s.get<std::size_t>();
      const auto got = generate(p.at("kind").get<std::string>(), seed, count, p.value("scale", 1.0), p.value("n", std::uint64_t{0}));
      EXPECT_TRUE(agrees(expected, "values", got, *tolerance(file, c, "float64")));
    } else {
      const auto n = p.at("n").get<std::size_t>();
      const Json exact = {{"rtol", 0.0}, {"atol", tolerance(file, c, "float64")->at("orthogonal_atol")}};
      for (const auto& [name, value] : expected.items())
        if (value.is_object() && value.contains("shape")) {
          EXPECT_TRUE(agrees(expected, name, orthogonal(seed, n), exact)) << name;
        }
    }
  }
}

TEST(ComparisonRule, SeesWhatIsOff) {
  const Json tol = {{"rtol", 0.0}, {"atol", 0.5}};
  const Json expected = {{"x", {{"shape", {3}}, {"data", {1, 2, 3}}}}, {"s", 10.0}, {"s_scale", 100.0}};
  EXPECT_TRUE(agrees(expected, "x", std::vector<double>{1.4, 2, 3}, tol));
  EXPECT_FALSE(agrees(expected, "x", std::vector<double>{1.6, 2, 3}, tol));
  EXPECT_FALSE(agrees(expected, "x", std::vector<double>{1, 2}, tol));
  EXPECT_FALSE(agrees(expected, "x", std::vector<double>{1, 2, std::nan("")}, tol));
  EXPECT_TRUE(agrees(expected, "s", 10.9, Json{{"rtol", 0.01}, {"atol", 0.0}}));
  EXPECT_FALSE(agrees(expected, "s", 11.1, Json{{"rtol", 0.01}, {"atol", 0.0}}));
}

TEST(ComparisonRule, ADigestBoundsEntriesAndSums) {
  const std::vector<double> values = generate("sym24", 5, 1000);
  const std::vector<double> weights = generate("sym24", 9, 1000);
  double sum = 0, weighted = 0, maxabs = 0;
  for (std::size_t i = 0; i < 1000; ++i) sum += values[i], weighted += values[i] * weights[i], maxabs = std::max(maxabs, std::abs(values[i]));
  const Json expected = {{"x", {{"shape", {1000}}, {"digest", {{"sum", sum}, {"maxabs", maxabs}, {"wsum", weighted}, {"wseed", 9},
                                                               {"at", {0, 999}}, {"values", {values[0], values[999]}}}}}}};
  const Json tol = {{"rtol", 1e-6}, {"atol", 0.0}};
  EXPECT_TRUE(agrees(expected, "x", values, tol));
  std::vector<double> wrong = values;
  wrong[999] += 1e-3;
  EXPECT_FALSE(agrees(expected, "x", wrong, tol));
  wrong = values;
  wrong[500] += 1e-3;
  EXPECT_FALSE(agrees(expected, "x", wrong, tol));
}

}  // namespace
}  // namespace simulacra::test::golden
