// SPDX-License-Identifier: Apache-2.0
// The GPU kernels against the reference in double on the same (already rounded) inputs, by the emulator or on a device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "learning/kernels/sigmoid_attention.h"
#include "learning/kernels/sigmoid_attention_cuda.h"
#include "render/base/error.h"
#include "tests/learning/kernels/cuda/backend.h"
#include "tests/learning/kernels/cuda/half.h"
#include "tests/support/golden.h"

namespace {

using namespace simulacra;
using namespace simulacra::kernels::attention;
using cuda::Element;
using test::backend::Memory;
using test::golden::Json;

struct Setting {
  AttentionShape shape;
  bool causal = false;
  std::int64_t left = -1, right = -1;
  std::vector<std::int64_t> key_len = {};
  std::vector<double> bias = {}, slopes = {};  // empty bias: -ln n + h / 8
  double scale = 0;                            // 0: 1 / sqrt(d)
};

std::ostream& operator<<(std::ostream& out, const Setting& s) {
  const AttentionShape& a = s.shape;
  return out << "b" << a.batch << " h" << a.heads << "/" << a.kv_heads << " m" << a.queries << " n" << a.keys << " d" << a.head_dim << "/"
             << a.value_dim << (s.causal ? " causal" : "") << " window " << s.left << "," << s.right << (s.slopes.empty() ? "" : " alibi")
             << (s.key_len.empty() ? "" : " padded");
}

Setting completed(Setting s) {
  const std::size_t heads = static_cast<std::size_t>(s.shape.heads);
  for (std::size_t h = s.bias.size(); h < heads; ++h)
    s.bias.push_back(-std::log(static_cast<double>(std::max<std::int64_t>(1, s.shape.keys))) + 0.125 * static_cast<double>(h));
  if (s.scale == 0) s.scale = 1 / std::sqrt(static_cast<double>(s.shape.head_dim));
  return s;
}

std::vector<double> alibi(int heads) {
  std::vector<double> slopes;
  for (int h = 1; h <= heads; ++h) slopes.push_back(std::exp2(-4.0 * h / heads));
  return slopes;
}

struct Inputs {
  std::vector<double> q, k, v, grad;  // dense [batch, heads, rows, width]
};
struct Results {
  std::vector<double> o, dq, dk, dv, dbias, dslope;
};

std::size_t count(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) { return static_cast<std::size_t>(a * b * c * d); }

std::vector<double> rounded(Element e, std::vector<double> values) {
  for (double& x : values) x = test::half::from_bytes(e, test::half::to_bytes(e, x).data());
  return values;
}

Inputs rounded(Element e, const Inputs& in) { return {rounded(e, in.q), rounded(e, in.k), rounded(e, in.v), rounded(e, in.grad)}; }

Inputs random_inputs(const AttentionShape& s) {
  using test::golden::generate;
  return {generate("normal12", 1, count(s.batch, s.heads, s.queries, s.head_dim)),
          generate("normal12", 2, count(s.batch, s.kv_heads, s.keys, s.head_dim)),
          generate("normal12", 3, count(s.batch, s.kv_heads, s.keys, s.value_dim)),
          generate("normal12", 4, count(s.batch, s.heads, s.queries, s.value_dim))};
}

template <typename T>
HeadedRows<T> dense(T* data, std::int64_t heads, std::int64_t rows, std::int64_t width) {
  return {data, heads * rows * width, rows * width, width};
}

Results expected_results(const Setting& s, const Inputs& in) {
  const AttentionShape& a = s.shape;
  SigmoidAttentionOptions o;
  o.scale = s.scale, o.causal = s.causal, o.window_left = s.left, o.window_right = s.right;
  o.key_len = s.key_len.empty() ? nullptr : s.key_len.data();
  o.bias = s.bias.data(), o.slopes = s.slopes.empty() ? nullptr : s.slopes.data();
  o.path = CpuPath::reference;
  Results r{std::vector<double>(count(a.batch, a.heads, a.queries, a.value_dim)), std::vector<double>(in.q.size()),
            std::vector<double>(in.k.size()), std::vector<double>(in.v.size()), std::vector<double>(s.bias.size()),
            std::vector<double>(s.bias.size())};
  const AttentionInputs<double> arrays{dense(in.q.data(), a.heads, a.queries, a.head_dim), dense(in.k.data(), a.kv_heads, a.keys, a.head_dim),
                                       dense(in.v.data(), a.kv_heads, a.keys, a.value_dim)};
  sigmoid_attention_forward<double>(a, o, arrays, dense(r.o.data(), a.heads, a.queries, a.value_dim), run_in_order);
  const AttentionGradients<double> out{dense(r.dq.data(), a.heads, a.queries, a.head_dim), dense(r.dk.data(), a.kv_heads, a.keys, a.head_dim),
                                       dense(r.dv.data(), a.kv_heads, a.keys, a.value_dim), r.dbias.data(), r.dslope.data()};
  sigmoid_attention_backward<double>(a, o, arrays, dense(in.grad.data(), a.heads, a.queries, a.value_dim), out, run_in_order);
  return r;
}

/// An array in the device's memory, rows of `padded` elements of which `width` are ours, [batch, rows, heads] if interleaved.
struct DeviceArray {
  Element element;
  std::int64_t batch, heads, rows, width, padded;
  bool interleaved;

  std::size_t bytes() const { return count(batch, heads, rows, padded) * test::half::size_of(element); }
  cuda::DeviceRows view(void* data) const {
    if (interleaved) return {data, rows * heads * padded, padded, heads * padded};
    return {data, heads * rows * padded, rows * padded, padded};
  }
  std::size_t offset(std::int64_t b, std::int64_t h, std::int64_t r) const {
    const cuda::DeviceRows v = view(nullptr);
    return static_cast<std::size_t>(b * v.batch_stride + h * v.head_stride + r * v.row_stride) * test::half::size_of(element);
  }

  cuda::DeviceRows send(Memory& memory, const std::vector<double>& values) const {
    std::vector<char> image(bytes());
    each([&](std::size_t at, std::size_t i) {
      const auto x = test::half::to_bytes(element, values[i]);
      std::memcpy(&image[at], x.data(), test::half::size_of(element));
    });
    return view(const_cast<void*>(memory.copy(image.data(), image.size())));
  }
  std::vector<double> fetch(const Memory& memory, const cuda::DeviceRows& from) const {
    std::vector<char> image(bytes());
    memory.fetch(image.data(), from.data, image.size());
    std::vector<double> values(count(batch, heads, rows, width));
    each([&](std::size_t at, std::size_t i) { values[i] = test::half::from_bytes(element, &image[at]); });
    return values;
  }

 private:
  template <class Body>
  void each(const Body& body) const {
    std::size_t i = 0;
    for (std::int64_t b = 0; b < batch; ++b)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < width; ++c) body(offset(b, h, r) + static_cast<std::size_t>(c) * test::half::size_of(element), i++);
  }
};

Results device_results(Element element, const Setting& s, const Inputs& in, bool interleaved = false) {
  const AttentionShape& a = s.shape;
  const bool wide = element == Element::bfloat16 || element == Element::float16;
  const auto padded = [wide](std::int64_t width) { return wide ? (width + 7) / 8 * 8 : width; };
  const auto array = [&](std::int64_t heads, std::int64_t rows, std::int64_t width) {
    return DeviceArray{element, a.batch, heads, rows, width, padded(width), interleaved};
  };
  const DeviceArray q = array(a.heads, a.queries, a.head_dim), k = array(a.kv_heads, a.keys, a.head_dim),
                    v = array(a.kv_heads, a.keys, a.value_dim), o = array(a.heads, a.queries, a.value_dim);
  Memory memory;
  const auto doubles = [&](const std::vector<double>& x) {
    return x.empty() ? nullptr : static_cast<const double*>(memory.copy(x.data(), x.size() * sizeof(double)));
  };
  cuda::Call call;
  call.element = element, call.shape = a, call.scale = s.scale, call.causal = s.causal;
  call.shape.head_dim = padded(a.head_dim), call.shape.value_dim = padded(a.value_dim);
  call.window_left = s.left, call.window_right = s.right;
  if (!s.key_len.empty()) call.key_len = static_cast<const std::int64_t*>(memory.copy(s.key_len.data(), s.key_len.size() * 8));
  call.bias = doubles(s.bias), call.slopes = doubles(s.slopes);
  call.q = q.send(memory, in.q), call.k = k.send(memory, in.k), call.v = v.send(memory, in.v);

  const cuda::DeviceRows out = o.view(memory.room(o.bytes())), grad = o.send(memory, in.grad);
  memory.forward(call, out);
  const std::size_t head_bytes = s.bias.size() * sizeof(double);
  const cuda::DeviceGradients g{q.view(memory.room(q.bytes())), k.view(memory.room(k.bytes())), v.view(memory.room(v.bytes())),
                                static_cast<double*>(memory.room(head_bytes)), static_cast<double*>(memory.room(head_bytes))};
  memory.backward(call, grad, g);
  Results r{o.fetch(memory, out), q.fetch(memory, g.q), k.fetch(memory, g.k), v.fetch(memory, g.v), std::vector<double>(s.bias.size()),
            std::vector<double>(s.bias.size())};
  memory.fetch(r.dbias.data(), g.bias, head_bytes);
  memory.fetch(r.dslope.data(), g.slope, head_bytes);
  return r;
}

double relative_error(const std::vector<double>& got, const std::vector<double>& expected) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < got.size(); ++i) error += std::pow(got[i] - expected[i], 2), norm += expected[i] * expected[i];
  return norm == 0 ? std::sqrt(error) : std::sqrt(error / norm);
}

/// The sums over all pairs cancel: their error is measured by the size of what is summed, sum |dS| ~ sum P ~ rows.
double sum_error(const AttentionShape& s, const std::vector<double>& got, const std::vector<double>& expected, double weight) {
  double worst = 0;
  for (std::size_t h = 0; h < got.size(); ++h)
    if (!(std::abs(got[h] - expected[h]) <= worst)) worst = std::abs(got[h] - expected[h]);
  return worst / (static_cast<double>(s.batch * s.queries) * weight * std::sqrt(static_cast<double>(s.value_dim)));
}

/// What the method's document asks for: P and the results are rounded to 2^-9 in bfloat16 and to 2^-12 in float16.
double tolerance(Element e) {
  switch (e) {
    case Element::float64: return 1e-13;
    case Element::float32: return 1e-6;
    case Element::bfloat16: return 4e-3;
    case Element::float16: return 6e-4;
  }
  return 0;
}

void compare(Element e, const Setting& given, bool interleaved = false) {
  const Setting s = completed(given);
  SCOPED_TRACE(::testing::Message() << test::half::name_of(e) << ": " << s);
  const Inputs in = rounded(e, random_inputs(s.shape));
  const Results got = device_results(e, s, in, interleaved), expected = expected_results(s, in);
  const double allowed = tolerance(e);
  EXPECT_LE(relative_error(got.o, expected.o), allowed) << "o";
  EXPECT_LE(relative_error(got.dq, expected.dq), allowed) << "dq";
  EXPECT_LE(relative_error(got.dk, expected.dk), allowed) << "dk";
  EXPECT_LE(relative_error(got.dv, expected.dv), allowed) << "dv";
  EXPECT_LE(sum_error(s.shape, got.dbias, expected.dbias, 1), allowed) << "dbias";
  const double distance = static_cast<double>(std::max(s.shape.queries, s.shape.keys));
  EXPECT_LE(sum_error(s.shape, got.dslope, expected.dslope, distance), allowed) << "dslope";
}

class GpuSigmoidAttention : public ::testing::TestWithParam<Element> {
 protected:
  void SetUp() override {
    if (const std::string why = test::backend::missing(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
  }
  bool wide() const { return GetParam() == Element::bfloat16 || GetParam() == Element::float16; }
};

TEST_P(GpuSigmoidAttention, AgreesAtEveryHeadSize) {
  for (const std::int64_t d : {8, 32, 40, 64, 96, 128}) compare(GetParam(), {{1, 1, 1, 33, 70, d, d}});
  compare(GetParam(), {{1, 1, 1, 20, 70, 48, 24}});
  compare(GetParam(), {{1, 1, 1, 20, 70, 24, 80}});
  if (!wide())
    for (const std::int64_t d : {1, 59, 111}) compare(GetParam(), {{1, 1, 1, 20, 37, d, d}});
  if (GetParam() == Element::float32) compare(GetParam(), {{1, 1, 1, 20, 37, 256, 250}});
}

TEST_P(GpuSigmoidAttention, AgreesAtEveryLength) {
  using Size = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [m, n] : {Size{1, 1}, Size{1, 300}, Size{70, 1}, Size{16, 16}, Size{65, 63}, Size{130, 129}, Size{60, 257}, Size{140, 320}})
    for (const bool causal : {false, true}) compare(GetParam(), {{1, 1, 1, m, n, 32, 32}, causal});
  // So many heads that one block has all queries of its own, with several rounds for each warp.
  for (const bool causal : {false, true}) compare(GetParam(), {{1, 4, 4, 150, 100, 16, 16}, causal});
}

TEST_P(GpuSigmoidAttention, AgreesAtTheTokensOfAVit) { compare(GetParam(), {{1, 1, 1, 197, 197, 64, 64}}); }

TEST_P(GpuSigmoidAttention, AgreesUnderEveryMask) {
  for (const auto& [heads, kv_heads] : {std::pair{3, 3}, std::pair{4, 2}, std::pair{3, 1}})
    compare(GetParam(), {{2, heads, kv_heads, 20, 40, 16, 16}, true});
  for (const auto& [left, right] : {std::pair{0, 0}, std::pair{5, 3}, std::pair{40, -1}, std::pair{-1, 20}})
    for (const std::int64_t n : {70, 270}) {
      compare(GetParam(), {{1, 1, 1, 80, n, 16, 16}, false, left, right});
      compare(GetParam(), {{1, 1, 1, 80, n, 16, 16}, true, left, right, {}, {}, alibi(1)});
    }
  for (const std::int64_t n : {40, 260})
    compare(GetParam(), {{4, 2, 1, 30, n, 32, 32}, true, -1, -1, {n, 0, 1, n - 7}, {}, alibi(2)});
}

TEST_P(GpuSigmoidAttention, AgreesWithMoreQueriesThanKeys) {
  // The first rows see nothing when causal.
  compare(GetParam(), {{1, 1, 1, 150, 20, 16, 16}, true});
  compare(GetParam(), {{1, 1, 1, 330, 260, 16, 16}, true, 9, -1});
}

TEST_P(GpuSigmoidAttention, AgreesAtAnyBias) {
  // float16 has nothing below 6e-8 for P.
  for (const double bias : {GetParam() == Element::float16 ? -6.0 : -20.0, -2.0, 2.0, 8.0}) {
    Setting s{{1, 1, 1, 40, 70, 16, 16}};
    s.bias = {bias};
    compare(GetParam(), s);
  }
}

TEST_P(GpuSigmoidAttention, HeadsMayLieWithinRows) {
  compare(GetParam(), {{2, 3, 1, 20, 30, 16, 24}}, true);
  compare(GetParam(), {{1, 2, 2, 20, 300, 16, 24}, true}, true);
}

TEST_P(GpuSigmoidAttention, NothingToDo) {
  const Results no_keys = device_results(GetParam(), completed({{1, 2, 2, 5, 0, 8, 8}}), random_inputs({1, 2, 2, 5, 0, 8, 8}));
  for (const double x : no_keys.o) EXPECT_EQ(x, 0);
  for (const double x : no_keys.dq) EXPECT_EQ(x, 0);
  const Results no_queries = device_results(GetParam(), completed({{1, 2, 2, 0, 5, 8, 8}}), random_inputs({1, 2, 2, 0, 5, 8, 8}));
  for (const double x : no_queries.dk) EXPECT_EQ(x, 0);
  for (const double x : no_queries.dbias) EXPECT_EQ(x, 0);
}

TEST_P(GpuSigmoidAttention, ANotANumberIsNotHidden) {
  for (const std::int64_t n : {40, 300}) {
    const Setting s = completed({{1, 1, 1, 20, n, 8, 8}});
    Inputs in = random_inputs(s.shape);
    in.q[3 * 8 + 1] = std::numeric_limits<double>::quiet_NaN();
    const Results r = device_results(GetParam(), s, in);
    EXPECT_TRUE(std::isnan(r.o[3 * 8]));
    EXPECT_FALSE(std::isnan(r.o[4 * 8]));
    EXPECT_TRUE(std::isnan(r.dk[0]));
  }
}

TEST_P(GpuSigmoidAttention, ScoresOfThousandsSaturate) {
  const Setting s = completed({{1, 1, 1, 20, 40, 8, 8}});
  Inputs in = random_inputs(s.shape);
  for (double& x : in.q) x *= 3000;
  in = rounded(GetParam(), in);
  const Results r = device_results(GetParam(), s, in);
  for (const auto* values : {&r.o, &r.dq, &r.dk, &r.dv})
    for (const double x : *values) ASSERT_TRUE(std::isfinite(x));
  // Scores of 1e4 have an absolute error of 1e-3 in float where one is near 0.
  EXPECT_LE(relative_error(r.o, expected_results(s, in).o), std::max(1e-5, tolerance(GetParam())));
}

TEST_P(GpuSigmoidAttention, TheSameBitsInEveryRun) {
  const Setting s = completed({{2, 4, 2, 70, 270, 32, 32}, true, -1, -1, {}, {}, alibi(4)});
  const Inputs in = random_inputs(s.shape);
  const Results a = device_results(GetParam(), s, in), b = device_results(GetParam(), s, in);
  EXPECT_TRUE(a.o == b.o && a.dq == b.dq && a.dk == b.dk && a.dv == b.dv && a.dbias == b.dbias && a.dslope == b.dslope);
}

// Golden cases that are plain calls.

const std::vector<std::string> kSpecial = {"exact_relations", "pointwise", "soft_max_limit", "initial_row_sum"};

Setting setting_of(const Json& p) {
  Setting s;
  const auto size = [&](const char* name) { return p.at(name).get<std::int64_t>(); };
  s.shape = {size("B"), size("H"), size("Hkv"), size("m"), size("n"), size("d"), size("dv")};
  s.causal = p.value("causal", false), s.scale = p.at("scale").get<double>();
  if (p.contains("window") && !p.at("window").is_null()) s.left = p.at("window").at(0), s.right = p.at("window").at(1);
  if (p.contains("key_len") && !p.at("key_len").is_null()) s.key_len = p.at("key_len").get<std::vector<std::int64_t>>();
  if (p.contains("slopes")) s.slopes = p.at("slopes").get<std::vector<double>>();
  s.bias.assign(static_cast<std::size_t>(s.shape.heads), p.at("bias").get<double>());
  return s;
}

void check_golden(Element e, const Json& c, const Json& tol) {
  const Json &given = c.at("inputs"), &expected = c.at("expected");
  const auto values = [&](const char* name) { return test::golden::tensor(given.at(name)).values; };
  const Setting s = setting_of(c.at("params"));
  const Results r = device_results(e, s, {values("q"), values("k"), values("v"), values("do")});
  for (const auto& [name, got] : {std::pair{"o", &r.o}, {"dq", &r.dq}, {"dk", &r.dk}, {"dv", &r.dv}})
    EXPECT_TRUE(test::golden::agrees(expected, name, *got, tol)) << name;
  double bias = 0;
  for (const double x : r.dbias) bias += x;
  EXPECT_TRUE(test::golden::agrees(expected, "db", bias, tol));
  if (expected.contains("dslope")) {
    EXPECT_TRUE(test::golden::agrees(expected, "dslope", r.dslope, tol));
  }
}

TEST_P(GpuSigmoidAttention, EveryGoldenCase) {
  SIM_NEED_GOLDEN(file, "sigmoid_attention");
  int done = 0;
  for (const Json& c : file.at("cases")) {
    const std::string name = c.at("name").get<std::string>();
    const auto tol = test::golden::tolerance(file, c, test::half::name_of(GetParam()));
    if (!tol || std::find(kSpecial.begin(), kSpecial.end(), name) != kSpecial.end()) continue;
    if (wide() && std::max(c.at("params").at("d").get<int>(), c.at("params").at("dv").get<int>()) > 128) continue;
    SCOPED_TRACE(name);
    check_golden(GetParam(), c, *tol);
    ++done;
  }
  EXPECT_GT(done, 0);
}

INSTANTIATE_TEST_SUITE_P(, GpuSigmoidAttention,
                         ::testing::Values(Element::float64, Element::float32, Element::bfloat16, Element::float16),
                         [](const auto& element) { return test::half::name_of(element.param); });

TEST(GpuSigmoidAttentionCall, WhatDoesNotFitIsRefused) {
  if (const std::string why = test::backend::missing(); !why.empty()) GTEST_SKIP() << "skipped: " << why;
  alignas(16) static char bytes[64];
  const auto message = [](Element e, AttentionShape shape, std::int64_t stride, void* data) -> std::string {
    cuda::Call call;
    call.element = e, call.shape = shape;
    call.q = call.k = call.v = {data, stride, stride, stride};
    try {
      (void)cuda::backward_workspace_bytes(call);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message(Element::float32, {1, 3, 2, 4, 4, 8, 8}, 8, bytes), HasSubstr("3 heads do not divide evenly over 2 key heads"));
  EXPECT_THAT(message(Element::float32, {1, 1, 1, 4, 4, 0, 8}, 8, bytes), HasSubstr("head size 0"));
  EXPECT_THAT(message(Element::float32, {1, 1, 1, 4, 4, 257, 8}, 8, bytes), HasSubstr("at most 256 in 32-bit floats"));
  EXPECT_THAT(message(Element::bfloat16, {1, 1, 1, 4, 4, 20, 8}, 8, bytes), HasSubstr("multiples of 8 up to 128"));
  EXPECT_THAT(message(Element::float16, {1, 1, 1, 4, 4, 136, 8}, 8, bytes), HasSubstr("multiples of 8 up to 128"));
  EXPECT_THAT(message(Element::bfloat16, {1, 1, 1, 4, 4, 8, 8}, 12, bytes), HasSubstr("q has a stride of 12 elements"));
  EXPECT_THAT(message(Element::bfloat16, {1, 1, 1, 4, 4, 8, 8}, 8, bytes + 2), HasSubstr("q is not aligned to 16 bytes"));
  EXPECT_EQ(message(Element::bfloat16, {1, 1, 1, 4, 4, 8, 8}, 8, bytes), "");
}

}  // namespace
