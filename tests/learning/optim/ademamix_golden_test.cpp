// SPDX-License-Identifier: Apache-2.0
// Every case of ademamix.json, in every type that it names.
#include <torch/torch.h>

#include <cmath>

#include "learning/optim/optimizer.h"
#include "learning/optim/schedule.h"
#include "tests/support/golden.h"

namespace simulacra::optim {
namespace {

namespace golden = test::golden;
using golden::Json;

struct Type {
  const char* name;
  torch::ScalarType scalar;
};
constexpr Type kTypes[] = {{"float64", torch::kDouble}, {"float32", torch::kFloat}};

int int_or_zero(const Json& params, const char* key) {
  return params.contains(key) && !params.at(key).is_null() ? params.at(key).get<int>() : 0;
}

OptimizerOptions options_of(const Json& p) {
  OptimizerOptions o;
  o.method = "ademamix";
  o.beta1 = p.at("beta1");
  o.beta2 = p.at("beta2");
  o.beta3 = p.at("beta3");
  o.alpha = p.at("alpha");
  o.eps = p.value("eps", 1e-8);
  o.clip = p.value("clip", 0.0);
  o.alpha_over = int_or_zero(p, "T_alpha");
  o.beta3_over = int_or_zero(p, "T_beta3");
  o.beta3_start = p.value("beta3_start", 0.0);
  o.count_from = p.value("count_from", 1);
  return o;
}

LearningRate rate_of(const Json& p) {
  return {.lr = p.at("lr"), .warmup = int_or_zero(p, "warmup"), .total = int_or_zero(p, "total"), .lr_end = p.value("lr_end", 0.0)};
}

std::vector<double> values_of(const torch::Tensor& t) {
  const torch::Tensor d = t.detach().to(torch::kDouble).contiguous();
  return {d.const_data_ptr<double>(), d.const_data_ptr<double>() + d.numel()};
}

/// One parameter, its optimizer, and the updates asked for.
struct Training {
  Training(const std::vector<double>& start, const OptimizerOptions& options, const LearningRate& rate_, double decay, torch::ScalarType type)
      : theta(torch::tensor(start, torch::kDouble).to(type).set_requires_grad(true)),
        flat({{.name = "all", .parameters = {{"theta", theta}}, .weight_decay = decay}}), optimizer(flat, options), rate(rate_) {}
  Training(const std::vector<double>& start, const Json& p, torch::ScalarType type)
      : Training(start, options_of(p), rate_of(p), p.value("weight_decay", 0.0), type) {}

  Optimizer::Report step(const std::vector<double>& gradient) {
    const torch::NoGradGuard no_grad;
    theta.mutable_grad().copy_(torch::tensor(gradient, torch::kDouble));
    return optimizer.step(learning_rate_at(rate, optimizer.updates() + 1));
  }
  std::vector<double> values() const { return values_of(theta); }
  /// Without the gap behind the parameter.
  std::vector<double> state(const std::string& name) const {
    return values_of(optimizer.state_dict().at(name).narrow(0, 0, theta.numel()));
  }

  torch::Tensor theta;
  FlatParameters flat;
  Optimizer optimizer;
  LearningRate rate;
};

std::vector<double> row(const golden::Tensor& t, std::int64_t i) {
  const auto n = static_cast<std::ptrdiff_t>(t.shape.at(1));
  return {t.values.begin() + i * n, t.values.begin() + (i + 1) * n};
}

/// Runs `body(case, tolerance, type)` for each case that `chosen` accepts, and wants at least one.
template <typename Chosen, typename Body>
void for_cases(const Json& file, Chosen chosen, Body body) {
  int tried = 0;
  for (const Json& c : file.at("cases")) {
    const auto name = c.at("name").get<std::string>();
    if (!chosen(name, c)) continue;
    for (const Type& type : kTypes) {
      SCOPED_TRACE(name + ", " + type.name);
      const auto tolerance = golden::tolerance(file, c, type.name);
      if (!tolerance) continue;
      ++tried;
      body(c, *tolerance, type.scalar);
    }
  }
  EXPECT_GT(tried, 0);
}

TEST(AdEMAMix, Schedules) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string&, const Json& c) { return c.at("expected").contains("rows"); },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) {
              const auto rounded = [&](double x) { return type == torch::kFloat ? static_cast<double>(static_cast<float>(x)) : x; };
              const Json& p = c.at("params");
              const double start = p.at("beta3_start"), end = p.at("beta3_end"), alpha = p.at("alpha");
              const int over = p.at("T");
              const Json& expected = c.at("expected");
              for (const Json& r : expected.at("rows")) {
                const auto s = r.at(0).get<std::int64_t>();
                const Json want = {{"alpha", r.at(1)}, {"beta3", r.at(2)}, {"half_life", r.at(3)}};
                const double beta3 = beta3_at(start, end, over, s);
                EXPECT_TRUE(golden::agrees(want, "alpha", rounded(alpha_at(alpha, over, s)), tolerance)) << s;
                EXPECT_TRUE(golden::agrees(want, "beta3", rounded(beta3), tolerance)) << s;
                EXPECT_TRUE(golden::agrees(want, "half_life", rounded(half_life(beta3)), tolerance)) << s;
              }
              EXPECT_TRUE(golden::agrees(expected, "half_life_start", rounded(half_life(start)), tolerance));
              EXPECT_TRUE(golden::agrees(expected, "half_life_end", rounded(half_life(end)), tolerance));
              for (const auto& [name, wrong] : c.at("trap").items())
                EXPECT_GT(std::abs(beta3_at(start, end, 2 * over, over) - wrong.get<double>()), 1e-9) << name;
            });
}

TEST(AdEMAMix, Scalars) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json&) { return name.starts_with("scalar_"); },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) {
              const Json& p = c.at("params");
              Training run({p.at("theta0").get<double>()}, p, type);
              std::vector<double> path;
              for (int t = 0; t < p.at("steps").get<int>(); ++t) {
                run.step(run.values());
                path.push_back(run.values()[0]);
              }
              EXPECT_TRUE(golden::agrees(c.at("expected"), "theta", path, tolerance));
            });
}

void follow_states(const Json& c, const Json& tolerance, torch::ScalarType type, bool as_adamw) {
  const Json& p = c.at("params");
  const golden::Tensor gradients = golden::tensor(c.at("inputs").at("gradients"));
  OptimizerOptions options = options_of(p);
  if (as_adamw) options.method = "adamw";
  Training run(golden::tensor(c.at("inputs").at("theta0")).values, options, rate_of(p), p.value("weight_decay", 0.0), type);
  std::size_t next = 0;
  const Json& states = c.at("expected").at("states");
  for (int t = 1; t <= p.at("steps").get<int>(); ++t) {
    const double lr = learning_rate_at(run.rate, t);
    const Optimizer::Report report = run.step(row(gradients, t - 1));
    if (next >= states.size() || states[next].at("t") != t) continue;
    SCOPED_TRACE(t);
    const Json& want = states[next++];
    EXPECT_TRUE(golden::agrees(want, "lr", lr, tolerance));
    EXPECT_TRUE(golden::agrees(want, "theta", run.values(), tolerance));
    for (const char* name : {"m1", "v"}) EXPECT_TRUE(golden::agrees(want, name, run.state(name), tolerance));
    if (as_adamw) continue;
    EXPECT_TRUE(golden::agrees(want, "alpha", report.alpha, tolerance));
    EXPECT_TRUE(golden::agrees(want, "beta3", report.beta3, tolerance));
    EXPECT_TRUE(golden::agrees(want, "m2", run.state("m2"), tolerance));
  }
  EXPECT_EQ(next, states.size());
  EXPECT_TRUE(golden::agrees(c.at("expected"), "final_theta", run.values(), tolerance));
}

TEST(AdEMAMix, StatesUnderWarmUpCosineDecayAndClipping) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json&) { return name.starts_with("vector_"); },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) { follow_states(c, tolerance, type, false); });
}

TEST(AdEMAMix, WithoutAlphaItIsAdamW) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json& c) { return name.starts_with("vector_") && c.at("params").at("alpha") == 0; },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) { follow_states(c, tolerance, type, true); });
}

TEST(AdEMAMix, ConstantGradient) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json&) { return name == "constant_gradient"; },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) {
              Training run({0.0}, c.at("params"), type);
              for (int t = 0; t < c.at("params").at("steps").get<int>(); ++t) run.step({1.0});
              EXPECT_TRUE(golden::agrees(c.at("expected"), "theta_T", run.values(), tolerance));
            });
}

TEST(AdEMAMix, TheSlowAverageDoesNotStall) {
  SIM_NEED_GOLDEN(file, "ademamix");
  const Json& c = golden::find_case(file, "bfloat16_state_stalls");
  const int steps = c.at("params").at("steps");
  OptimizerOptions options;
  options.method = "ademamix";
  options.beta3 = c.at("params").at("beta3");
  for (const Type& type : kTypes) {
    SCOPED_TRACE(type.name);
    Training run({0.0}, options, {.lr = 1e-3}, 0, type.scalar);
    for (int t = 0; t < steps; ++t) run.step({1.0});
    EXPECT_TRUE(golden::agrees(c.at("expected"), "m2_exact", run.state("m2"), *golden::tolerance(file, c, type.name)));
  }
  // Rounded at random, an element is off by 4 % (one standard deviation); 64 of them show the mean.
  options.slow_average = "bfloat16";
  options.seed = 5;
  Training run(std::vector<double>(64, 0.0), options, {.lr = 1e-3}, 0, torch::kFloat);
  for (int t = 0; t < steps; ++t) run.step(std::vector<double>(64, 1.0));
  double mean = 0;
  for (const double m : run.state("m2")) mean += m / 64;
  EXPECT_TRUE(golden::agrees(c.at("expected"), "m2_exact", mean, *golden::tolerance(file, c, "bfloat16_stochastic_rounding")));
  EXPECT_GT(mean, 10 * c.at("trap").at("m2_if_stored_in_bfloat16").get<double>());
}

TEST(AdEMAMix, SwitchFromAdamW) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json&) { return name == "switch_from_adamw"; },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) {
              const Json& p = c.at("params");
              const golden::Tensor gradients = golden::tensor(c.at("inputs").at("gradients"));
              OptimizerOptions before = options_of(p);
              before.method = "adamw";
              Training run(golden::tensor(c.at("inputs").at("theta0")).values, before, rate_of(p), p.at("weight_decay"), type);
              for (int t = 0; t < p.at("steps").get<int>(); ++t) {
                if (t == p.at("switch_at").get<int>()) run.optimizer.switch_to_ademamix(options_of(p));
                run.step(row(gradients, t));
              }
              EXPECT_TRUE(golden::agrees(c.at("expected"), "final_theta", run.values(), tolerance));
              EXPECT_TRUE(golden::agrees(c.at("expected"), "final_m2", run.state("m2"), tolerance));
            });
}

TEST(AdEMAMix, Rosenbrock) {
  SIM_NEED_GOLDEN(file, "ademamix");
  for_cases(file, [](const std::string& name, const Json&) { return name == "rosenbrock"; },
            [](const Json& c, const Json& tolerance, torch::ScalarType type) {
              const Json& p = c.at("params");
              Training run(p.at("start").get<std::vector<double>>(), p, type);
              std::vector<double> distance;
              const auto at = p.at("at").get<std::vector<std::int64_t>>();
              while (distance.size() < at.size()) {
                const std::vector<double> x = run.values();
                run.step({-2 * (1 - x[0]) - 400 * x[0] * (x[1] - x[0] * x[0]), 200 * (x[1] - x[0] * x[0])});
                if (run.optimizer.updates() == at[distance.size()]) distance.push_back(std::hypot(run.values()[0] - 1, run.values()[1] - 1));
              }
              EXPECT_TRUE(golden::agrees(c.at("expected"), "distance", distance, tolerance));
            });
}

}  // namespace
}  // namespace simulacra::optim
