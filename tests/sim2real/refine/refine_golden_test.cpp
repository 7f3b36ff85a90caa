// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "sim2real/refine/drift.h"
#include "sim2real/refine/history.h"
#include "sim2real/refine/losses.h"
#include "sim2real/refine/networks.h"
#include "sim2real/refine/training.h"
#include "tests/support/golden.h"
#include "tests/support/golden_torch.h"

namespace simulacra::sim2real {
namespace {

namespace golden = test::golden;
using golden::Json;

/// Calls check(case, type, tolerance) for the cases whose expectation has this entry.
template <typename Check>
void for_each_with(const Json& file, const char* entry, Check check) {
  golden::for_each_case(file, [entry](const Json& c) { return c.at("expected").contains(entry); }, check);
}

torch::Tensor input(const Json& c, const char* name, torch::ScalarType type) { return golden::to_torch(c.at("inputs").at(name), type); }

/// The gradient of a scalar in its leaf.
template <typename F>
torch::Tensor gradient(const torch::Tensor& at, F scalar) {
  const torch::Tensor leaf = at.clone().requires_grad_();
  scalar(leaf).backward();
  return leaf.grad();
}

TEST(SimGan, LocalLossesOfBothPlayers) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "d_loss_real_per_image", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor real = input(c, "logits_real", type), refined = input(c, "logits_refined", type);
    const double cells = c.at("params").at("cells");
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "d_loss_real_per_image", local_loss(real, ImageClass::real), tolerance));
    EXPECT_TRUE(golden::agrees(want, "d_loss_refined_per_image", local_loss(refined, ImageClass::refined), tolerance));
    EXPECT_TRUE(golden::agrees(want, "r_adversarial_per_image", local_loss(refined, ImageClass::real), tolerance));
    const torch::Tensor d = discriminator_loss(real, refined), r = local_loss(refined, ImageClass::real).mean();
    EXPECT_TRUE(golden::agrees(want, "d_loss_sum_over_cells_mean_over_batch", d, tolerance));
    EXPECT_TRUE(golden::agrees(want, "d_loss_mean_over_cells_and_batch", d / cells, tolerance));
    EXPECT_TRUE(golden::agrees(want, "r_adversarial_sum_over_cells_mean_over_batch", r, tolerance));
    EXPECT_TRUE(golden::agrees(want, "probability_refined", probability_refined(refined), tolerance));
    EXPECT_TRUE(golden::agrees(want, "grad_d_loss_refined_logits", gradient(refined, [&](auto& l) { return discriminator_loss(real, l); }), tolerance));
    EXPECT_TRUE(golden::agrees(want, "grad_d_loss_real_logits", gradient(real, [&](auto& l) { return discriminator_loss(l, refined); }), tolerance));
    EXPECT_TRUE(golden::agrees(want, "grad_r_adversarial_logits", gradient(refined, [](auto& l) { return local_loss(l, ImageClass::real).mean(); }), tolerance));
  });
}

// The wrong flattening is built here, so that it is known that the inputs show it.
TEST(SimGan, ClassesAreNotPairsOfNeighbours) {
  SIM_NEED_GOLDEN(file, "simgan");
  golden::for_each_case(file, [](const Json& c) { return c.contains("trap") && c["trap"].contains("refined_loss_sum_correct"); },
                        [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor logits = input(c, "logits_refined", type), pairs = logits.reshape({-1, 2, 1, 1});
    EXPECT_TRUE(golden::agrees(c.at("trap"), "refined_loss_sum_correct", local_loss(logits, ImageClass::refined).sum(), tolerance));
    EXPECT_TRUE(golden::agrees(c.at("trap"), "refined_loss_sum_if_nchw_is_flattened_to_pairs", local_loss(pairs, ImageClass::refined).sum(), tolerance));
  });
}

TEST(SimGan, OneLambdaInTwoConventions) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "total_sum_form", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor x = input(c, "x", type), refined = input(c, "refined", type), logits = input(c, "logits_refined", type);
    const Json &p = c.at("params"), &want = c.at("expected"), &trap = c.at("trap");
    const double lambda = p.at("lambda_sum");
    const FeatureMap psi = feature_map("identity");
    const RefinerLoss loss = refiner_loss(logits, refined, x, lambda, psi);
    EXPECT_TRUE(golden::agrees(want, "adversarial_sum", loss.adversarial, tolerance));
    EXPECT_TRUE(golden::agrees(want, "regulariser_sum", loss.regulariser, tolerance));
    EXPECT_TRUE(golden::agrees(want, "total_sum_form", loss.total, tolerance));
    const auto regulariser = [&](const torch::Tensor& r) { return lambda * self_regularisation(r, x, psi).mean(); };
    EXPECT_TRUE(golden::agrees(want, "grad_refined_regulariser", gradient(refined, regulariser), tolerance));

    const double of_means = lambda_for_means(lambda, p.at("pixels"), p.at("cells"));
    EXPECT_TRUE(golden::agrees(want, "lambda_mean", of_means, tolerance));
    EXPECT_NEAR(lambda_for_sums(of_means, p.at("pixels"), p.at("cells")), lambda, 1e-15);
    const torch::Tensor adversarial = loss.adversarial / p.at("cells").get<double>(), distance = (refined - x).abs().mean();
    EXPECT_TRUE(golden::agrees(want, "total_mean_form", adversarial + of_means * distance, tolerance));
    EXPECT_TRUE(golden::agrees(trap, "total_if_lambda_sum_is_used_as_lambda_mean", adversarial + lambda * distance, tolerance));
    const torch::Tensor over_batch = self_regularisation(refined, x, psi).sum();
    EXPECT_TRUE(golden::agrees(trap, "total_if_regulariser_is_summed_over_batch_and_adversarial_is_a_mean", adversarial + lambda * over_batch, tolerance));

    const auto twice = [](const torch::Tensor& t) { return torch::cat({t, t}); };
    EXPECT_TRUE(golden::agrees(want, "total_sum_form", refiner_loss(twice(logits), twice(refined), twice(x), lambda, psi).total, tolerance));
  });
}

TEST(SimGan, LambdaOfPublishedShapes) {
  SIM_NEED_GOLDEN(file, "simgan");
  const Json &c = golden::find_case(file, "lambda_conversion_published_shapes"), tolerance = *golden::tolerance(file, c, "float64");
  for (const Json& row : c.at("expected").at("rows"))
    EXPECT_TRUE(golden::agrees(Json{{"lambda_mean", row[3]}}, "lambda_mean", lambda_for_means(row[2], row[0], row[1]), tolerance));
}

TEST(SimGan, FeaturesOfTheRegulariser) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "identity_per_image", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor x = input(c, "x", type), refined = input(c, "refined", type);
    const double shift = c.at("params").at("constant_shift");
    const Json& want = c.at("expected");
    for (const std::string name : {"identity", "derivative", "channel_mean"}) {
      const FeatureMap psi = feature_map(name);
      const auto sum = [&](const torch::Tensor& r) { return self_regularisation(r, x, psi).sum(); };
      EXPECT_TRUE(golden::agrees(want, name + "_per_image", self_regularisation(refined, x, psi), tolerance));
      EXPECT_TRUE(golden::agrees(want, name + "_grad", gradient(refined, sum), tolerance));
      EXPECT_EQ(sum(x).item<double>(), 0);
      EXPECT_EQ(gradient(x, sum).abs().max().item<double>(), 0);
      // Values of x have 24 bits, so x + shift rounds: by 1e-7 a value in float32, by nothing in double.
      const torch::Tensor moved = self_regularisation(x + shift, x, psi);
      const double expected = want.at(name + "_of_constant_shift_per_image"), allowed = type == torch::kDouble ? 1e-12 : 1e-5;
      EXPECT_LE((moved - expected).abs().max().item<double>(), allowed) << name;
    }
  });
}

TEST(SimGan, BlindDiscriminator) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "d_loss_per_image_pair", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const Json &p = c.at("params"), &want = c.at("expected");
    Discriminator d(gaze_discriminator());
    for (torch::Tensor& weight : d->parameters()) weight.requires_grad_(false).zero_();
    d->to(type);
    const torch::Tensor logits = d->forward(torch::ones({2, 1, 35, 55}, type));
    ASSERT_EQ(logits.size(2), p.at("h").get<std::int64_t>());
    ASSERT_EQ(logits.size(3), p.at("w").get<std::int64_t>());
    EXPECT_TRUE(golden::agrees(want, "d_loss_per_image_pair", discriminator_loss(logits, logits), tolerance));
    EXPECT_TRUE(golden::agrees(want, "r_adversarial_per_image", local_loss(logits, ImageClass::real).mean(), tolerance));
    EXPECT_TRUE(golden::agrees(want, "loss_per_cell", local_loss(logits.slice(2, 0, 1).slice(3, 0, 1), ImageClass::real).mean(), tolerance));
  });
}

void expect_refiner(const Json& want, const RefinerOptions& options) {
  EXPECT_EQ(parameter_count(*Refiner(options)), want.at("parameters").get<std::int64_t>());
  EXPECT_EQ(receptive_field(options), want.at("receptive_field").get<std::int64_t>());
}

void expect_discriminator(const Json& want, DiscriminatorOptions options, std::int64_t rows, std::int64_t columns) {
  EXPECT_EQ(parameter_count(*Discriminator(options)), want.at("parameters").get<std::int64_t>());
  EXPECT_EQ(receptive_field(options), want.at("receptive_field").get<std::int64_t>());
  for (const auto& [padding, key] : {std::pair(Padding::replicate, "map_same_padding"), std::pair(Padding::zeros, "map_same_padding"),
                                     std::pair(Padding::reflect, "map_same_padding"), std::pair(Padding::none, "map_valid_padding")}) {
    options.padding = padding;
    const auto expected = want.at(key).get<std::array<std::int64_t, 2>>();
    EXPECT_EQ(map_size(options, rows, columns), expected);
    const torch::NoGradGuard no_grad;
    const torch::Tensor map = Discriminator(options)->forward(torch::zeros({1, 1, rows, columns}));
    EXPECT_EQ(map.sizes().vec(), (std::vector<std::int64_t>{1, 2, expected[0], expected[1]}));
  }
}

TEST(SimGan, PublishedArchitectures) {
  SIM_NEED_GOLDEN(file, "simgan");
  const Json& want = golden::find_case(file, "architectures").at("expected");
  expect_refiner(want.at("gaze_refiner"), gaze_refiner());
  expect_refiner(want.at("hand_refiner_first_conv_7"), hand_refiner());
  expect_refiner(want.at("hand_refiner_all_conv_7"), hand_refiner(true));
  expect_discriminator(want.at("gaze_discriminator"), gaze_discriminator(), 35, 55);
  expect_discriminator(want.at("hand_discriminator"), hand_discriminator(), 224, 224);
  EXPECT_DOUBLE_EQ(static_cast<double>(multiply_adds(gaze_refiner(), 35, 55)) / 1e6, want.at("gaze_refiner_mmac").get<double>());
}

std::vector<std::int64_t> ids_of(const torch::Tensor& images) {
  const torch::Tensor flat = images.to(torch::kLong).contiguous();
  return {flat.data_ptr<std::int64_t>(), flat.data_ptr<std::int64_t>() + flat.numel()};
}

TEST(SimGan, HistoryWithExplicitDraws) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "fake_batch_ids", [](const Json& c, torch::ScalarType type, const Json&) {
    using Slots = std::vector<std::int64_t>;
    const Json &p = c.at("params"), &in = c.at("inputs"), &want = c.at("expected");
    const std::int64_t batch = p.at("batch");
    History history(p.at("capacity"), batch, 1);
    for (std::int64_t t = 0; t < p.at("steps").get<std::int64_t>(); ++t) {
      const auto k = static_cast<std::size_t>(t);
      const torch::Tensor fresh = torch::arange(t * batch, (t + 1) * batch, type).view({-1, 1, 1, 1});
      EXPECT_EQ(ids_of(history.fakes(fresh, in.at("read_slots")[k].get<Slots>())), want.at("fake_batch_ids")[k].get<Slots>());
      history.keep(fresh, in.at("write_slots")[k].get<Slots>());
      EXPECT_EQ(ids_of(history.images()), want.at("buffer_ids_after_step")[k].get<Slots>());
    }
  });
}

// With draws of its own a history obeys the law: 4000 images are followed from the step that stores them, so the standard error of
// the survival is below 0.008, and of the mean age (its spread is about its mean) below 2 %.
TEST(SimGan, HistoryObeysItsLaw) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "law", [](const Json& c, torch::ScalarType type, const Json&) {
    if (type != torch::kDouble) return;
    const Json &p = c.at("params"), &law = c.at("expected").at("law");
    const std::int64_t batch = p.at("batch"), half = batch / 2, steps = 4000 / half;
    History history(p.at("capacity"), batch, 7);
    double age = 0, reads = 0, survivors = 0, followed = 0;
    for (std::int64_t t = 0; t < steps; ++t) {
      const torch::Tensor fresh = torch::full({batch, 1}, t, torch::kDouble);
      const HistoryDraws draws = history.draw();
      if (t >= 100) {
        const torch::Tensor fakes = history.fakes(fresh, draws.read).slice(0, half);
        age += (static_cast<double>(t) - fakes).sum().item<double>(), reads += static_cast<double>(half);
      }
      history.keep(fresh, draws.write);
      if (t < 100) continue;
      survivors += (history.images() == static_cast<double>(t - 10)).sum().item<double>(), followed += static_cast<double>(half);
    }
    EXPECT_NEAR(age / reads, law.at("mean_age_of_a_read").get<double>(), 0.1 * law.at("mean_age_of_a_read").get<double>());
    EXPECT_NEAR(survivors / followed, law.at("slot_survival_after_10_steps").get<double>(), 0.03);
  });
}

TEST(SimGan, DarkCentreMeter) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "centre_x", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor x = input(c, "x", type), refined = input(c, "refined", type);
    const double share = c.at("params").at("share");
    const std::int64_t border = c.at("params").at("border");
    const Json& want = c.at("expected");
    EXPECT_TRUE(golden::agrees(want, "centre_x", dark_centre(x, share, border), tolerance));
    EXPECT_TRUE(golden::agrees(want, "centre_refined", dark_centre(refined, share, border), tolerance));
    EXPECT_TRUE(golden::agrees(want, "mean_shift", mean_dark_shift(x, refined, share, border), tolerance));
  });
}

/// x ~ N(0, 1) by nodes and weights, y ~ N(m, 1), R(x) = x + t, D(u) of logit a + b u.
struct OneDimension {
  torch::Tensor x = torch::linspace(-12, 12, 481, torch::kDouble);
  torch::Tensor weight = torch::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi) * (24.0 / 480);

  torch::Tensor loss(const torch::Tensor& logit, ImageClass cls) const {
    return (weight * local_loss(torch::stack({torch::zeros_like(logit), logit}, 1).view({-1, 2, 1, 1}), cls)).sum();
  }
  /// d adversarial / d t of the discriminator a + b u.
  double slope(double t, double a, double b) const {
    return gradient(torch::tensor(t, torch::kDouble), [&](auto& leaf) { return loss(a + b * (x + leaf), ImageClass::real); }).item<double>();
  }
  /// Against the optimal discriminator, whose logit is the logarithm of the two densities' ratio.
  double slope_of_gap(double r) const { return -slope(0, r * r / 2, -r); }
};

double gap_with_slope(const OneDimension& world, double lambda, double m) {
  double low = 0, high = m;
  for (int k = 0; k < 50; ++k) {
    const double middle = (low + high) / 2;
    (world.slope_of_gap(middle) < lambda ? low : high) = middle;
  }
  return high;
}

TEST(SimGan, BalanceInOneDimension) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "slope_f", [](const Json& c, torch::ScalarType, const Json& tolerance) {
    const OneDimension world;
    for (const Json& row : c.at("expected").at("slope_f"))
      EXPECT_TRUE(golden::agrees(Json{{"slope", row[1]}}, "slope", world.slope_of_gap(row[0]), tolerance));
    for (const Json& row : c.at("expected").at("rows"))
      EXPECT_TRUE(golden::agrees(Json{{"gap", row[1]}}, "gap", gap_with_slope(world, row[0], c.at("params").at("m")), tolerance));
  });
}

// Steps of the discriminator and of t take turns; the regulariser |t| by its proximal step, which can rest at 0.
TEST(SimGan, AlternatingTrainingFindsTheBalance) {
  SIM_NEED_GOLDEN(file, "simgan");
  const Json &c = golden::find_case(file, "one_dimensional_balance"), &tolerance = c.at("tol").at("training");
  const OneDimension world;
  const double m = c.at("params").at("m");
  for (const Json& row : c.at("expected").at("rows")) {
    const double lambda = row[0], rate = 0.1;
    double t = 0;
    torch::Tensor d = torch::zeros({2}, torch::kDouble);
    const auto train_discriminator = [&](int steps) {
      for (int k = 0; k < steps; ++k)
        d = d - 0.4 * gradient(d, [&](const torch::Tensor& leaf) {
              return world.loss(leaf[0] + leaf[1] * (world.x + m), ImageClass::real) + world.loss(leaf[0] + leaf[1] * (world.x + t), ImageClass::refined);
            });
    };
    train_discriminator(300);
    for (int round = 0; round < 200; ++round) {
      train_discriminator(8);
      const double moved = t - rate * world.slope(t, d[0].item<double>(), d[1].item<double>());
      t = std::copysign(std::max(std::abs(moved) - rate * lambda, 0.0), moved);
    }
    EXPECT_TRUE(golden::agrees(Json{{"t", row[2]}}, "t", t, tolerance)) << "lambda " << lambda;
  }
}

const char* const kRefinerWeights[] = {"R.in.w", "R.in.b", "R.a.w", "R.a.b", "R.b.w", "R.b.b", "R.out.w", "R.out.b"};
const char* const kDiscriminatorWeights[] = {"D.1.w", "D.1.b", "D.2.w", "D.2.b"};

/// Calls f(name in the file, parameter).
template <typename Names, typename F>
void for_each_weight(const torch::nn::Module& net, const Names& names, F f) {
  const std::vector<torch::Tensor> weights = net.parameters();
  ASSERT_EQ(weights.size(), std::size(names));
  for (std::size_t k = 0; k < weights.size(); ++k) f(std::string(names[k]), weights[k]);
}

Players tiny_players(const Json& c, torch::ScalarType type) {
  const Json& p = c.at("params");
  const double slope = p.at("leaky_slope");
  Players players;
  players.refiner = Refiner(RefinerOptions{.width = p.at("refiner_channels"), .blocks = 1, .slope = slope});
  players.discriminator = Discriminator(DiscriminatorOptions{
      .layers = {{.channels = p.at("discriminator_channels"), .filter = 3, .stride = 2}, {.channels = 2, .filter = 1}}, .slope = slope});
  players.refiner->to(type), players.discriminator->to(type);
  const torch::NoGradGuard no_grad;
  const auto set = [&](const std::string& name, torch::Tensor weight) { weight.copy_(golden::to_torch(c.at("inputs").at("weights").at(name), type)); };
  for_each_weight(*players.refiner, kRefinerWeights, set);
  for_each_weight(*players.discriminator, kDiscriminatorWeights, set);
  const double rate = p.at("lr");
  players.refiner_optimiser = std::make_unique<torch::optim::SGD>(players.refiner->parameters(), rate);
  players.discriminator_optimiser = std::make_unique<torch::optim::SGD>(players.discriminator->parameters(), rate);
  return players;
}

TEST(SimGan, RoundsOfTraining) {
  SIM_NEED_GOLDEN(file, "simgan");
  for_each_with(file, "refined_round0", [](const Json& c, torch::ScalarType type, const Json& tolerance) {
    const torch::Tensor x = input(c, "x", type), y = input(c, "y", type);
    const Json &p = c.at("params"), &want = c.at("expected");
    const std::int64_t rounds = p.at("rounds"), batch = p.at("B"), half = batch / 2;
    Players players = tiny_players(c, type);
    const torch::Tensor refined = players.refiner->forward(x[0]);
    EXPECT_TRUE(golden::agrees(want, "refined_round0", refined, tolerance));
    EXPECT_TRUE(golden::agrees(want, "logits_round0", players.discriminator->forward(refined), tolerance));

    History history(rounds * half, batch, 1);
    std::vector<double> losses;
    for (std::int64_t t = 0; t < rounds; ++t) {
      const RefinerStep r = step_refiner(players, x[t], p.at("lambda_sum"), feature_map("identity"));
      HistoryDraws draws;
      for (std::int64_t k = 0; k < half; ++k) {
        if (t > 0) draws.read.push_back(history.size() - half + k);
        draws.write.push_back(history.size() + k);
      }
      losses.insert(losses.end(), {r.adversarial, r.regulariser, step_discriminator(players, x[t], y[t], history, draws)});
      if (t > 0) continue;
      const auto gradients = [&](const std::string& name, const torch::Tensor& w) { EXPECT_TRUE(golden::agrees(want, "grad." + name, w.grad(), tolerance)); };
      for_each_weight(*players.refiner, kRefinerWeights, gradients);
      for_each_weight(*players.discriminator, kDiscriminatorWeights, gradients);
    }
    EXPECT_TRUE(golden::agrees(want, "rounds", losses, tolerance));
    const auto finals = [&](const std::string& name, const torch::Tensor& w) { EXPECT_TRUE(golden::agrees(want, "final." + name, w, tolerance)); };
    for_each_weight(*players.refiner, kRefinerWeights, finals);
    for_each_weight(*players.discriminator, kDiscriminatorWeights, finals);
  });
}

}  // namespace
}  // namespace simulacra::sim2real
