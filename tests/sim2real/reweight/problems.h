// SPDX-License-Identifier: Apache-2.0
// The regression of the golden files: half of the labels replaced by noise, the outer points clean.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim2real/reweight/flow.h"
#include "tests/support/golden.h"

namespace simulacra::test {

struct NoisyRegression {
  dense::Matrix x, x_outer;
  std::vector<double> theta0, y, y_outer;
  std::vector<bool> bad;
  double mu = 0;
  reweight::Regression problem() const { return {x, y, x_outer, y_outer, mu}; }
};

struct RegressionDraws {
  std::vector<double> x, x_outer, theta_raw, noise_train, noise_outer, bad_label_raw, bad_uniform;
};

inline NoisyRegression noisy_regression(const RegressionDraws& draws, double noise, double bad_fraction, double mu) {
  NoisyRegression r;
  const std::size_t n = draws.noise_train.size(), m = draws.noise_outer.size(), p = draws.theta_raw.size();
  r.x = {n, p, draws.x}, r.x_outer = {m, p, draws.x_outer}, r.mu = mu;
  for (const double t : draws.theta_raw) r.theta0.push_back(t / std::sqrt(static_cast<double>(p)));
  r.y = dense::times(r.x, r.theta0), r.y_outer = dense::times(r.x_outer, r.theta0);
  for (std::size_t i = 0; i < n; ++i) {
    r.bad.push_back(draws.bad_uniform[i] < bad_fraction);
    r.y[i] = r.bad[i] ? 2 * draws.bad_label_raw[i] : r.y[i] + noise * draws.noise_train[i];
  }
  for (std::size_t i = 0; i < m; ++i) r.y_outer[i] += noise * draws.noise_outer[i];
  return r;
}

inline NoisyRegression noisy_regression(const golden::Json& the_case) {
  const golden::Json &in = the_case.at("inputs"), &params = the_case.at("params");
  const auto values = [&](const char* name) { return golden::tensor(in.at(name)).values; };
  return noisy_regression({values("X"), values("X_outer"), values("theta_raw"), values("noise_train"), values("noise_outer"),
                           values("bad_label_raw"), values("bad_uniform")},
                          params.at("noise"), params.at("bad_fraction"), params.at("mu"));
}

/// The same from a seed, as the end-to-end experiments draw it.
inline NoisyRegression noisy_regression(std::uint64_t seed, std::size_t n, std::size_t p, std::size_t m) {
  return noisy_regression({golden::generate("normal12", seed, n * p), golden::generate("normal12", seed + 1, m * p),
                           golden::generate("normal12", seed + 2, p), golden::generate("normal12", seed + 3, n),
                           golden::generate("normal12", seed + 4, m), golden::generate("normal12", seed + 5, n),
                           golden::generate("uni24", seed + 6, n)},
                          0.5, 0.5, 0.05);
}

}  // namespace simulacra::test
