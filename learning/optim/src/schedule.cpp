// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "render/config/config.h"

namespace simulacra::optim {

void fields(config::Fields& f, LearningRate& o) {
  f.field("lr", o.lr, "learning rate at its peak", {1e-12, 10});
  f.field("warmup", o.warmup, "updates from 0 to the peak", {0, 100'000'000});
  f.field("total", o.total, "updates until the cosine ends; 0 = constant after the warm-up", {0, 1'000'000'000});
  f.field("lr_end", o.lr_end, "learning rate where the cosine ends", {0, 10});
}

double learning_rate_at(const LearningRate& o, std::int64_t t) {
  const auto step = static_cast<double>(t);
  if (o.warmup > 0 && t <= o.warmup) return o.lr * step / o.warmup;
  if (o.total <= 0) return o.lr;
  const double part = o.total > o.warmup ? std::min(1.0, (step - o.warmup) / (o.total - o.warmup)) : 1.0;
  return o.lr_end + 0.5 * (o.lr - o.lr_end) * (1 + std::cos(std::numbers::pi * part));
}

double alpha_at(double alpha, std::int64_t over, std::int64_t s) {
  return over <= 0 ? alpha : std::min(static_cast<double>(s) * alpha / static_cast<double>(over), alpha);
}

double beta3_at(double start, double end, std::int64_t over, std::int64_t s) {
  if (over <= 0 || s >= over) return end;
  const double u = static_cast<double>(s) / static_cast<double>(over), from = std::log(start), to = std::log(end);
  return std::exp(from * to / ((1 - u) * to + u * from));
}

double half_life(double beta) { return std::log(0.5) / std::log(beta) - 1; }

}  // namespace simulacra::optim
