// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refine/cycle.h"

#include <cmath>

#include "render/base/error.h"
#include "sim2real/refine/losses.h"
#include "sim2real/refine/src/frozen.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;

Tensor taken_for_real(Players& p, const Tensor& refined) {
  const Tensor logits = p.discriminator->forward(refined);
  return local_loss(logits, ImageClass::real).mean() / static_cast<double>(logits.size(2) * logits.size(3));
}

Tensor distance(const Tensor& a, const Tensor& b) { return (a - b).abs().mean(); }

double teach(Players& p, const Tensor& from, const Tensor& to, History* history) {
  const double loss = history ? step_discriminator(p, from, to, *history, history->draw()) : step_discriminator(p, from, to);
  const torch::NoGradGuard no_grad;
  const Tensor logits = p.discriminator->forward(to.slice(0, 0, 1));
  return loss / static_cast<double>(logits.size(2) * logits.size(3));
}

}  // namespace

CycleStep step_refiners(CyclePlayers& players, const Tensor& x, const Tensor& y, const CycleWeights& weights) {
  Players &g = players.to_real, &f = players.to_synthetic;
  const Frozen frozen_real(*g.discriminator), frozen_synthetic(*f.discriminator);
  const Tensor as_real = g.refiner->forward(x), as_synthetic = f.refiner->forward(y);
  const Tensor adversarial = taken_for_real(g, as_real) + taken_for_real(f, as_synthetic);
  const Tensor cycle = distance(f.refiner->forward(as_real), x) + distance(g.refiner->forward(as_synthetic), y);
  const Tensor identity = weights.identity > 0 ? distance(g.refiner->forward(y), y) + distance(f.refiner->forward(x), x) : torch::zeros({});
  const Tensor total = adversarial + weights.cycle * cycle + weights.identity * identity;
  if (!std::isfinite(total.item<double>())) fail("the cycle-consistent training diverged: its loss is {}", total.item<double>());
  g.refiner_optimiser->zero_grad();
  f.refiner_optimiser->zero_grad();
  total.backward();
  g.refiner_optimiser->step();
  f.refiner_optimiser->step();
  return {adversarial.item<double>(), cycle.item<double>(), identity.item<double>()};
}

double step_discriminators(CyclePlayers& players, const Tensor& synthetic, const Tensor& real, History* of_real, History* of_synthetic) {
  return teach(players.to_real, synthetic, real, of_real) + teach(players.to_synthetic, real, synthetic, of_synthetic);
}

}  // namespace simulacra::sim2real
