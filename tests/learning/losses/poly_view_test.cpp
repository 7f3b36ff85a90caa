// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "learning/losses/information.h"
#include "learning/losses/poly_view.h"
#include "render/base/error.h"
#include "tests/support/golden_torch.h"

namespace simulacra::learning {
namespace {

using test::golden::largest_difference;

constexpr PolyView kAll[] = {PolyView::geometric,       PolyView::arithmetic, PolyView::suff_stats_view,
                             PolyView::suff_stats_rest, PolyView::multi_crop, PolyView::sup_con};

torch::Tensor projections(std::int64_t samples, std::int64_t views, std::int64_t features, std::uint64_t seed = 3) {
  torch::manual_seed(seed);
  return torch::randn({samples, 1, features}, torch::kDouble) + torch::randn({samples, views, features}, torch::kDouble);
}

double value(const torch::Tensor& u, PolyView objective, double temperature = 0.2) {
  return poly_view_loss(u, {.objective = objective, .temperature = temperature}).item<double>();
}

/// SimCLR's loss as a classification among 2K - 1, with cross entropy: other code than ours.
torch::Tensor nt_xent_by_cross_entropy(const torch::Tensor& u, double temperature) {
  const std::int64_t k = u.size(0);
  const torch::Tensor z = (u / u.norm(2, -1, true)).transpose(0, 1).reshape({2 * k, -1});
  const torch::Tensor logits = (z.matmul(z.t()) / temperature).masked_fill(torch::eye(2 * k, torch::kBool), -INFINITY);
  const torch::Tensor index = torch::arange(k);
  return torch::nn::functional::cross_entropy(logits, torch::cat({index + k, index}));
}

TEST(PolyViewLoss, WithTwoViewsIsNtXent) {
  for (const PolyView objective : kAll) {
    const torch::Tensor u = projections(8, 2, 5).requires_grad_(), v = u.detach().clone().requires_grad_();
    const torch::Tensor ours = poly_view_loss(u, {.objective = objective, .temperature = 0.2}), theirs = nt_xent_by_cross_entropy(v, 0.2);
    ours.backward();
    theirs.backward();
    EXPECT_NEAR(ours.item<double>(), theirs.item<double>(), 1e-12) << name_of(objective);
    EXPECT_LT(largest_difference(u.grad(), v.grad()), 1e-12) << name_of(objective);
  }
}

TEST(PolyViewLoss, CollapseCountsTheCandidates) {
  const torch::Tensor same = torch::ones({16, 4, 3}, torch::kDouble);
  for (const PolyView o : {PolyView::geometric, PolyView::arithmetic, PolyView::suff_stats_view, PolyView::suff_stats_rest})
    EXPECT_NEAR(value(same, o), std::log(16 * 4 - 4 + 1), 1e-12);
  EXPECT_NEAR(value(same, PolyView::multi_crop), std::log(2 * 16 - 1), 1e-12);
}

TEST(PolyViewLoss, OrthogonalSamplesGiveTheSmallestLoss) {
  const torch::Tensor u = torch::eye(5, torch::kDouble).unsqueeze(1).repeat({1, 3, 1});
  for (const PolyView o : {PolyView::geometric, PolyView::arithmetic, PolyView::suff_stats_view})
    EXPECT_NEAR(value(u, o, 0.25), std::log1p(3 * 4 * std::exp(-1 / 0.25)), 1e-12);
}

TEST(PolyViewLoss, GradientsAgreeWithFiniteDifferences) {
  for (const PolyView objective : kAll)
    for (const bool renormalise : {false, true}) {
      const PolyViewOptions o{.objective = objective, .temperature = 0.3, .renormalise_rest = renormalise};
      const torch::Tensor u = projections(3, 4, 5).requires_grad_();
      poly_view_loss(u, o).backward();
      const torch::Tensor direction = torch::randn_like(u), step = 1e-6 * direction;
      const torch::NoGradGuard no_grad;
      const double slope = (poly_view_loss(u + step, o) - poly_view_loss(u - step, o)).item<double>() / 2e-6;
      EXPECT_NEAR((u.grad() * direction).sum().item<double>(), slope, 1e-7) << name_of(objective);
    }
}

// Neither a loss of tiny size nor one of hundreds may be lost in the logarithm.
TEST(PolyViewLoss, FloatsKeepSmallAndLargeLosses) {
  const torch::Tensor apart = torch::eye(4).unsqueeze(1).repeat({1, 3, 1});
  const double tiny = std::log1p(3 * 3 * std::exp(-1 / 0.05));  // 1.9e-8, below float's epsilon
  EXPECT_NEAR(value(apart, PolyView::geometric, 0.05) / tiny, 1, 1e-5);
  const torch::Tensor mixed = torch::stack({torch::eye(2), torch::eye(2).flip(0)}, 1);  // positives orthogonal
  EXPECT_NEAR(value(mixed, PolyView::geometric, 0.001), 1000, 1e-2);
}

TEST(PolyViewLoss, ExtraIdenticalViewChangesTheDenominatorsAsCounted) {
  const torch::Tensor u = projections(4, 3, 6);
  const torch::Tensor doubled = torch::cat({u, u.slice(1, 2, 3)}, 1);
  const torch::Tensor e = pair_terms(doubled, 0.3);
  EXPECT_LT(largest_difference(e.select(2, 2).slice(1, 0, 2), e.select(2, 3).slice(1, 0, 2)), 1e-13);
  EXPECT_GT((e.slice(1, 0, 2).slice(2, 0, 2) - pair_terms(u, 0.3).slice(1, 0, 2).slice(2, 0, 2)).sum().item<double>(), 0);
}

// Multi-crop over pairs of views has the mean of its pairs.
TEST(PolyViewLoss, MultiCropIsTheMeanOverPairs) {
  const torch::Tensor u = projections(6, 4, 5);
  double sum = 0;
  for (std::int64_t a = 0; a < 4; ++a)
    for (std::int64_t b = a + 1; b < 4; ++b)
      sum += nt_xent_by_cross_entropy(torch::stack({u.select(1, a), u.select(1, b)}, 1), 0.2).item<double>();
  EXPECT_NEAR(value(u, PolyView::multi_crop), sum / 6, 1e-12);
}

TEST(PolyViewLoss, WrongInputsAreNamed) {
  const auto message = [](const torch::Tensor& u, double temperature = 0.1) -> std::string {
    try {
      poly_view_loss(u, {.temperature = temperature});
    } catch (const Error& e) {
      return e.what();
    }
    return "accepted";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message(torch::ones({4, 3})), HasSubstr("[4, 3], expected [samples, views, features]"));
  EXPECT_THAT(message(torch::ones({4, 1, 3})), HasSubstr("at least 2 views"));
  EXPECT_THAT(message(torch::ones({1, 4, 3})), HasSubstr("at least 2 samples"));
  EXPECT_THAT(message(torch::ones({4, 2, 3}, torch::kLong)), HasSubstr("Long, expected floating point"));
  EXPECT_THAT(message(torch::ones({4, 2, 3}), 0), HasSubstr("temperature is 0"));
  EXPECT_THROW(nt_xent_loss(torch::ones({4, 3, 2})), Error);
  EXPECT_THROW(poly_view_from_name("simclr"), UsageError);
  for (const PolyView o : kAll) EXPECT_EQ(poly_view_from_name(name_of(o)), o);
}

/// Ranks that are threads.
struct Meeting {
  explicit Meeting(int size) : everybody(size), parts(static_cast<std::size_t>(size)) {}
  std::barrier<> everybody;
  std::vector<torch::Tensor> parts;
};

class ThreadRank : public Collective {
 public:
  ThreadRank(Meeting& meeting, int rank) : meeting_(meeting), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(meeting_.parts.size()); }
  torch::Tensor all_gather(const torch::Tensor& local) override {
    return exchange(local, [](const std::vector<torch::Tensor>& parts) { return torch::cat(parts, 0); });
  }
  torch::Tensor all_reduce_sum(const torch::Tensor& local) override {
    return exchange(local, [](const std::vector<torch::Tensor>& parts) { return torch::stack(parts).sum(0); });
  }

 private:
  template <typename Combine>
  torch::Tensor exchange(const torch::Tensor& local, Combine combine) {
    meeting_.parts[static_cast<std::size_t>(rank_)] = local.detach().clone();
    meeting_.everybody.arrive_and_wait();
    torch::Tensor all = combine(meeting_.parts);
    meeting_.everybody.arrive_and_wait();
    return all;
  }
  Meeting& meeting_;
  int rank_;
};

struct Share {
  double loss = 0;
  torch::Tensor grad_u, grad_weight;
};

// Each rank runs the same linear encoder on its samples, as in data-parallel training.
Share run_rank(Meeting& meeting, int rank, const torch::Tensor& x, const torch::Tensor& w, const PolyViewOptions& options) {
  const torch::Tensor weight = w.clone().requires_grad_();
  torch::Tensor u = x.chunk(static_cast<std::int64_t>(meeting.parts.size()), 0)[static_cast<std::size_t>(rank)].matmul(weight);
  u.retain_grad();
  const torch::Tensor loss = poly_view_loss(u, options, std::make_shared<ThreadRank>(meeting, rank));
  loss.backward();
  return {loss.item<double>(), u.grad(), weight.grad()};
}

TEST(PolyViewRanks, LossAndGradientsEqualThoseOfOneProcess) {
  const torch::Tensor x = projections(6, 3, 5), w = projections(1, 5, 4)[0];
  for (const PolyView objective : kAll) {
    const PolyViewOptions options{.objective = objective, .temperature = 0.2};
    const torch::Tensor weight = w.clone().requires_grad_();
    torch::Tensor u = x.matmul(weight);
    u.retain_grad();
    const torch::Tensor loss = poly_view_loss(u, options);
    loss.backward();
    for (const int ranks : {1, 2, 3}) {
      Meeting meeting(ranks);
      std::vector<Share> shares(static_cast<std::size_t>(ranks));
      {
        std::vector<std::jthread> threads;
        for (int r = 0; r < ranks; ++r)
          threads.emplace_back([&, r] { shares[static_cast<std::size_t>(r)] = run_rank(meeting, r, x, w, options); });
      }
      torch::Tensor sum = torch::zeros_like(w);
      std::vector<torch::Tensor> grads;
      for (const Share& s : shares) {
        EXPECT_NEAR(s.loss, loss.item<double>(), 1e-13) << name_of(objective);
        sum += s.grad_weight;
        grads.push_back(s.grad_u);
      }
      EXPECT_LT(largest_difference(torch::cat(grads), u.grad()), 1e-14) << name_of(objective) << " on " << ranks;
      EXPECT_LT(largest_difference(sum, weight.grad()), 1e-13) << name_of(objective) << " on " << ranks;
    }
  }
}

// Candidates of one rank only would be another loss: the simulated ranks do exchange something.
TEST(PolyViewRanks, LocalCandidatesAreNotEnough) {
  const torch::Tensor u = projections(6, 3, 5);
  const auto halves = u.chunk(2, 0);
  const double local = 0.5 * (value(halves[0], PolyView::geometric) + value(halves[1], PolyView::geometric));
  EXPECT_GT(std::abs(local - value(u, PolyView::geometric)), 0.1);
}

TEST(Information, EstimatesApproachTheTruthAsSamplesGrow) {
  torch::set_num_threads(1);
  const GaussianViews g{.signal_var = 9, .noise_var = 1, .views = 4};
  torch::manual_seed(5);
  double geometric = 0, view = 0, strict = 0;
  constexpr int kDraws = 12;
  for (int i = 0; i < kDraws; ++i) {
    const torch::Tensor x = 3 * torch::randn({256, 1}, torch::kDouble) + torch::randn({256, 4}, torch::kDouble);
    const InformationEstimates e = estimate_information(pair_critic(x, g), rest_critic(x, g));
    geometric += e.geometric / kDraws, view += e.suff_stats_view / kDraws, strict += e.strict_suff_stats / kDraws;
  }
  // One draw at K = 256 scatters by about 0.03, so the mean of 12 by 0.009: four of those.
  EXPECT_NEAR(geometric, pair_information(g), 0.036);
  EXPECT_NEAR(view, one_vs_rest_information(g), 0.036);
  EXPECT_NEAR(strict, one_vs_rest_information(g), 0.036 + 0.012);  // log K - loss lies 0.012 below at K = 256
}

TEST(Information, MoreViewsTellMore) {
  double last = 0;
  for (const int m : {2, 4, 8, 64}) {
    const GaussianViews g{.signal_var = 9, .noise_var = 1, .views = m};
    EXPECT_GT(one_vs_rest_information(g), last);
    EXPECT_LT(one_vs_rest_information(g), limit_information(g));
    last = one_vs_rest_information(g);
  }
  EXPECT_NEAR(one_vs_rest_information({.signal_var = 9, .views = 2}), pair_information({.signal_var = 9}), 1e-14);
}

}  // namespace
}  // namespace simulacra::learning
