// SPDX-License-Identifier: Apache-2.0
// The error of sigmoid attention beside float64 must not grow with the number of keys: unit-normal scores, b = -ln n, inputs
// rounded to the type first.
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "learning/kernels/sigmoid_attention.h"
#include "learning/ops/sigmoid_attention.h"
#include "tests/learning/experiments/experiment.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra {
namespace {

using torch::Tensor;

constexpr std::int64_t kQueries = 64, kWidth = 64;

/// Relative Frobenius error of the operator with n keys in a type.
double error_of(at::ScalarType type, std::int64_t n) {
  torch::manual_seed(static_cast<std::uint64_t>(n));
  const auto rows = [&](std::int64_t count) { return torch::randn({1, 1, count, kWidth}, torch::kDouble).to(type); };
  const Tensor q = rows(kQueries), k = rows(n), v = rows(n);
  const double bias = -std::log(static_cast<double>(n));
  const Tensor score = torch::matmul(q.to(torch::kDouble), k.to(torch::kDouble).transpose(2, 3)) / std::sqrt(static_cast<double>(kWidth));
  const Tensor exact = torch::matmul(torch::sigmoid(score + bias), v.to(torch::kDouble));
  const Tensor o = ops::sigmoid_attention(q, k, v, torch::full({}, bias, torch::kDouble)).to(torch::kDouble);
  return ((o - exact).norm() / exact.norm()).item<double>();
}

class AttentionPrecision : public ::testing::TestWithParam<const char*> {
 protected:
  void TearDown() override { unsetenv("SIMULACRA_CPU_PATH"); }
};

TEST_P(AttentionPrecision, ReachesTheThresholdsAtAnyLength) {
  SIM_NEED_SHARED_DATA(shared);
  if (!kernels::attention::has_cpu_path(kernels::attention::cpu_path_named(GetParam()))) GTEST_SKIP() << "skipped: this processor has no " << GetParam();
  setenv("SIMULACRA_CPU_PATH", GetParam(), 1);
  test::Runs runs;
  std::map<std::string, double> measured;
  for (const auto& [name, type] : {std::pair{"float32", at::kFloat}, {"bfloat16", at::kBFloat16}, {"float16", at::kHalf}}) {
    for (const std::int64_t n : {256, 1024, 4096, 16384}) runs[name].push_back(error_of(type, n));
    measured[name] = std::ranges::max(runs[name]);
    // Sums of n terms in float32 lose a little; twice the shortest's error is far from the half-angle form's hundredfold.
    EXPECT_LE(runs[name].back(), 2 * runs[name].front()) << name << ": the error grows with n";
  }
  test::Runs scaled;
  for (const auto& [name, errors] : runs)
    for (const double e : errors) scaled[name + " x 1e6"].push_back(1e6 * e);
  test::print((std::string("attention_precision ") + GetParam()).c_str(), scaled);
  for (const auto& check : test::threshold_checks("attention_precision")) EXPECT_TRUE(test::holds(check, measured));
}

INSTANTIATE_TEST_SUITE_P(Paths, AttentionPrecision, ::testing::Values("reference", "avx2", "avx512", "amx"), [](const auto& path) { return std::string(path.param); });

}  // namespace
}  // namespace simulacra
