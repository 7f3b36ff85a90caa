// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "tests/support/shared_data.h"

namespace simulacra::test::golden {
namespace {

namespace fs = std::filesystem;

void flatten(const Json& value, std::vector<double>& out) {
  if (value.is_array()) {
    for (const Json& item : value) flatten(item, out);
  } else {
    out.push_back(value.is_boolean() ? static_cast<double>(value.get<bool>()) : value.get<double>());
  }
}

const Json& at_path(const Json& root, std::string_view path) {
  const Json* node = &root;
  while (!path.empty()) {
    const auto slash = path.find('/');
    node = &node->at(std::string(path.substr(0, slash)));
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return *node;
}

double largest(std::span<const double> values) {
  double m = 0;
  for (const double v : values) m = std::max(m, std::abs(v));
  return m;
}

/// Written so that a NaN is no agreement.
bool within(double got, double expected, double allowance) { return std::abs(got - expected) <= allowance; }

std::vector<double> permutation(std::uint64_t seed, std::uint64_t n) {
  std::vector<double> p(n);
  for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<double>(i);
  for (std::uint64_t t = 0; t + 1 < n; ++t) {
    const std::uint64_t i = n - 1 - t;
    std::swap(p[i], p[raw(seed, t) % (i + 1)]);
  }
  return p;
}

double element(std::string_view kind, std::uint64_t seed, std::uint64_t k, std::uint64_t n) {
  const auto top24 = [&] { return static_cast<double>(raw(seed, k) >> 40); };
  if (kind == "uni24") return top24() * 0x1p-24;
  if (kind == "sym24") return top24() * 0x1p-23 - 1;
  if (kind == "sym8") return static_cast<double>(raw(seed, k) >> 56) * 0x1p-7 - 1;
  if (kind == "cube24") {
    const double t = top24() * 0x1p-23 - 1;
    return t * t * t;
  }
  if (kind == "normal12") {
    double sum = 0;
    for (std::uint64_t j = 0; j < 12; ++j) sum += static_cast<double>(raw(seed, 12 * k + j) >> 48) * 0x1p-16;
    return sum - 6;
  }
  if (kind == "int") return static_cast<double>(raw(seed, k) % n);
  throw std::runtime_error("no generator is called " + std::string(kind));
}

::testing::AssertionResult differs(std::string_view path, const std::string& what, double got, double expected, double allowance) {
  return ::testing::AssertionFailure() << path << ": " << what << " is " << got << ", expected " << expected << " within "
                                       << allowance << " (off by " << std::abs(got - expected) << ")";
}

::testing::AssertionResult digest_agrees(const Json& digest, std::string_view path, std::span<const double> got, double rtol,
                                         double atol) {
  const double allowance = atol + rtol * digest.at("maxabs").get<double>();
  const auto at = digest.at("at").get<std::vector<std::size_t>>();
  const auto values = digest.at("values").get<std::vector<double>>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] >= got.size()) return ::testing::AssertionFailure() << path << ": only " << got.size() << " values";
    if (!within(got[at[i]], values[i], allowance))
      return differs(path, "element " + std::to_string(at[i]), got[at[i]], values[i], allowance);
  }
  const auto weights = generate("sym24", digest.at("wseed").get<std::uint64_t>(), got.size());
  double sum = 0, weighted = 0;
  for (std::size_t i = 0; i < got.size(); ++i) sum += got[i], weighted += got[i] * weights[i];
  const double total = allowance * std::sqrt(static_cast<double>(got.size()));
  if (!within(weighted, digest.at("wsum").get<double>(), total))
    return differs(path, "weighted sum", weighted, digest.at("wsum").get<double>(), total);
  if (!within(sum, digest.at("sum").get<double>(), total)) return differs(path, "sum", sum, digest.at("sum").get<double>(), total);
  return ::testing::AssertionSuccess();
}

}  // namespace

std::uint64_t raw(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

std::vector<double> generate(std::string_view kind, std::uint64_t seed, std::size_t count, double scale, std::uint64_t n) {
  if (kind == "perm") return permutation(seed, n);
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = element(kind, seed, k, n) * scale;
  return values;
}

std::vector<double> orthogonal(std::uint64_t seed, std::size_t n) {
  std::vector<double> q(n * n);
  for (std::size_t i = 0; i < n; ++i) q[i * n + i] = 1;
  for (std::uint64_t k = 0; k < 3; ++k) {
    std::vector<double> v = generate("normal12", seed + 101 * k, n);
    double norm = 0;
    for (const double x : v) norm += x * x;
    for (double& x : v) x /= std::sqrt(norm);
    for (std::size_t i = 0; i < n; ++i) {
      double dot = 0;
      for (std::size_t j = 0; j < n; ++j) dot += q[i * n + j] * v[j];
      for (std::size_t j = 0; j < n; ++j) q[i * n + j] -= 2 * dot * v[j];
    }
  }
  return q;
}

Tensor tensor(const Json& value) {
  Tensor t;
  if (!value.is_object()) {
    flatten(value, t.values);
    for (const Json* level = &value; level->is_array(); level = &level->front()) {
      t.shape.push_back(static_cast<std::int64_t>(level->size()));
      if (level->empty()) break;
    }
    return t;
  }
  t.shape = value.at("shape").get<std::vector<std::int64_t>>();
  if (value.contains("data")) {
    flatten(value.at("data"), t.values);
  } else {
    std::size_t count = 1;
    for (const std::int64_t s : t.shape) count *= static_cast<std::size_t>(s);
    const Json& gen = value.at("gen");
    t.values = generate(gen.at("kind").get<std::string>(), gen.at("seed").get<std::uint64_t>(), count, gen.value("scale", 1.0),
                        gen.value("n", std::uint64_t{0}));
  }
  return t;
}

std::optional<fs::path> folder() {
  if (const char* chosen = std::getenv("SIMULACRA_GOLDEN")) return fs::path(chosen);
  const auto shared = shared_folder();
  if (!shared || !fs::is_directory(*shared / "acceptance/learning/golden")) return std::nullopt;
  return *shared / "acceptance/learning/golden";
}

Json load(const std::string& method) {
  const auto where = folder();
  if (!where) throw std::runtime_error("no folder of golden files");
  const fs::path path = *where / (method + ".json");
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  Json file = Json::parse(in);
  if (file.at("schema") != "simulacra-learning-golden/1" || file.at("method") != method)
    throw std::runtime_error(path.string() + " is of another schema or method");
  return file;
}

const Json& find_case(const Json& file, std::string_view name) {
  for (const Json& c : file.at("cases"))
    if (c.at("name") == name) return c;
  throw std::runtime_error("no case is called " + std::string(name));
}

std::optional<Json> tolerance(const Json& file, const Json& the_case, const std::string& type) {
  Json merged = file.at("tol");
  if (the_case.contains("tol") && the_case.at("tol").is_object()) merged.update(the_case.at("tol"));
  if (!merged.contains(type) || merged.at(type).is_null()) return std::nullopt;
  return merged.at(type);
}

::testing::AssertionResult agrees(const Json& expected, std::string_view path, std::span<const double> got, const Json& tol) {
  const Json& value = at_path(expected, path);
  const double rtol = tol.at("rtol").get<double>(), atol = tol.at("atol").get<double>();
  if (value.is_object() && value.contains("digest")) return digest_agrees(value.at("digest"), path, got, rtol, atol);
  const Tensor want = tensor(value);
  if (want.values.size() != got.size())
    return ::testing::AssertionFailure() << path << ": " << got.size() << " values, expected " << want.values.size();
  const auto slash = path.rfind('/');
  const Json& parent = slash == std::string_view::npos ? expected : at_path(expected, path.substr(0, slash));
  const std::string scale_name = std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + "_scale";
  const double m = parent.is_object() && parent.contains(scale_name) ? parent.at(scale_name).get<double>() : largest(want.values);
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!within(got[i], want.values[i], atol + rtol * m))
      return differs(path, "element " + std::to_string(i), got[i], want.values[i], atol + rtol * m);
  return ::testing::AssertionSuccess();
}

std::optional<double> relative_frobenius(const Json& expected, std::span<const double> got) {
  if (expected.is_object() && expected.contains("digest")) return std::nullopt;
  const Tensor want = tensor(expected);
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < want.values.size(); ++i) {
    error += (got[i] - want.values[i]) * (got[i] - want.values[i]);
    norm += want.values[i] * want.values[i];
  }
  if (norm == 0) return std::nullopt;
  return std::sqrt(error / norm);
}

}  // namespace simulacra::test::golden
