// SPDX-License-Identifier: Apache-2.0
// Independent reference values: one JSON file a method, schema "simulacra-learning-golden/1". They lie in the folder that
// the environment variable SIMULACRA_GOLDEN names, else in ../shared/acceptance/learning/golden.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace simulacra::test::golden {

using Json = nlohmann::json;

/// Row major.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<double> values;
};

// The generator behind inputs that a file names by seed only: output i of `seed`, modulo 2^64.
std::uint64_t raw(std::uint64_t seed, std::uint64_t i);
/// kind: uni24, sym24, sym8, normal12, cube24, int (0 … n-1), perm (of 0 … n-1).
std::vector<double> generate(std::string_view kind, std::uint64_t seed, std::size_t count, double scale = 1, std::uint64_t n = 0);
/// An orthogonal n x n matrix, row major: three Householder reflections.
std::vector<double> orthogonal(std::uint64_t seed, std::size_t n);

/// The values of {"shape", "data"} or {"shape", "gen"}, or of a plain list, nested or not.
Tensor tensor(const Json& value);

/// The folder, or nullopt when there is none.
std::optional<std::filesystem::path> folder();
/// The file of a method, "sigmoid_attention". Throws when it is absent or of another schema.
Json load(const std::string& method);
/// The case of this name; throws when there is none.
const Json& find_case(const Json& file, std::string_view name);
/// What the file and the case allow for "float64", "float32", "bfloat16" or "float16"; nullopt = not meant for this type.
std::optional<Json> tolerance(const Json& file, const Json& the_case, const std::string& type);

/// The comparison rule: max |got - expected| <= atol + rtol * M, where M is the largest magnitude in the expected
/// tensor, or NAME_scale where the expectation has it. `path` is "o" or "sums/o", below `expected`. A digest bounds its
/// entries so, and its weighted and plain sum by sqrt(number of elements) times as much.
::testing::AssertionResult agrees(const Json& expected, std::string_view path, std::span<const double> got, const Json& tolerance);
inline ::testing::AssertionResult agrees(const Json& expected, std::string_view path, double got, const Json& tolerance) {
  return agrees(expected, path, std::span<const double>(&got, 1), tolerance);
}

/// ||got - expected|| / ||expected|| of an expectation whose values are listed; nullopt for a digest or a zero.
std::optional<double> relative_frobenius(const Json& expected, std::span<const double> got);

/// First line of a golden test.
#define SIM_NEED_GOLDEN(variable, method)                                                          \
  if (!::simulacra::test::golden::folder()) GTEST_SKIP() << "skipped: no shared data";             \
  const ::simulacra::test::golden::Json variable = ::simulacra::test::golden::load(method)

}  // namespace simulacra::test::golden
