// SPDX-License-Identifier: Apache-2.0
// Every case of golden/sigmoid_attention.json through the operator and autograd, in every type that the case is meant for and
// on every path of this processor.
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <set>
#include <ostream>
#include <string>
#include <vector>

#include "learning/kernels/sigmoid_attention.h"
#include "learning/ops/sigmoid_attention.h"
#include "tests/support/golden.h"

namespace {

using namespace simulacra;
using test::golden::Json;
using torch::Tensor;

struct Variant {
  std::string type_name;
  at::ScalarType type;
  std::string path;
};

const std::vector<Variant> kVariants = {
    {"float64", at::kDouble, "reference"},  {"float32", at::kFloat, "reference"},   {"float32", at::kFloat, "avx2"},
    {"float32", at::kFloat, "avx512"},      {"bfloat16", at::kBFloat16, "reference"}, {"bfloat16", at::kBFloat16, "avx2"},
    {"bfloat16", at::kBFloat16, "avx512"},  {"bfloat16", at::kBFloat16, "amx"},     {"float16", at::kHalf, "reference"},
    {"float16", at::kHalf, "avx2"},         {"float16", at::kHalf, "avx512"}};

void PrintTo(const Variant& v, std::ostream* out) { *out << v.type_name << " on " << v.path; }

/// The path that the operator takes, for as long as this lives.
struct OnPath {
  explicit OnPath(const std::string& path) { setenv("SIMULACRA_CPU_PATH", path.c_str(), 1); }
  ~OnPath() { unsetenv("SIMULACRA_CPU_PATH"); }
  OnPath(const OnPath&) = delete;
  OnPath& operator=(const OnPath&) = delete;
};

bool has_path(const std::string& path) { return kernels::attention::has_cpu_path(kernels::attention::cpu_path_named(path)); }

// Cases that are no plain call: each has a test of its own below.
const std::set<std::string> kSpecial = {"exact_relations", "pointwise", "soft_max_limit", "initial_row_sum"};

Tensor tensor_of(const Json& value, at::ScalarType type) {
  test::golden::Tensor t = test::golden::tensor(value);
  std::vector<std::int64_t> shape = t.shape;
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return torch::from_blob(t.values.data(), shape, at::kDouble).clone().to(type);
}

std::vector<double> values_of(const Tensor& t) {
  const Tensor d = t.detach().to(at::kDouble).contiguous();
  return {d.const_data_ptr<double>(), d.const_data_ptr<double>() + d.numel()};
}

ops::SigmoidAttentionOptions options_of(const Json& params) {
  ops::SigmoidAttentionOptions o;
  o.scale = params.at("scale").get<double>();
  o.causal = params.value("causal", false);
  if (params.contains("window") && !params.at("window").is_null()) {
    o.window_left = params.at("window").at(0).get<std::int64_t>();
    o.window_right = params.at("window").at(1).get<std::int64_t>();
  }
  return o;
}

std::optional<Tensor> slopes_of(const Json& params) {
  if (!params.contains("slopes")) return std::nullopt;
  return torch::tensor(params.at("slopes").get<std::vector<double>>(), at::kDouble).requires_grad_();
}

std::optional<Tensor> key_len_of(const Json& params) {
  if (!params.contains("key_len") || params.at("key_len").is_null()) return std::nullopt;
  return torch::tensor(params.at("key_len").get<std::vector<std::int64_t>>(), at::kLong);
}

struct Inputs {
  Tensor q, k, v, grad;
  Inputs(const Json& in, at::ScalarType type)
      : q(tensor_of(in.at("q"), type).requires_grad_()), k(tensor_of(in.at("k"), type).requires_grad_()),
        v(tensor_of(in.at("v"), type).requires_grad_()), grad(in.contains("do") ? tensor_of(in.at("do"), type) : Tensor()) {}
};

/// ||got - expected|| / ||expected||, also of an expectation that is a digest: then of its listed entries.
double frobenius(const Json& expected, const std::vector<double>& got) {
  if (!expected.contains("digest")) return test::golden::relative_frobenius(expected, got).value_or(0);
  const auto at = expected.at("digest").at("at").get<std::vector<std::size_t>>();
  const auto values = expected.at("digest").at("values").get<std::vector<double>>();
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    error += std::pow(got[at[i]] - values[i], 2), norm += std::pow(values[i], 2);
  return std::sqrt(error / norm);
}

void check_sums(const Json& expected, const std::string& name, const std::vector<double>& got, const Json& tol) {
  if (!expected.contains("sums")) return;
  double sum = 0, squares = 0;
  for (const double x : got) sum += x, squares += x * x;
  EXPECT_TRUE(test::golden::agrees(expected, "sums/" + name, sum, tol));
  EXPECT_TRUE(test::golden::agrees(expected, "sumsqs/" + name, squares, tol));
}

void check_case(const Json& c, const Json& tol, at::ScalarType type) {
  const Json& params = c.at("params");
  const Json& expected = c.at("expected");
  Inputs in(c.at("inputs"), type);
  const Tensor bias = torch::tensor(params.at("bias").get<double>(), at::kDouble).requires_grad_();
  const auto slopes = slopes_of(params);
  const auto key_len = key_len_of(params);

  const Tensor o = ops::sigmoid_attention(in.q, in.k, in.v, bias, slopes, key_len, options_of(params));
  o.backward(in.grad);
  const Tensor ones = torch::ones({in.k.size(0), in.k.size(1), in.k.size(2), 1}, in.k.options().requires_grad(false));
  const Tensor row_sum = ops::sigmoid_attention(in.q, in.k, ones, bias, slopes, key_len, options_of(params));

  for (const auto& [name, t] : {std::pair{"o", o}, {"dq", in.q.grad()}, {"dk", in.k.grad()}, {"dv", in.v.grad()}}) {
    EXPECT_TRUE(test::golden::agrees(expected, name, values_of(t), tol));
    check_sums(expected, name, values_of(t), tol);
  }
  EXPECT_TRUE(test::golden::agrees(expected, "row_sum", values_of(row_sum), tol));
  EXPECT_TRUE(test::golden::agrees(expected, "db", values_of(bias.grad()), tol));
  if (expected.contains("dslope")) {
    EXPECT_TRUE(test::golden::agrees(expected, "dslope", values_of(slopes->grad()), tol));
  }
  if (tol.contains("rel_fro_o")) {
    EXPECT_LE(frobenius(expected.at("o"), values_of(o)), tol.at("rel_fro_o").get<double>());
  }
}

class SigmoidAttention : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (!has_path(GetParam().path)) GTEST_SKIP() << "skipped: this processor has no " << GetParam().path;
    path_.emplace(GetParam().path);
  }
  std::optional<OnPath> path_;
};

TEST_P(SigmoidAttention, EveryCase) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  const auto& [type_name, type, path] = GetParam();
  int done = 0;
  for (const Json& c : file.at("cases")) {
    const std::string name = c.at("name").get<std::string>();
    const auto tol = test::golden::tolerance(file, c, type_name);
    if (kSpecial.contains(name) || !tol) continue;
    SCOPED_TRACE(name);
    check_case(c, *tol, type);
    ++done;
  }
  EXPECT_GT(done, 0);
}

TEST_P(SigmoidAttention, ExactRelations) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  const Json& c = test::golden::find_case(file, "exact_relations");
  const auto tol = test::golden::tolerance(file, c, GetParam().type_name);
  if (!tol) GTEST_SKIP() << "skipped: not meant for this type";
  const Json& params = c.at("params");
  const Json& expected = c.at("expected");
  Inputs in(c.at("inputs"), GetParam().type);
  const auto options = options_of(params);
  const auto call = [&](const Tensor& q, const Tensor& k, const Tensor& v, double b) {
    return ops::sigmoid_attention(q, k, v, torch::tensor(b, at::kDouble), std::nullopt, std::nullopt, options);
  };
  const double b = params.at("bias").get<double>();
  const auto cut = params.at("cut").get<std::int64_t>();
  const std::int64_t n = in.k.size(2);
  const auto agrees = [&](const char* name, const Tensor& t) { EXPECT_TRUE(test::golden::agrees(expected, name, values_of(t), *tol)); };

  const Tensor o = call(in.q, in.k, in.v, b);
  const Tensor left = call(in.q, in.k.slice(2, 0, cut), in.v.slice(2, 0, cut), b);
  const Tensor right = call(in.q, in.k.slice(2, cut), in.v.slice(2, cut), b);
  const Tensor negated = call(-in.q, in.k, in.v, -b);
  agrees("o", o);
  agrees("o_left_keys", left);
  agrees("o_right_keys", right);
  agrees("o", left + right);
  agrees("o_negated_q_and_bias", negated);
  agrees("sum_v", in.v.to(at::kDouble).sum(2));
  for (std::int64_t i = 0; i < o.size(2); ++i) agrees("sum_v", (o + negated).select(2, i));
  const Tensor at_zero = call(torch::zeros_like(in.q), in.k, in.v, -std::log(static_cast<double>(n)));
  agrees("o_q_zero_bias_minus_ln_n", at_zero);

  o.backward(in.grad);
  const auto inner = [](const Tensor& x, const Tensor& y) { return (x.to(at::kDouble) * y.to(at::kDouble)).sum(); };
  agrees("euler_pairing", inner(in.q, in.q.grad()));
  agrees("euler_pairing", inner(in.k, in.k.grad()));
  agrees("value_pairing", inner(in.grad, o));
  agrees("value_pairing", inner(in.v, in.v.grad()));
}

TEST_P(SigmoidAttention, AlibiKeepsTheShiftOfEachRow) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  for (const Json& c : file.at("cases")) {
    if (!c.contains("trap") || !c.at("trap").contains("o_sumsq_correct_head0")) continue;
    const auto tol = test::golden::tolerance(file, c, GetParam().type_name);
    if (!tol) continue;
    const Json& params = c.at("params");
    const Inputs in(c.at("inputs"), GetParam().type);
    const Tensor o = ops::sigmoid_attention(in.q, in.k, in.v, torch::tensor(params.at("bias").get<double>(), at::kDouble),
                                            slopes_of(params), key_len_of(params), options_of(params));
    const double squares = o.select(1, 0).to(at::kDouble).square().sum().item<double>();
    const double correct = c.at("trap").at("o_sumsq_correct_head0"), wrong = c.at("trap").at("o_sumsq_if_row_shift_dropped_head0");
    EXPECT_LT(std::abs(squares - correct), 0.1 * std::abs(squares - wrong)) << c.at("name");
  }
}

INSTANTIATE_TEST_SUITE_P(, SigmoidAttention, ::testing::ValuesIn(kVariants),
                         [](const auto& variant) { return variant.param.type_name + "_" + variant.param.path; });

// One channel of q is the score and k and v are 1, so that o is P; with an incoming gradient of 1, dq is P (1 - P).
void check_pointwise(const Json& file, const std::string& type_name, at::ScalarType type) {
  const Json& c = test::golden::find_case(file, "pointwise");
  const Json tol = c.at("tol").at(type_name);
  const test::golden::Tensor s = test::golden::tensor(c.at("inputs").at("s"));
  const auto p = test::golden::tensor(c.at("expected").at("p")).values;
  const auto pp = test::golden::tensor(c.at("expected").at("p_times_one_minus_p")).values;
  const auto count = static_cast<std::int64_t>(s.values.size());
  const Tensor q = torch::tensor(s.values, at::kDouble).to(type).view({1, 1, count, 1}).requires_grad_();
  const Tensor one = torch::ones({1, 1, 1, 1}, type);
  ops::SigmoidAttentionOptions options;
  options.scale = 1;
  const Tensor o = ops::sigmoid_attention(q, one, one, torch::tensor(0.0), std::nullopt, std::nullopt, options);
  o.backward(torch::ones_like(o));
  const auto got_p = values_of(o), got_pp = values_of(q.grad());
  const double rel = tol.at("pointwise_rel").get<double>(), tiny = tol.value("underflow_below", 0.0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    EXPECT_LE(std::abs(got_p[i] - p[i]), std::max(rel * p[i], tiny)) << "P at " << s.values[i];
    EXPECT_LE(std::abs(got_pp[i] - pp[i]), std::max(rel * pp[i], tiny)) << "P (1 - P) at " << s.values[i];
  }
}

class SigmoidAttentionNumerics : public SigmoidAttention {};

TEST_P(SigmoidAttentionNumerics, Pointwise) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  check_pointwise(file, GetParam().type_name, GetParam().type);
}

void check_soft_max_limit(const Json& file, const std::string& type_name, at::ScalarType type) {
  const Json& c = test::golden::find_case(file, "soft_max_limit");
  const Json tol = *test::golden::tolerance(file, c, type_name);
  const Inputs in(c.at("inputs"), type);
  const auto options = options_of(c.at("params"));
  const Tensor scores = torch::matmul(in.q.to(at::kDouble), in.k.to(at::kDouble).transpose(2, 3)) * *options.scale;
  const Tensor soft = torch::matmul(scores.softmax(-1), in.v.to(at::kDouble)).detach();
  EXPECT_TRUE(test::golden::agrees(c.at("expected"), "softmax_o", values_of(soft), *test::golden::tolerance(file, c, "float64")));
  std::vector<double> distances;
  for (const double b : c.at("params").at("biases").get<std::vector<double>>()) {
    const Tensor v = torch::cat({in.v, torch::ones_like(in.v.slice(3, 0, 1))}, 3);
    const Tensor o = ops::sigmoid_attention(in.q, in.k, v, torch::tensor(b, at::kDouble), std::nullopt, std::nullopt, options)
                         .to(at::kDouble).detach();
    const std::int64_t dv = in.v.size(3);
    const Tensor normal = o.slice(3, 0, dv) / o.slice(3, dv);
    distances.push_back(((normal - soft).norm() / soft.norm()).item<double>());
  }
  // Each distance by its own magnitude: the list spans five decades.
  const auto want = c.at("expected").at("relative_distance").get<std::vector<double>>();
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(distances[i], want[i], tol.at("rtol").get<double>() * want[i] + tol.at("atol").get<double>());
}

TEST_P(SigmoidAttentionNumerics, SoftMaxLimit) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  check_soft_max_limit(file, GetParam().type_name, GetParam().type);
}

/// E[n sigma(z - ln n)], z ~ N(0, 1), by the trapezoidal rule over keys: the score of query 0 and key t is z_t, its value is n
/// times the density times the step. The rule's error and the tails beyond 12 are below 1e-14.
double expected_row_sum(double n, at::ScalarType type) {
  const Tensor z = torch::arange(-12.0, 12.0 + 1e-9, 0.0625, at::kDouble).view({1, 1, -1, 1});
  const Tensor weights = (z * z * -0.5).exp() * (n * 0.0625 / std::sqrt(2 * M_PI));
  ops::SigmoidAttentionOptions options;
  options.scale = 1;
  return ops::sigmoid_attention(torch::ones({1, 1, 1, 1}, type), z.to(type), weights.to(type), torch::tensor(-std::log(n), at::kDouble),
                                std::nullopt, std::nullopt, options).item<double>();
}

TEST_P(SigmoidAttentionNumerics, InitialRowSum) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  const Json& c = test::golden::find_case(file, "initial_row_sum");
  const Json tol = *test::golden::tolerance(file, c, GetParam().type_name);
  std::vector<double> sums;
  for (const double n : c.at("params").at("n").get<std::vector<double>>()) sums.push_back(expected_row_sum(n, GetParam().type));
  EXPECT_TRUE(test::golden::agrees(c.at("expected"), "row_sum", sums, tol));
  EXPECT_NEAR(expected_row_sum(1e9, GetParam().type), c.at("expected").at("limit").get<double>(), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(, SigmoidAttentionNumerics,
                         ::testing::ValuesIn(kVariants.begin(), std::find_if(kVariants.begin(), kVariants.end(), [](const Variant& v) {
                                               return v.type == at::kBFloat16;  // the first four: float64 and float32
                                             })),
                         [](const auto& variant) { return variant.param.type_name + "_" + variant.param.path; });

}  // namespace
