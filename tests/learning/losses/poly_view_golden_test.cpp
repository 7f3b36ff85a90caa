// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "learning/losses/information.h"
#include "learning/losses/poly_view.h"
#include "learning/losses/poly_view_scores.h"
#include "tests/support/golden.h"
#include "tests/support/golden_torch.h"

namespace simulacra::learning {
namespace {

namespace golden = test::golden;
using golden::Json;

struct Variant {
  const char* name;  ///< in the file
  PolyViewOptions options;
};
const std::vector<Variant> kVariants = {
    {"geometric", {.objective = PolyView::geometric}},
    {"arithmetic", {.objective = PolyView::arithmetic}},
    {"multi_crop", {.objective = PolyView::multi_crop}},
    {"suffstats_view", {.objective = PolyView::suff_stats_view}},
    {"suffstats_rest", {.objective = PolyView::suff_stats_rest}},
    {"suffstats_view_renormalised", {.objective = PolyView::suff_stats_view, .renormalise_rest = true}},
    {"suffstats_rest_renormalised", {.objective = PolyView::suff_stats_rest, .renormalise_rest = true}},
};

enum class Kind { losses, excluded_view, gaussian, information, compute };

Kind kind_of(const Json& c) {
  const Json& expected = c.at("expected");
  if (expected.contains("loss")) return Kind::losses;
  if (expected.contains("e_0_0_1_before")) return Kind::excluded_view;
  if (expected.contains("estimate")) return Kind::gaussian;
  const auto columns = expected.at("columns").get<std::vector<std::string>>();
  return columns.back() == "information" ? Kind::information : Kind::compute;
}

/// Calls check(case, type, tolerance) for every case of the kind and every type that the file means for it.
template <typename Check>
void for_each(const Json& file, Kind kind, Check check) {
  golden::for_each_case(file, [kind](const Json& c) { return kind_of(c) == kind; }, check);
}

torch::Tensor leaf(const Json& value, torch::ScalarType type) { return golden::to_torch(value, type).set_requires_grad(true); }

TEST(PolyView, EveryLossAndItsGradient) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::losses, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    for (const Variant& v : kVariants) {
      PolyViewOptions options = v.options;
      options.temperature = c.at("params").at("tau");
      const torch::Tensor u = leaf(c.at("inputs").at("u"), type);
      const torch::Tensor loss = poly_view_loss(u, options);
      loss.backward();
      EXPECT_TRUE(golden::agrees(c.at("expected"), std::string("loss/") + v.name, loss, tolerance));
      EXPECT_TRUE(golden::agrees(c.at("expected"), std::string("grad_u.") + v.name, u.grad(), tolerance));
      EXPECT_EQ(loss.scalar_type(), type == torch::kDouble ? torch::kDouble : torch::kFloat);
    }
  });
}

TEST(PolyView, PairTermsSupConAndTheConstant) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::losses, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor u = golden::to_torch(c.at("inputs").at("u"), type);
    const double tau = c.at("params").at("tau");
    const Json& expected = c.at("expected");
    EXPECT_TRUE(golden::agrees(expected, "e_iab_with_zero_diagonal", pair_terms(u, tau), tolerance));
    EXPECT_TRUE(golden::agrees(expected, "supcon", poly_view_loss(u, {.objective = PolyView::sup_con, .temperature = tau}), tolerance));
    const double constant = bound_constant(static_cast<int>(u.size(0)), static_cast<int>(u.size(1)));
    EXPECT_TRUE(golden::agrees(expected, "bound_constant", constant, tolerance));
    if (expected.contains("nt_xent")) {
      EXPECT_TRUE(golden::agrees(expected, "nt_xent", nt_xent_loss(u, tau), tolerance));
    }
  });
}

TEST(PolyView, WeightsOfThePositives) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::losses, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor e = pair_terms(golden::to_torch(c.at("inputs").at("u"), type), c.at("params").at("tau"));
    const torch::Tensor arithmetic = e.clone().requires_grad_(), geometric = e.clone().requires_grad_();
    arithmetic_of(arithmetic).sum().backward();
    geometric_of(geometric).sum().backward();
    const Json& expected = c.at("expected");
    EXPECT_TRUE(golden::agrees(expected, "positive_weights_of_anchor_0_0/arithmetic", arithmetic.grad()[0][0].slice(0, 1), tolerance));
    EXPECT_TRUE(golden::agrees(expected, "positive_weights_of_anchor_0_0/geometric", geometric.grad()[0][0].slice(0, 1), tolerance));
  });
}

// The public transcriptions code log-sum-exp of +e and log K. The wrong forms are built here, so that it is known that
// they give what the file says and that the inputs tell them apart.
TEST(PolyView, TheArithmeticLossIsNotTheOneOftenCoded) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::losses, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    if (type != torch::kDouble) return;
    const torch::Tensor u = golden::to_torch(c.at("inputs").at("u"));
    const double tau = c.at("params").at("tau");
    const torch::Tensor e = pair_terms(u, tau);
    const auto hide_diagonal = [](const torch::Tensor& x) {
      return x.masked_fill(torch::eye(x.size(-1), torch::kBool), -std::numeric_limits<double>::infinity());
    };
    const double log_k = std::log(static_cast<double>(u.size(0)));
    const torch::Tensor per_anchor = (hide_diagonal(e).logsumexp(-1) - log_k).mean();
    const torch::Tensor of_means = (hide_diagonal(e.mean(0)).logsumexp(-1) - log_k).mean();
    const Json& trap = c.at("trap");
    EXPECT_TRUE(golden::agrees(trap, "arithmetic_if_coded_as_lse_of_plus_e_minus_log_K_per_anchor", per_anchor, tolerance));
    EXPECT_TRUE(golden::agrees(trap, "arithmetic_if_coded_as_lse_of_batch_mean_e_minus_log_K", of_means, tolerance));
    const torch::Tensor ours = poly_view_loss(u, {.objective = PolyView::arithmetic, .temperature = tau});
    EXPECT_TRUE(golden::agrees(trap, "arithmetic_correct", ours, tolerance));
    EXPECT_FALSE(golden::agrees(trap, "arithmetic_if_coded_as_lse_of_plus_e_minus_log_K_per_anchor", ours, tolerance));
    EXPECT_FALSE(golden::agrees(trap, "arithmetic_if_coded_as_lse_of_batch_mean_e_minus_log_K", ours, tolerance));
  });
}

TEST(PolyView, TheListedIdentitiesHold) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::losses, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    if (type != torch::kDouble) return;
    const torch::Tensor u = golden::to_torch(c.at("inputs").at("u"));
    const double tau = c.at("params").at("tau");
    const auto loss = [&](PolyView objective, const torch::Tensor& x) {
      return poly_view_loss(x, {.objective = objective, .temperature = tau}).item<double>();
    };
    const double slack = 1e-12 * (1 + loss(PolyView::sup_con, u));
    EXPECT_LE(loss(PolyView::arithmetic, u), loss(PolyView::geometric, u) + slack);
    EXPECT_LE(loss(PolyView::geometric, u), loss(PolyView::sup_con, u) + slack);
    const auto d = static_cast<std::size_t>(u.size(2));
    const torch::Tensor rotation = torch::tensor(golden::orthogonal(77, d), torch::kDouble).view({u.size(2), u.size(2)});
    for (const Variant& v : kVariants) {
      const double want = c.at("expected").at("loss").at(v.name);
      PolyViewOptions o = v.options;
      o.temperature = tau;
      const double allowed = tolerance.at("atol").get<double>() + tolerance.at("rtol").get<double>() * want;
      for (const torch::Tensor& same : {u.flip(0), u.flip(1), u.roll(1, 0).roll(1, 1), u.matmul(rotation), 3 * u})
        EXPECT_NEAR(poly_view_loss(same, o).item<double>(), want, allowed) << v.name;
    }
  });
}

TEST(PolyView, AThirdViewIsExcluded) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::excluded_view, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor u = golden::to_torch(c.at("inputs").at("u"), type);
    torch::Tensor changed = u.clone();
    changed[0][u.size(1) - 1] = golden::to_torch(c.at("inputs").at("replacement_view"), type);
    const torch::Tensor before = pair_terms(u, c.at("params").at("tau")), after = pair_terms(changed, c.at("params").at("tau"));
    EXPECT_TRUE(golden::agrees(c.at("expected"), "e_0_0_1_before", before[0][0][1], tolerance));
    EXPECT_TRUE(golden::agrees(c.at("expected"), "e_0_0_1_after", after[0][0][1], tolerance));
    EXPECT_TRUE(golden::agrees(c.at("expected"), "e_1_0_1_before", before[1][0][1], tolerance));
    EXPECT_TRUE(golden::agrees(c.at("expected"), "e_1_0_1_after", after[1][0][1], tolerance));
  });
}

TEST(PolyView, InformationOfOneGaussianSample) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::gaussian, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const Json& p = c.at("params");
    const GaussianViews g{.signal_var = p.at("signal_var"), .noise_var = p.at("noise_var"), .views = p.at("M")};
    const torch::Tensor x = std::sqrt(g.signal_var) * golden::to_torch(c.at("inputs").at("c"), type) +
                            std::sqrt(g.noise_var) * golden::to_torch(c.at("inputs").at("n"), type);
    const InformationEstimates got = estimate_information(pair_critic(x, g), rest_critic(x, g));
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "estimate/geometric", got.geometric, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/arithmetic", got.arithmetic, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/multi_crop", got.multi_crop, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/suffstats_view", got.suff_stats_view, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/suffstats_rest", got.suff_stats_rest, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/strict_geometric", got.strict_geometric, tolerance));
    EXPECT_TRUE(golden::agrees(want, "estimate/strict_suffstats", got.strict_suff_stats, tolerance));
    EXPECT_TRUE(golden::agrees(want, "information_pair", pair_information(g), tolerance));
    EXPECT_TRUE(golden::agrees(want, "information_one_vs_rest", one_vs_rest_information(g), tolerance));
    EXPECT_TRUE(golden::agrees(want, "information_limit", limit_information(g), tolerance));
    EXPECT_TRUE(golden::agrees(want, "constant", bound_constant(p.at("K"), p.at("M")), tolerance));
  });
}

TEST(PolyView, InformationInClosedForm) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::information, [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    if (type != torch::kDouble) return;
    for (const Json& row : c.at("expected").at("rows")) {
      const GaussianViews g{.signal_var = row[0], .noise_var = row[1], .views = row[2]};
      EXPECT_TRUE(golden::agrees(Json{{"information", row[3]}}, "information", one_vs_rest_information(g), tolerance));
    }
  });
}

TEST(PolyView, RelativeCompute) {
  SIM_NEED_GOLDEN(file, "polyview");
  for_each(file, Kind::compute, [](const Json& c, torch::ScalarType type, const Json&) {
    if (type != torch::kDouble) return;
    for (const Json& row : c.at("expected").at("rows")) {
      EXPECT_EQ(row[0].get<int>() * row[1].get<int>(), row[2].get<int>());
      EXPECT_DOUBLE_EQ(relative_compute(row[0], 128), row[3].get<double>());
    }
  });
}

}  // namespace
}  // namespace simulacra::learning
