// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/random.h"

#include <array>
#include <cmath>
#include <numbers>

#include "render/base/mix64.h"

namespace simulacra::sensor {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;

/// log k!: a table, then Stirling's series, whose error is below 1e-12 from 10 on.
double log_factorial(double k) {
  static const std::array<double, 10> kTable = [] {
    std::array<double, 10> t{};
    for (std::size_t i = 1; i < t.size(); ++i) t[i] = t[i - 1] + std::log(static_cast<double>(i));
    return t;
  }();
  if (k < 10) return kTable[static_cast<std::size_t>(k)];
  const double x = k + 1, inverse = 1 / x, square = inverse * inverse;
  return (x - 0.5) * std::log(x) - x + 0.5 * std::log(2 * std::numbers::pi) +
         inverse * (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680)));
}

double poisson_by_inversion(double mean, double u) {
  double probability = std::exp(-mean), sum = probability, k = 0;
  while (u > sum && k < 1000) {
    probability *= mean / ++k;
    sum += probability;
  }
  return k;
}

double poisson_by_rejection(double mean, Stream& stream) {
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), quick = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.uniform() - 0.5, v = stream.uniform();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= quick) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * std::log(mean) - mean - log_factorial(k)) return k;
  }
}

}  // namespace

Stream::Stream(std::uint64_t seed, std::uint32_t frame, Purpose purpose, std::uint64_t site)
    : key_(mix64(seed + kGolden)) {
  for (const std::uint64_t part : {std::uint64_t{frame}, static_cast<std::uint64_t>(purpose), site})
    key_ = mix64(key_ + (part + 1) * kGolden);
}

double Stream::uniform() {
  return (static_cast<double>(mix64(key_ + ++counter_ * kGolden) >> 12) + 0.5) * 0x1p-52;
}

double Stream::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

double Stream::poisson(double mean) {
  if (!(mean > 0)) return 0;
  return mean < 30 ? poisson_by_inversion(mean, uniform()) : poisson_by_rejection(mean, *this);
}

}  // namespace simulacra::sensor
