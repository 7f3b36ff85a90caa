// SPDX-License-Identifier: Apache-2.0
// Every case of online_bilevel.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim2real/bilevel/soba.h"
#include "sim2real/reweight/flow.h"
#include "sim2real/reweight/selection.h"
#include "tests/support/golden.h"

namespace simulacra::reweight {
namespace {

namespace golden = test::golden;
using golden::Json;

dense::Matrix matrix(const Json& in, const char* name) {
  const golden::Tensor t = golden::tensor(in.at(name));
  return {static_cast<std::size_t>(t.shape[0]), static_cast<std::size_t>(t.shape[1]), t.values};
}
std::vector<double> values(const Json& in, const char* name) { return golden::tensor(in.at(name)).values; }

std::vector<double> residuals(const dense::Matrix& x, const std::vector<double>& theta, const std::vector<double>& y) {
  std::vector<double> r = dense::times(x, theta);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= y[i];
  return r;
}

/// Row i: gradient of (x_i.theta - y_i)^2 / 2.
dense::Matrix item_gradients(const dense::Matrix& x, const std::vector<double>& theta, const std::vector<double>& y) {
  dense::Matrix u = x;
  const auto r = residuals(x, theta, y);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.columns; ++j) u(i, j) *= r[i];
  return u;
}

std::vector<double> mean_gradient(const dense::Matrix& x, std::span<const double> theta, const std::vector<double>& y) {
  auto g = dense::transposed_times(x, residuals(x, {theta.begin(), theta.end()}, y));
  for (double& v : g) v /= static_cast<double>(x.rows);
  return g;
}

std::vector<double> halved_squares(std::vector<double> r) {
  for (double& v : r) v = 0.5 * v * v;
  return r;
}

TEST(OnlineBilevel, WeightingGradients) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  const Json &c = golden::find_case(file, "weighting_gradients"), &in = c.at("inputs"), &expected = c.at("expected"), &params = c.at("params");
  const Json tol = *golden::tolerance(file, c, "float64");
  const dense::Matrix x = matrix(in, "X"), xs = matrix(in, "X_spec");
  const auto y = values(in, "y"), ys = values(in, "y_spec"), theta = values(in, "theta"), a = values(in, "a"), v = values(in, "v");
  const double b = static_cast<double>(x.rows), eta = params.at("eta");
  const dense::Matrix u = item_gradients(x, theta, y);
  const auto w = dense::softmax(dense::times(x, a));
  const auto specialist = [&](std::span<const double> at) { return mean_gradient(xs, at, ys); };
  const auto g = specialist(theta);
  EXPECT_TRUE(golden::agrees(expected, "w", w, tol));
  EXPECT_TRUE(golden::agrees(expected, "specialist_gradient", g, tol));

  // SOBA: the auxiliary direction in its variants, and the gradient of the scores.
  auto hv = dense::transposed_times(x, dense::times(x, v));
  for (double& t : hv) t /= b;
  EXPECT_TRUE(golden::agrees(expected, "hessian_vector", hv, tol));
  EXPECT_TRUE(golden::agrees(expected, "v_direction", bilevel::auxiliary_direction(hv, v, g), tol));
  EXPECT_TRUE(golden::agrees(expected, "v_direction_hessian_free", bilevel::auxiliary_direction(hv, v, g, 0, true), tol));
  EXPECT_TRUE(golden::agrees(expected, "v_direction_regularised", bilevel::auxiliary_direction(hv, v, g, params.at("hessian_regularisation")), tol));
  const auto soba = soba_scores_gradient(u, w, v);
  EXPECT_TRUE(golden::agrees(expected, "soba_grad_scores", soba, tol));
  EXPECT_TRUE(golden::agrees(expected, "soba_grad_a", dense::transposed_times(x, soba), tol));
  auto theta_after = theta;
  const auto uniform = mean_gradient(x, theta, y);
  for (std::size_t j = 0; j < theta.size(); ++j) theta_after[j] -= params.at("lr").get<double>() * uniform[j];
  EXPECT_TRUE(golden::agrees(expected, "theta_after_uniform_step", theta_after, tol));

  // Its fixed point: v follows the direction at frozen theta.
  std::vector<double> at_rest(v.size());
  for (int step = 0; step < 20000; ++step) {
    auto h = dense::transposed_times(x, dense::times(x, at_rest));
    for (double& t : h) t /= b;
    const auto way = bilevel::auxiliary_direction(h, at_rest, g);
    for (std::size_t j = 0; j < v.size(); ++j) at_rest[j] -= 0.3 * way[j];
  }
  EXPECT_TRUE(golden::agrees(expected, "v_fixed_point", at_rest, tol));
  EXPECT_TRUE(golden::agrees(expected, "soba_grad_scores_at_fixed_point", soba_scores_gradient(u, w, at_rest), tol));

  // DDS, and its first order: the ratio to eta as eta falls.
  const auto dds = look_ahead_scores_gradient(u, w, theta, eta, specialist);
  EXPECT_TRUE(golden::agrees(expected, "dds_grad_scores", dds, tol));
  EXPECT_TRUE(golden::agrees(expected, "dds_grad_a", dense::transposed_times(x, dds), tol));
  auto first_order = look_ahead_scores_gradient(u, w, theta, 1e-9, specialist);
  for (double& t : first_order) t /= 1e-9;
  Json loose = tol;
  loose["rtol"] = 1e-7;   // eta itself, and rounding over eta
  EXPECT_TRUE(golden::agrees(expected, "dds_first_order_grad_scores", first_order, loose));

  // Anograd.
  const Alignment anograd = normalised_alignment(u, w, g);
  EXPECT_TRUE(golden::agrees(expected, "anograd_value", anograd.value, tol));
  EXPECT_TRUE(golden::agrees(expected, "anograd_grad_w", anograd.gradient_w, tol));
  EXPECT_TRUE(golden::agrees(expected, "anograd_grad_scores_ascent", anograd.gradient_scores, tol));

  // Contrastive selection: losses before and after a small specialist step.
  const double small = params.at("small_step");
  auto tuned = theta, aligned = dense::times(u, g);
  for (std::size_t j = 0; j < theta.size(); ++j) tuned[j] -= small * g[j];
  for (double& t : aligned) t *= -small;
  const auto score = contrastive_scores(halved_squares(residuals(x, theta, y)), halved_squares(residuals(x, tuned, y)));
  // A difference of losses of size up to 25: rounding leaves 1e-14 of them, the tolerance of the scores is absolute.
  Json difference = tol;
  difference["atol"] = 1e-12;
  EXPECT_TRUE(golden::agrees(expected, "contrastive_score", score, difference));
  EXPECT_TRUE(golden::agrees(expected, "contrastive_score_first_order", aligned, tol));

  // The identities that the file lists.
  for (const auto& scores : {soba, dds, anograd.gradient_scores}) {
    double sum = 0;
    for (const double t : scores) sum += t;
    EXPECT_NEAR(sum, 0, 1e-12);
  }
  EXPECT_NEAR(dense::dot(w, anograd.gradient_w), 0, 1e-12);
}

TEST(OnlineBilevel, SobaTrace) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  const Json &c = golden::find_case(file, "soba_trace"), &in = c.at("inputs"), &params = c.at("params"), &expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const dense::Matrix a = matrix(in, "A"), av = matrix(in, "A_v");
  const auto noisy = [&](const dense::Matrix& m, const char* noise) {
    auto b = dense::times(m, values(in, "t"));
    const auto e = values(in, noise);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += e[i];
    return b;
  };
  const auto b = noisy(a, "e"), bv = noisy(av, "e_v");
  const auto with_penalty = [](std::vector<double> of_data, auto x, auto y) {
    for (std::size_t j = 0; j < of_data.size(); ++j) of_data[j] += std::exp(y[j]) * x[j];
    return of_data;
  };
  const bilevel::TwoLevels problem{
      .inner_gradient = [&](auto x, auto y) { return with_penalty(mean_gradient(a, x, b), x, y); },
      .inner_hessian = [&](auto, auto y, auto v) { return with_penalty(mean_gradient(a, v, std::vector<double>(a.rows)), v, y); },
      .cross = [](auto x, auto y, auto v) {
        std::vector<double> d(x.size());
        for (std::size_t j = 0; j < d.size(); ++j) d[j] = std::exp(y[j]) * x[j] * v[j];
        return d;
      },
      .outer_gradient = [&](auto x) { return mean_gradient(av, x, bv); }};
  bilevel::SobaState s{std::vector<double>(a.columns), std::vector<double>(a.columns), std::vector<double>(a.columns, params.at("y0"))};
  std::size_t row = 0;
  for (int step = 1; step <= params.at("steps").get<int>(); ++step) {
    bilevel::soba_step(s, problem, params.at("rho"), params.at("gamma"));
    const Json& rows = expected.at("rows");
    if (row >= rows.size() || rows[row][0] != step) continue;
    double sum = 0;
    for (const double t : s.y) sum += t;
    const std::vector<double> got = {std::sqrt(dense::dot(s.x, s.x)), std::sqrt(dense::dot(s.v, s.v)), sum, dense::dot(s.y, s.y)};
    for (std::size_t k = 0; k < 4; ++k) {
      const double wanted = rows[row][k + 1];
      EXPECT_NEAR(got[k], wanted, tol.at("rtol").get<double>() * std::abs(wanted) + tol.at("atol").get<double>()) << step;
    }
    ++row;
  }
  EXPECT_EQ(row, expected.at("rows").size());
  EXPECT_TRUE(golden::agrees(expected, "final_x", s.x, tol));
  EXPECT_TRUE(golden::agrees(expected, "final_v", s.v, tol));
  EXPECT_TRUE(golden::agrees(expected, "final_y", s.y, tol));
}

TEST(OnlineBilevel, SuccessiveSampling) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  const Json &c = golden::find_case(file, "successive_sampling"), &in = c.at("inputs"), &expected = c.at("expected");
  std::vector<double> log_w;
  for (const double w : values(in, "w")) log_w.push_back(std::log(w));
  const std::size_t b = c.at("params").at("b"), n = log_w.size();
  EXPECT_EQ(draw_without_replacement(log_w, values(in, "u"), b), expected.at("gumbel_top_b").get<std::vector<std::size_t>>());
  // Empirical inclusion against the exact one: a share p of `draws` has a deviation of sqrt(p (1 - p) / draws); five of them
  // in 12 comparisons go wrong by chance once in 100,000 seeds.
  constexpr std::size_t kDraws = 40'000;
  for (const std::size_t count : {b, std::size_t{1}}) {
    const auto uniforms = golden::generate("uni24", 77 + count, kDraws * n);
    std::vector<double> seen(n);
    for (std::size_t k = 0; k < kDraws; ++k)
      for (const std::size_t i : draw_without_replacement(log_w, std::span(uniforms).subspan(k * n, n), count)) seen[i] += 1.0 / kDraws;
    const auto wanted = golden::tensor(expected.at(count == 1 ? "inclusion_for_b_1" : "inclusion")).values;
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(seen[i], wanted[i], 5 * std::sqrt(wanted[i] * (1 - wanted[i]) / kDraws)) << i;
  }
}

TEST(OnlineBilevel, AlignmentTest) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  const Json &c = golden::find_case(file, "alignment_test"), &in = c.at("inputs"), &expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const dense::Matrix x = matrix(in, "X"), xs = matrix(in, "X_spec");
  const auto ys = values(in, "y_spec"), theta = values(in, "theta");
  const std::size_t half = xs.rows / 2;
  const auto part = [&](std::size_t from, std::size_t to) {
    const dense::Matrix m(to - from, xs.columns, {xs.values.begin() + static_cast<std::ptrdiff_t>(from * xs.columns), xs.values.begin() + static_cast<std::ptrdiff_t>(to * xs.columns)});
    return mean_gradient(m, theta, {ys.begin() + static_cast<std::ptrdiff_t>(from), ys.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  const auto g_train = part(0, half), g_test = part(half, xs.rows);
  const dense::Matrix u = item_gradients(x, theta, values(in, "y"));
  auto selected = largest(dense::times(u, g_train), c.at("params").at("select"));
  const AlignmentTest got = alignment_test(u, selected, g_train, g_test);
  EXPECT_TRUE(golden::agrees(expected, "a", got.training, tol));
  EXPECT_TRUE(golden::agrees(expected, "b", got.selected, tol));
  EXPECT_TRUE(golden::agrees(expected, "c", got.uniform, tol));
  std::ranges::sort(selected);
  EXPECT_EQ(selected, expected.at("selected").get<std::vector<std::size_t>>());
}

TEST(OnlineBilevel, DomainClassifier) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  const Json &c = golden::find_case(file, "domain_classifier"), &in = c.at("inputs"), &expected = c.at("expected");
  const Json tol = *golden::tolerance(file, c, "float64");
  const auto a = values(in, "a");
  const DomainLoss loss = domain_loss(matrix(in, "specialist"), matrix(in, "generic"), a);
  EXPECT_TRUE(golden::agrees(expected, "loss", loss.value, tol));
  EXPECT_TRUE(golden::agrees(expected, "grad_a", loss.gradient, tol));
  auto selected = largest(dense::times(matrix(in, "generic"), a), c.at("params").at("select"));
  std::ranges::sort(selected);
  EXPECT_EQ(selected, expected.at("selected").get<std::vector<std::size_t>>());
}

TEST(OnlineBilevel, EveryCaseOfTheFileIsTested) {
  SIM_NEED_GOLDEN(file, "online_bilevel");
  EXPECT_EQ(file.at("cases").size(), 5u);
}

}  // namespace
}  // namespace simulacra::reweight
