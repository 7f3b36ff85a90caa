// SPDX-License-Identifier: Apache-2.0
#include "learning/kernels/optim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace simulacra::kernels::optim {
namespace {

std::vector<float> normal(std::size_t n, unsigned seed, float scale = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> draw(0, scale);
  std::vector<float> x(n);
  for (float& v : x) v = draw(engine);
  return x;
}

std::vector<float> absolute(std::vector<float> x) {
  for (float& v : x) v = std::abs(v);
  return x;
}

struct Arrays {
  explicit Arrays(std::size_t n)
      : theta(normal(n, 1)), gradient(normal(n, 2)), m1(normal(n, 3)), v(absolute(normal(n, 4))), m2(normal(n, 5)), half(n, 0x3F80) {}
  States<float> states(bool with_m1, bool with_m2) {
    return {theta.data(), gradient.data(), with_m1 ? m1.data() : nullptr, v.data(), with_m2 ? m2.data() : nullptr};
  }
  std::vector<float> theta, gradient, m1, v, m2;
  std::vector<std::uint16_t> half;
};

const Update kUpdate = {.lr = 1e-2, .beta1 = 0.9, .beta2 = 0.95, .beta3 = 0.999, .alpha = 5, .eps = 1e-8, .weight_decay = 0.1,
                        .correction1 = 1 - 0.9 * 0.9, .correction2 = 1 - 0.95 * 0.95, .grad_scale = 0.7};

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class OptimIsa : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!has_isa(GetParam())) GTEST_SKIP() << "this processor has no " << name_of(GetParam());
  }
};

// 1003 is no multiple of any vector's width.
TEST_P(OptimIsa, GivesTheBitsOfThePlainLoop) {
  for (const bool with_m1 : {false, true})
    for (const bool with_m2 : {false, true}) {
      Arrays a(1003), b(1003);
      update(kUpdate, a.states(with_m1, with_m2), 1003, Isa::plain);
      update(kUpdate, b.states(with_m1, with_m2), 1003, GetParam());
      EXPECT_TRUE(same_bits(a.theta, b.theta)) << with_m1 << with_m2;
      EXPECT_TRUE(same_bits(a.m1, b.m1) && same_bits(a.m2, b.m2) && same_bits(a.v, b.v)) << with_m1 << with_m2;
      EXPECT_FALSE(same_bits(a.theta, Arrays(1003).theta));
    }
}

TEST_P(OptimIsa, GivesTheBitsOfThePlainLoopWithAHalfAverage) {
  for (const bool with_m1 : {false, true}) {
    Arrays a(1003), b(1003);
    update_bf16(kUpdate, a.states(with_m1, false), {a.half.data(), 7, 100}, 1003, Isa::plain);
    update_bf16(kUpdate, b.states(with_m1, false), {b.half.data(), 7, 100}, 1003, GetParam());
    EXPECT_TRUE(same_bits(a.theta, b.theta) && same_bits(a.half, b.half));
  }
}

TEST_P(OptimIsa, AveragesAndNormsAgree) {
  std::vector<float> a = normal(1003, 1), b = a;
  const std::vector<float> theta = normal(1003, 2);
  average(0.9, a.data(), theta.data(), 1003, Isa::plain);
  average(0.9, b.data(), theta.data(), 1003, GetParam());
  EXPECT_TRUE(same_bits(a, b));
  EXPECT_EQ(sum_of_squares(theta.data(), 1003, Isa::plain), sum_of_squares(theta.data(), 1003, GetParam()));
}

INSTANTIATE_TEST_SUITE_P(All, OptimIsa, ::testing::Values(Isa::avx2, Isa::avx512),
                         [](const auto& p) { return std::string(p.param == Isa::avx2 ? "Avx2" : "Avx512"); });

// One update by hand, in double.
TEST(OptimUpdate, FollowsTheFormula) {
  double theta = 0.5, m1 = 0.2, v = 0.04, m2 = -0.3;
  const double gradient = 2;
  update(kUpdate, States<double>{&theta, &gradient, &m1, &v, &m2}, 1);
  const double g = 1.4, fast = 0.9 * 0.2 + 0.1 * g, slow = 0.999 * -0.3 + 0.001 * g, second = 0.95 * 0.04 + 0.05 * g * g;
  const double u = (fast / 0.19 + 5 * slow) / (std::sqrt(second / 0.0975) + 1e-8);
  EXPECT_NEAR(theta, 0.5 - 1e-2 * (u + 0.1 * 0.5), 1e-15);
  EXPECT_NEAR(m1, fast, 1e-15);
  EXPECT_NEAR(m2, slow, 1e-15);
  EXPECT_NEAR(v, second, 1e-15);
}

TEST(OptimUpdate, ARangeIsTheSumOfItsParts) {
  Arrays whole(1003), parts(1003);
  update_bf16(kUpdate, whole.states(true, false), {whole.half.data(), 3, 0}, 1003);
  States<float> s = parts.states(true, false);
  update_bf16(kUpdate, s, {parts.half.data(), 3, 0}, 500);
  update_bf16(kUpdate, {s.theta + 500, s.gradient + 500, s.m1 + 500, s.v + 500, nullptr}, {parts.half.data() + 500, 3, 500}, 503);
  EXPECT_TRUE(same_bits(whole.theta, parts.theta) && same_bits(whole.half, parts.half));
}

// The mean over many elements of what was rounded at random stays within 5 standard deviations of the exact value:
// the rounding error of one is at most one unit in the last place, 2^-8 here.
TEST(OptimUpdate, RandomRoundingKeepsTheMean) {
  constexpr std::size_t n = 100000;
  Arrays a(n);
  std::fill(a.gradient.begin(), a.gradient.end(), 1.3f);
  const Update u = {.lr = 0, .beta3 = 0.999};
  update_bf16(u, a.states(true, false), {a.half.data(), 11, 0}, n);
  double mean = 0;
  for (const std::uint16_t h : a.half) {
    const std::uint32_t bits = std::uint32_t{h} << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    mean += static_cast<double>(value) / n;
  }
  EXPECT_NEAR(mean, 0.999 + 0.001 * 1.3, 5 * 0x1p-8 / std::sqrt(double(n)));
}

// 2^16 additions in each of the partial sums: at most 2^16 roundings of 2^-53 each. In float the sum would be 2e-3 off.
TEST(OptimUpdate, SumOfSquaresIsAddedInDouble) {
  const std::vector<float> x(1 << 20, 0.1f);
  const double expected = static_cast<double>(0.1f) * static_cast<double>(0.1f) * (1 << 20);
  EXPECT_NEAR(sum_of_squares(x.data(), x.size()), expected, expected * 0x1p-37);
}

}  // namespace
}  // namespace simulacra::kernels::optim
