// SPDX-License-Identifier: Apache-2.0
// Golden numbers as tensors.
#pragma once

#include <torch/torch.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/golden.h"

namespace simulacra::test::golden {

/// The types that a file may give a tolerance for.
inline constexpr std::array<const char*, 4> kTypes = {"float64", "float32", "bfloat16", "float16"};

inline torch::ScalarType scalar_type(const std::string& name) {
  if (name == "float64") return torch::kDouble;
  if (name == "float32") return torch::kFloat;
  if (name == "bfloat16") return torch::kBFloat16;
  return torch::kHalf;
}

inline torch::Tensor to_torch(const Tensor& t, torch::ScalarType type = torch::kDouble) {
  return torch::tensor(t.values, torch::kDouble).view(t.shape).to(type);
}
inline torch::Tensor to_torch(const Json& value, torch::ScalarType type = torch::kDouble) { return to_torch(tensor(value), type); }

inline std::vector<double> values_of(const torch::Tensor& t) {
  const torch::Tensor flat = t.detach().to(torch::kDouble).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

inline ::testing::AssertionResult agrees(const Json& expected, std::string_view path, const torch::Tensor& got, const Json& tolerance) {
  return agrees(expected, path, std::span<const double>(values_of(got)), tolerance);
}

/// Calls check(case, type, tolerance) for every case that `chosen(case)` picks and every type that the file means for it. At
/// least one must be picked.
template <typename Chosen, typename Check>
void for_each_case(const Json& file, Chosen chosen, Check check) {
  int cases = 0;
  for (const Json& c : file.at("cases")) {
    if (!chosen(c)) continue;
    for (const char* type : kTypes)
      if (const auto allowed = tolerance(file, c, type)) {
        SCOPED_TRACE(c.at("name").get<std::string>() + " in " + type);
        check(c, scalar_type(type), *allowed);
        ++cases;
      }
  }
  EXPECT_GT(cases, 0);
}

/// The largest element of |a - b|; NaN when there is one.
inline double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a.detach().to(torch::kDouble) - b.detach().to(torch::kDouble)).abs().max().item<double>();
}

}  // namespace simulacra::test::golden
