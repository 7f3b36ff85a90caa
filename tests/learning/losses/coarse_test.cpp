// SPDX-License-Identifier: Apache-2.0
// The losses of coarse maps against the same losses, in double, of maps that were enlarged.
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "learning/kernels/coarse_losses.h"
#include "learning/losses/dense.h"
#include "render/base/error.h"
#include "tests/support/message_of.h"

namespace simulacra::learning {
namespace {

using torch::Tensor;
namespace coarse = kernels::coarse;

/// float32 against double: sums of a few thousand terms of size 1 to 10 in single precision where they are added.
constexpr double kRelative = 2e-5;

struct Size {
  std::int64_t h, w, height, width;
};
const std::vector<Size> kSizes = {{6, 8, 12, 16}, {5, 7, 17, 23}, {4, 4, 4, 4}, {1, 1, 5, 3}, {9, 5, 4, 3}, {3, 1, 3, 40}};

Tensor random(at::IntArrayRef shape, std::uint64_t seed) {
  torch::manual_seed(seed);
  return torch::randn(shape, torch::kFloat);
}

Tensor random_mask(std::int64_t batch, const Size& s) {
  torch::manual_seed(5);
  return torch::rand({batch, 1, s.height, s.width}).gt(0.2);
}

using Loss = std::function<DenseLoss(const Tensor& map)>;

void expect_same(const Tensor& map, const Loss& of_coarse, const Loss& of_double) {
  const Tensor a = map.clone().requires_grad_(), b = map.to(torch::kDouble).requires_grad_();
  const DenseLoss got = of_coarse(a), want = of_double(b);
  EXPECT_EQ(got.num_valid, want.num_valid);
  const double expected = want.value.item<double>();
  EXPECT_NEAR(got.value.item<double>(), expected, kRelative * (1 + std::abs(expected)));
  (got.value * 3).backward();
  (want.value * 3).backward();
  const double scale = b.grad().abs().max().item<double>();
  EXPECT_LE((a.grad() - b.grad()).abs().max().item<double>(), kRelative * scale + 1e-6) << "gradient";
  const torch::NoGradGuard no_grad;
  EXPECT_EQ(of_coarse(map).value.item<float>(), got.value.item<float>());
}

TEST(CoarseLosses, DepthIsThatOfTheEnlargedMap) {
  for (const Size& s : kSizes)
    for (const double lambda : {0.0, 0.5, 1.0}) {
      const Tensor map = random({2, 1, s.h, s.w}, 1), mask = random_mask(2, s);
      Tensor target = random({2, 1, s.height, s.width}, 2).exp();
      target[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
      target[1][0][0][0] = -1;
      expect_same(map, [&](const Tensor& m) { return scale_invariant_log_loss_of_coarse(m, target, mask, lambda); },
                  [&](const Tensor& m) { return scale_invariant_log_loss(enlarged(m, s.height, s.width), target, mask, lambda); });
    }
}

TEST(CoarseLosses, NormalsAreThoseOfTheEnlargedMap) {
  for (const Size& s : kSizes) {
    const Tensor map = random({2, 3, s.h, s.w}, 1), mask = random_mask(2, s);
    Tensor target = random({2, 3, s.height, s.width}, 2);
    target[0][1][0][0] = std::numeric_limits<float>::quiet_NaN();
    target.select(0, 1).select(1, 0).select(1, 0).zero_();
    expect_same(map, [&](const Tensor& m) { return angular_loss_of_coarse(m, target, mask); },
                [&](const Tensor& m) { return angular_loss(enlarged(m, s.height, s.width), target, mask); });
  }
}

TEST(CoarseLosses, DirectionsAlikeOppositeAndAbsentHaveFiniteGradients) {
  Tensor map = torch::tensor({{1.f, 0.f, 0.f}, {-2.f, 0.f, 0.f}, {0.f, 0.f, 0.f}}).t().contiguous().view({1, 3, 1, 3}).requires_grad_();
  const Tensor target = torch::tensor({1.f, 0.f, 0.f}).view({1, 3, 1, 1}).expand({1, 3, 1, 3});
  const DenseLoss loss = angular_loss_of_coarse(map, target);
  EXPECT_NEAR(loss.value.item<double>(), (0 + M_PI + M_PI / 2) / 3, 1e-6);
  loss.value.backward();
  EXPECT_TRUE(map.grad().isfinite().all().item<bool>());
  EXPECT_LT((map.grad()[0][0][0][2].item<float>()), 0) << "turns what has no direction to the target";
}

TEST(CoarseLosses, ClassesAreThoseOfTheEnlargedMap) {
  for (const Size& s : kSizes)
    for (const std::int64_t classes : {1, 3, 16, 40}) {
      const Tensor map = 5 * random({2, classes, s.h, s.w}, 1), mask = random_mask(2, s);
      torch::manual_seed(3);
      const Tensor drawn = torch::randint(0, classes + 1, {2, s.height, s.width}, torch::kLong), labels = drawn.masked_fill(drawn == 0, -1);
      expect_same(map, [&](const Tensor& m) { return semantic_loss_of_coarse(m, labels, mask); },
                  [&](const Tensor& m) { return semantic_loss(enlarged(m, s.height, s.width), labels, mask); });
    }
}

TEST(CoarseLosses, LargeLogitsOverflowNothing) {
  Tensor map = torch::tensor({200.f, -200.f, 0.f}).view({1, 3, 1, 1}).requires_grad_();
  const Tensor labels = torch::full({1, 2, 2}, 2, torch::kLong);
  const DenseLoss loss = semantic_loss_of_coarse(map, labels);
  EXPECT_FLOAT_EQ(loss.value.item<float>(), 400);
  loss.value.backward();
  EXPECT_TRUE(torch::allclose(map.grad().flatten(), torch::tensor({1.f, -1.f, 0.f}), 1e-6, 1e-6));
}

TEST(CoarseLosses, EveryInstructionSetAgrees) {
  const coarse::Shape shape{2, 5, 7, 40, 17, 23};
  const Tensor map = (4 * random({2, 5, 7, 40}, 1)).contiguous();
  torch::manual_seed(3);
  const Tensor labels = torch::randint(1, 41, {2, 17, 23}, torch::kLong);
  Tensor plain = torch::empty_like(map);
  const auto run = [&](Tensor& gradient, kernels::Isa isa) {
    return coarse::cross_entropy(shape, map.const_data_ptr<float>(), labels.const_data_ptr<std::int64_t>(), nullptr,
                                 gradient.data_ptr<float>(), kernels::attention::run_in_order, isa);
  };
  const coarse::Sum want = run(plain, kernels::Isa::plain);
  for (const kernels::Isa isa : {kernels::Isa::avx2, kernels::Isa::avx512}) {
    Tensor gradient = torch::empty_like(map);
    if (!kernels::has_isa(isa)) {
      EXPECT_THROW(run(gradient, isa), Error);
      continue;
    }
    const coarse::Sum got = run(gradient, isa);
    EXPECT_EQ(got.count, want.count);
    EXPECT_NEAR(got.sum, want.sum, 1e-6 * want.sum);
    EXPECT_TRUE(torch::allclose(gradient, plain, 1e-5, 1e-6));
  }
}

TEST(CoarseLosses, ThreadsDoNotChangeBits) {
  const Tensor labels = torch::full({4, 9, 9}, 2, torch::kLong), start = random({4, 5, 3, 3}, 1);
  const int threads = at::get_num_threads();
  const auto gradient = [&](int count) {
    at::set_num_threads(count);
    Tensor map = start.clone().requires_grad_();
    semantic_loss_of_coarse(map, labels).value.backward();
    return map.grad();
  };
  const Tensor one = gradient(1), three = gradient(3);
  at::set_num_threads(threads);
  EXPECT_TRUE(torch::equal(one, three));
}

TEST(CoarseLosses, OtherPrecisions) {
  const Tensor labels = torch::full({1, 4, 4}, 1, torch::kLong), map = random({1, 3, 2, 2}, 1);
  Tensor half = map.to(torch::kBFloat16).requires_grad_(), wide = map.to(torch::kDouble).requires_grad_();
  const DenseLoss of_half = semantic_loss_of_coarse(half, labels), of_wide = semantic_loss_of_coarse(wide, labels);
  EXPECT_EQ(of_half.value.scalar_type(), torch::kFloat);
  EXPECT_EQ(of_wide.value.scalar_type(), torch::kDouble);
  of_half.value.backward();
  EXPECT_EQ(half.grad().scalar_type(), torch::kBFloat16);
  EXPECT_NEAR(of_half.value.item<double>(), of_wide.value.item<double>(), 0.02);  // bfloat16 inputs: 8 bits
}

TEST(CoarseLosses, WrongInputsAreNamed) {
  using ::testing::HasSubstr;
  const Tensor map = torch::ones({1, 3, 2, 2}), labels = torch::ones({1, 4, 4}, torch::kLong);
  EXPECT_THAT(test::message_of([&] { scale_invariant_log_loss_of_coarse(map, torch::ones({1, 1, 4, 4})); }), HasSubstr("depth loss: prediction is Float [1, 3, 2, 2]"));
  EXPECT_THAT(test::message_of([&] { angular_loss_of_coarse(map, torch::ones({2, 3, 4, 4})); }), HasSubstr("labels [2, 3, 4, 4]"));
  EXPECT_THAT(test::message_of([&] { semantic_loss_of_coarse(map, labels, torch::ones({1, 4, 4})); }), HasSubstr("mask is Float [1, 4, 4], expected Bool [1, 1, 4, 4]"));
  EXPECT_THAT(test::message_of([&] { semantic_loss_of_coarse(map, torch::ones({1, 4, 4})); }), HasSubstr("expected integers"));
  for (const int bad : {0, 4, -2})
    EXPECT_THAT(test::message_of([&] { semantic_loss_of_coarse(map, torch::full({1, 4, 4}, bad, torch::kLong)); }),
                HasSubstr("label " + std::to_string(bad) + ", expected -1 or 1 to 3"));
}

}  // namespace
}  // namespace simulacra::learning
