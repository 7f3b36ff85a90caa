// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "learning/losses/information.h"
#include "tests/learning/experiments/experiment.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::learning {
namespace {

// Gaussian views with the best critics: where the losses' information lies beside the truth. 600 draws.
TEST(PolyViewBounds, ReachTheThresholds) {
  SIM_NEED_SHARED_DATA(shared);
  constexpr int kDraws = 600, kSamples = 16;
  const GaussianViews g{.signal_var = 9, .noise_var = 1, .views = 4};
  test::Runs runs;
  torch::set_num_threads(1);
  torch::manual_seed(20);
  for (int draw = 0; draw < kDraws; ++draw) {
    const torch::Tensor x = std::sqrt(g.signal_var) * torch::randn({kSamples, 1}, torch::kDouble) +
                            std::sqrt(g.noise_var) * torch::randn({kSamples, g.views}, torch::kDouble);
    const InformationEstimates e = estimate_information(pair_critic(x, g), rest_critic(x, g));
    runs["multi_crop"].push_back(e.multi_crop);
    runs["geometric"].push_back(e.geometric);
    runs["arithmetic"].push_back(e.arithmetic);
    runs["suffstats_view"].push_back(e.suff_stats_view);
    runs["suffstats_rest"].push_back(e.suff_stats_rest);
    runs["strict_geometric"].push_back(e.strict_geometric);
    runs["strict_suffstats"].push_back(e.strict_suff_stats);
  }
  std::map<std::string, double> measured = {{"information", one_vs_rest_information(g)}};
  test::Runs summary;  // mean and standard error
  for (const auto& [name, values] : runs) {
    measured[name] = test::mean(values);
    double squares = 0;
    for (const double v : values) squares += (v - measured[name]) * (v - measured[name]);
    summary[name] = {measured[name], std::sqrt(squares / (kDraws - 1) / kDraws)};
  }
  test::print("polyview_bounds", summary);
  measured["4 standard errors"] = 4 * summary["strict_suffstats"][1];
  for (const auto& check : test::threshold_checks("polyview_bounds")) EXPECT_TRUE(test::holds(check, measured));
}

}  // namespace
}  // namespace simulacra::learning
