// SPDX-License-Identifier: Apache-2.0
#include "sim2real/reweight/selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "render/base/error.h"
#include "sim2real/dense/logistic.h"
#include "sim2real/reweight/flow.h"

namespace simulacra::reweight {
namespace {

double cosine(std::span<const double> a, std::span<const double> b) { return dense::dot(a, b) / (dense::norm(a) * dense::norm(b)); }

std::vector<double> mean_of_rows(const dense::Matrix& m, std::span<const std::size_t> rows) {
  std::vector<double> mean(m.columns);
  for (const std::size_t i : rows)
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += m(i, j) / static_cast<double>(rows.size());
  return mean;
}

}  // namespace

std::vector<double> soba_scores_gradient(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> v) {
  return logit_gradient(w, dense::times(gradients, v));
}

std::vector<double> look_ahead_scores_gradient(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> theta, double eta,
                                               const std::function<std::vector<double>(std::span<const double>)>& specialist_gradient) {
  const std::vector<double> mean = dense::transposed_times(gradients, w);
  std::vector<double> ahead(theta.begin(), theta.end());
  for (std::size_t j = 0; j < ahead.size(); ++j) ahead[j] -= eta * mean[j];
  std::vector<double> q = dense::times(gradients, specialist_gradient(ahead));
  for (double& v : q) v *= -eta;
  return logit_gradient(w, q);
}

Alignment normalised_alignment(const dense::Matrix& gradients, std::span<const double> w, std::span<const double> g) {
  const std::vector<double> mean = dense::transposed_times(gradients, w);
  const double length = dense::norm(mean), along = dense::dot(mean, g);
  if (!(length > 0)) fail("the mean gradient of a batch is 0: nothing can be aligned");
  const std::vector<double> with_g = dense::times(gradients, g), with_mean = dense::times(gradients, mean);
  Alignment a;
  a.value = along / length;
  for (std::size_t i = 0; i < w.size(); ++i) a.gradient_w.push_back(with_g[i] / length - along * with_mean[i] / (length * length * length));
  a.gradient_scores = logit_gradient(w, a.gradient_w);
  return a;
}

std::vector<std::size_t> largest(std::span<const double> scores, std::size_t count) {
  SIM_CHECK(count <= scores.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; };
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(), before);
  order.resize(count);
  return order;
}

std::vector<std::size_t> draw_without_replacement(std::span<const double> log_w, std::span<const double> uniforms, std::size_t count) {
  SIM_CHECK(log_w.size() == uniforms.size());
  std::vector<double> keys(log_w.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = log_w[i] - std::log(-std::log(uniforms[i] + 0x1p-25));
  return largest(keys, count);
}

std::vector<double> contrastive_scores(std::span<const double> loss_before, std::span<const double> loss_after) {
  SIM_CHECK(loss_before.size() == loss_after.size());
  std::vector<double> scores(loss_after.begin(), loss_after.end());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] -= loss_before[i];
  return scores;
}

DomainLoss domain_loss(const dense::Matrix& specialist, const dense::Matrix& generic, std::span<const double> a) {
  DomainLoss loss;
  loss.gradient.resize(a.size());
  const auto add = [&](const dense::Matrix& rows, double label) {
    const double share = 0.5 / static_cast<double>(rows.rows);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const double t = label * dense::dot(rows.row(i), a);
      loss.value += share * dense::log1p_exp(-t);
      const double pull = -label * share * std::exp(-dense::log1p_exp(t));   // sigmoid(-t)
      for (std::size_t j = 0; j < a.size(); ++j) loss.gradient[j] += pull * rows(i, j);
    }
  };
  add(specialist, 1);
  add(generic, -1);
  return loss;
}

AlignmentTest alignment_test(const dense::Matrix& generic_gradients, std::span<const std::size_t> selected, std::span<const double> training,
                             std::span<const double> held_out) {
  std::vector<std::size_t> all(generic_gradients.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return {cosine(training, held_out), cosine(mean_of_rows(generic_gradients, selected), held_out),
          cosine(mean_of_rows(generic_gradients, all), held_out)};
}

}  // namespace simulacra::reweight
