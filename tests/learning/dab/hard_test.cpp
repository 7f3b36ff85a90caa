// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "learning/dab/hard.h"
#include "learning/dab/neural_sort.h"
#include "render/base/error.h"

namespace simulacra::learning {
namespace {

constexpr const char* kNames[] = {"signum", "minus_sign", "binary", "parity", "quantise", "sensor", "sort", "argmax"};

TEST(HardFunction, KeepsNanAndType) {
  for (const char* name : kNames)
    for (const auto type : {torch::kDouble, torch::kFloat, torch::kBFloat16}) {
      torch::Tensor z = torch::rand({3, 4}).to(type);
      z[1][2] = std::numeric_limits<double>::quiet_NaN();
      const torch::Tensor y = hard_function(name)(z);
      EXPECT_EQ(y.scalar_type(), type) << name;
      EXPECT_TRUE(y[1].isnan().any().item<bool>()) << name;
      EXPECT_FALSE(y[0].isnan().any().item<bool>()) << name;
    }
}

TEST(HardFunction, SensorClipsAndRounds) {
  const torch::Tensor z = torch::tensor({-1.0, 0.0, 0.1, 0.17, 0.5, 0.9, 1.0, 7.0}, torch::kDouble);
  const torch::Tensor levels = torch::tensor({0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 3.0, 3.0}, torch::kDouble) / 3;
  EXPECT_TRUE(torch::allclose(hard::sensor(z, 2), levels));
  EXPECT_TRUE(torch::allclose(hard::sensor(4 * z, 2, 4), 4 * levels));
  EXPECT_TRUE(torch::equal(hard::sensor(hard::sensor(z, 8), 8), hard::sensor(z, 8)));
  EXPECT_THROW(hard::sensor(z, 0), Error);
}

TEST(HardFunction, ArgmaxTakesTheFirstLargest) {
  const torch::Tensor z = torch::tensor({{1.0, 5.0, 5.0}, {0.0, -1.0, -2.0}});
  EXPECT_TRUE(torch::equal(hard::argmax(z), torch::tensor({{0.0f, 1.0f, 0.0f}, {1.0f, 0.0f, 0.0f}})));
}

TEST(HardFunction, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  try {
    hard_function("round");
    FAIL();
  } catch (const UsageError& e) {
    for (const char* name : kNames) EXPECT_THAT(std::string(e.what()), ::testing::HasSubstr(name));
  }
}

TEST(NeuralSort, LabelsArePermutationsAndChanceIsChance) {
  torch::manual_seed(4);
  constexpr std::int64_t kRows = 20000, kLength = 3;
  const torch::Tensor labels = sort_labels(torch::rand({kRows, kLength}));
  EXPECT_TRUE(torch::equal(std::get<0>(labels.sort(1)), torch::arange(kLength).expand({kRows, kLength})));
  // Independent guesses are right with T^-T, one fixed order with 1/T!; 4 standard errors.
  const auto allowed = [](double p) { return 4 * std::sqrt(p * (1 - p) / kRows); };
  EXPECT_NEAR(all_or_none_accuracy(torch::rand({kRows, kLength, kLength}), labels), 1.0 / 27, allowed(1.0 / 27));
  EXPECT_NEAR(all_or_none_accuracy(torch::eye(kLength).expand({kRows, kLength, kLength}), labels), 1.0 / 6, allowed(1.0 / 6));
}

}  // namespace
}  // namespace simulacra::learning
