// SPDX-License-Identifier: Apache-2.0
// Weights of a general model, on models whose answer is known in closed form.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "render/base/error.h"
#include "sim2real/reweight/flow.h"
#include "sim2real/reweight/learn.h"
#include "tests/sim2real/reweight/problems.h"
#include "tests/support/message_of.h"

namespace simulacra::reweight {
namespace {

namespace golden = test::golden;
using Vector = std::vector<double>;

/// The closed-form problems behind the interface: points are groups, or several points a group; the model is theta, trained by
/// gradient steps of `rate`, or to the end.
class ClosedForm : public Learner {
 public:
  ClosedForm(const Problem& problem, double rate, std::vector<std::size_t> group = {}) : problem_(problem), rate_(rate), group_(std::move(group)) {
    if (group_.empty()) {
      group_.resize(problem.num_points());
      std::iota(group_.begin(), group_.end(), std::size_t{0});
    }
    sizes_.resize(1 + *std::ranges::max_element(group_));
    for (const std::size_t g : group_) ++sizes_[g];
    restart();
  }
  std::size_t num_groups() const override { return sizes_.size(); }
  void restart() override { theta_.assign(problem_.num_parameters(), 0); }
  void train(std::span<const double> w, std::size_t steps) override {
    const Vector each = of_points(w);
    if (rate_ == 0) {
      theta_ = problem_.inner_solution(each);
      return;
    }
    for (std::size_t k = 0; k < steps; ++k) {
      const Vector g = problem_.inner_gradient(theta_, each);
      for (std::size_t j = 0; j < g.size(); ++j) theta_[j] -= rate_ * g[j];
    }
  }
  double outer_loss() override { return problem_.outer_loss(theta_); }
  Vector outer_gradient() override { return problem_.outer_gradient(theta_); }
  Slopes along(std::span<const double> v) override {
    const Vector points = problem_.along(theta_, v);
    Slopes s{Vector(num_groups()), Vector(num_groups(), 1)};   // norms are not normalised with here
    for (std::size_t i = 0; i < points.size(); ++i) s.along[group_[i]] += points[i] / static_cast<double>(sizes_[group_[i]]);
    return s;
  }
  Vector hessian_times(std::span<const double> w, std::span<const double> v) override {
    // The gradient is affine in theta: a difference is the product.
    const Vector each = of_points(w), zero(v.size());
    Vector h = problem_.inner_gradient(v, each);
    const Vector at_zero = problem_.inner_gradient(zero, each);
    for (std::size_t j = 0; j < h.size(); ++j) h[j] -= at_zero[j];
    return h;
  }
  const Vector& theta() const { return theta_; }

 private:
  Vector of_points(std::span<const double> w) const {
    Vector each;
    for (const std::size_t g : group_) each.push_back(w[g] / static_cast<double>(sizes_[g]));
    return each;
  }
  const Problem& problem_;
  double rate_;
  std::vector<std::size_t> group_, sizes_;
  Vector theta_;
};

Vector uniform(std::size_t n) { return Vector(n, 1 / static_cast<double>(n)); }

/// Plain hypergradients without any remedy.
WeightOptions plain() {
  WeightOptions o;
  o.direction = "conjugate_gradients", o.damping = 0, o.solver_steps = 40;
  o.normalise = false, o.entropy = 0, o.largest_change = 0, o.average_from = 1;
  return o;
}

struct Tilted {
  dense::Matrix x{60, 3, golden::generate("normal12", 951, 180)};
  Vector target = {0.3, -0.2, 0.1};
  MeanEstimation problem{x, target};
};

TEST(Learn, SlowWeightsEndAtTheExponentialTilt) {
  const Tilted t;
  ClosedForm learner(t.problem, 0);   // theta = theta*(w) in each round
  WeightOptions o = plain();
  o.rounds = 4000, o.inner_steps = 1, o.step = 0.5;
  const Vector w = learn_weights(learner, uniform(60), o).w, tilt = exponential_tilt(t.x, t.target).w;
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], tilt[i], 1e-12);
}

TEST(Learn, AlternatingIsTheJointFlowToFirstOrder) {
  const Regression problem = test::noisy_regression(960, 40, 5, 60).problem();
  // The flow reads w before theta moves, the loop after: they differ by the order of a step.
  const auto difference = [&](double dt) {
    ClosedForm learner(problem, dt);
    WeightOptions o = plain();
    o.rounds = static_cast<int>(6 / dt), o.inner_steps = 1, o.step = 2 * dt;
    const Vector w = learn_weights(learner, uniform(40), o).w;
    const Vector flow = joint_flow(problem, Vector(5), Vector(40), {.ratio = 2, .dt = dt, .steps = static_cast<std::size_t>(o.rounds)}).weights();
    double largest = 0;
    for (std::size_t i = 0; i < 40; ++i) largest = std::max(largest, std::abs(w[i] - flow[i]));
    return largest;
  };
  const double coarse = difference(0.04), fine = difference(0.01);
  EXPECT_LT(coarse, 0.02);
  EXPECT_NEAR(coarse / fine, 4, 1);
}

TEST(Learn, PsiOfGroupsIsTheDerivativeInTheirWeights) {
  const Regression problem = test::noisy_regression(970, 24, 4, 30).problem();
  std::vector<std::size_t> group(24);
  for (std::size_t i = 0; i < 24; ++i) group[i] = i % 3;
  ClosedForm learner(problem, 0, group);
  WeightOptions o = plain();
  o.rounds = 1, o.step = 1e-12;   // only psi is asked for
  const Vector start = {0.2, 0.5, 0.3};
  const auto learned = learn_weights(learner, start, o);
  const auto outer = [&](std::size_t g, double h) {
    Vector moved = start;
    moved[g] += h;
    learner.train(moved, 1);
    return learner.outer_loss();
  };
  for (std::size_t g = 0; g < 3; ++g) EXPECT_NEAR((outer(g, 1e-6) - outer(g, -1e-6)) / 2e-6, learned.rounds[0].psi[g], 1e-7) << g;
}

TEST(Learn, SolversAgreeAndTheIdentityDoesNot) {
  const Regression problem = test::noisy_regression(980, 24, 4, 30).problem();
  const auto psi_of = [&](const char* direction, int steps) {
    ClosedForm learner(problem, 0);
    WeightOptions o = plain();
    o.rounds = 1, o.direction = direction, o.solver_steps = steps;
    return learn_weights(learner, uniform(24), o).rounds[0].psi;
  };
  const Vector exact = problem.hypergradient(problem.inner_solution(uniform(24)), uniform(24));
  const auto error = [&](const Vector& psi) {
    double largest = 0;
    for (std::size_t i = 0; i < psi.size(); ++i) largest = std::max(largest, std::abs(psi[i] - exact[i]));
    return largest;
  };
  EXPECT_LT(error(psi_of("conjugate_gradients", 4)), 1e-10);   // as many steps as parameters
  EXPECT_LT(error(psi_of("neumann", 800)), 1e-8);
  EXPECT_GT(error(psi_of("identity", 1)), 1e-3);
}

/// Half of the labels are noise; 20 parameters.
struct Speeds {
  test::NoisyRegression data = test::noisy_regression(5000, 100, 20, 300);
  Regression problem = data.problem();

  LearnedWeights run(const WeightOptions& o, double rate) const {
    ClosedForm learner(problem, rate);
    return learn_weights(learner, uniform(100), o);
  }
  double share_of_clean(const Vector& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum += data.bad[i] ? 0 : w[i];
    return sum;
  }
  double outer(const Vector& w) const { return problem.outer_loss(problem.inner_solution(w)); }
};

TEST(Learn, WeightsFirstCollapseOnAsManyPointsAsParametersThenOnFewer) {
  const Speeds s;
  WeightOptions o = plain();
  o.dynamics = "weights_first", o.rounds = 8, o.weight_steps = 1000, o.step = 5, o.largest_change = 0.2, o.forget = 1e-8;
  const auto learned = s.run(o, 0);
  const auto support = [](const Vector& w) { return std::ranges::count_if(w, [](double v) { return v > 1e-8; }); };
  EXPECT_LE(support(learned.rounds.front().w), 24);   // 20 parameters; some are still on their way out
  EXPECT_LE(support(learned.rounds.back().w), 5);
  WeightOptions slow = plain();
  slow.rounds = 1500, slow.inner_steps = 10, slow.step = 0.1;
  const auto joint = s.run(slow, 0.1);
  EXPECT_GE(s.outer(learned.w), 2 * s.outer(joint.w));
  EXPECT_GT(joint.rounds.back().effective_groups, 40);
}

TEST(Learn, TheRemediesKeepTheWeightsAlive) {
  const Speeds s;
  WeightOptions fast = plain();
  fast.solver_steps = 20, fast.rounds = 2000, fast.inner_steps = 1, fast.step = 10;   // a thousand times as fast as the model's 0.01
  const auto effective = [&](const WeightOptions& o) { return s.run(o, 0.01).rounds.back().effective_groups; };
  const double collapsed = effective(fast);
  EXPECT_LT(collapsed, 5);
  WeightOptions capped = fast;
  capped.largest_change = 0.2;
  EXPECT_GT(effective(capped), 30);
  WeightOptions entropy = capped;
  entropy.entropy = 0.02;
  EXPECT_GT(effective(entropy), 55);   // as the acceptance table has it
  WeightOptions restarts = capped;
  restarts.restart_every = 100;
  EXPECT_NE(effective(restarts), effective(capped));
  WeightOptions floor = fast;
  floor.floor = 0.5;
  const Vector kept = s.run(floor, 0.01).w;
  EXPECT_GT(*std::ranges::min_element(kept), 0.3 / 100);   // half of 1/100, before the sum is 1 again
}

TEST(Learn, GroupsInsteadOfPointsFindTheNoise) {
  const Speeds s;
  std::vector<std::size_t> group;
  for (const bool bad : s.data.bad) group.push_back(bad ? 1 : 0);
  ClosedForm learner(s.problem, 0.1, group);
  WeightOptions o;
  o.normalise = false, o.direction = "conjugate_gradients", o.damping = 0.05, o.step = 1, o.rounds = 200, o.entropy = 0.02;
  const auto learned = learn_weights(learner, Vector{0.5, 0.5}, o);
  EXPECT_GT(learned.w[0], 0.9);
}

TEST(Learn, WithoutDifferencesTheStartIsTheAnswer) {
  // All points alike: no group helps more than another, and sizes decide.
  const Regression problem({4, 1, {1, 1, 1, 1}}, {1, 1, 1, 1}, {1, 1, {1}}, {2}, 0.1);
  ClosedForm learner(problem, 0.1, {0, 0, 0, 1});
  const Vector start = {0.75, 0.25};
  const auto learned = learn_weights(learner, start, WeightOptions{});
  for (std::size_t g = 0; g < 2; ++g) EXPECT_NEAR(learned.w[g], start[g], 1e-12);
}

TEST(Learn, EffectiveMembersAndLossWeights) {
  EXPECT_NEAR(effective_members(Vector{0.75, 0.25}, std::vector<std::size_t>{30, 10}), 40, 1e-12);   // uniform over 40
  EXPECT_NEAR(effective_members(Vector{1, 0}, std::vector<std::size_t>{30, 10}), 30, 1e-12);
  const Vector start = {0.5, 0.5}, losses = {1, 3};
  const Vector easy = loss_based_weights(start, losses, 1), hard = loss_based_weights(start, losses, -1);
  EXPECT_NEAR(easy[0] / easy[1], std::exp(2), 1e-12);   // two deviations apart
  EXPECT_NEAR(hard[1], easy[0], 1e-15);
  EXPECT_EQ(loss_based_weights(start, Vector{2, 2}, 1), start);
}

TEST(Learn, AGradientThatIsNotFiniteIsSaid) {
  class Broken : public ClosedForm {
   public:
    using ClosedForm::ClosedForm;
    Slopes along(std::span<const double> v) override {
      Slopes s = ClosedForm::along(v);
      s.along[1] = std::nan("");
      return s;
    }
  };
  const Tilted t;
  Broken learner(t.problem, 0.1);
  EXPECT_THAT(test::message_of([&] { learn_weights(learner, uniform(60), WeightOptions{}); }), ::testing::HasSubstr("group 1 is not finite"));
}

}  // namespace
}  // namespace simulacra::reweight
