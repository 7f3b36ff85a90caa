// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "sim2real/refinery/src/players_state.h"

#include <memory>

#include "learning/train/checkpoint.h"
#include "render/base/error.h"

namespace simulacra::sim2real {
namespace {

using torch::Tensor;
using AdamState = torch::optim::AdamParamState;

const Tensor& found(const NamedTensors& from, const std::string& name, const std::string& file) {
  const auto at = from.find(name);
  if (at == from.end()) fail("{}: holds no {}", file, name);
  return at->second;
}

void add_player(NamedTensors& to, const std::string& prefix, const torch::nn::Module& net, torch::optim::Optimizer& adam) {
  for (const auto& [name, value] : learning::state_of(net)) to[prefix + "." + name] = value.clone();
  for (const auto& p : net.named_parameters()) {
    const auto at = adam.state().find(p.value().unsafeGetTensorImpl());
    if (at == adam.state().end()) continue;   // before its first step
    const auto& state = static_cast<const AdamState&>(*at->second);
    const std::string name = prefix + "_adam." + p.key();
    to[name + ".first"] = state.exp_avg().clone();
    to[name + ".second"] = state.exp_avg_sq().clone();
    to[name + ".step"] = torch::full({1}, state.step(), torch::kLong);
  }
}

Tensor as_remembered(const NamedTensors& from, const std::string& name, const Tensor& parameter, const std::string& file) {
  const Tensor& value = found(from, name, file);
  if (value.sizes() != parameter.sizes()) fail("{}: {} is {}, expected {}", file, name, c10::str(value.sizes()), c10::str(parameter.sizes()));
  return value.clone();
}

void restore_player(const NamedTensors& from, const std::string& prefix, torch::nn::Module& net, torch::optim::Optimizer& adam, const std::string& file) {
  learning::restore(from, prefix, learning::state_of(net), file);
  adam.state().clear();
  for (const auto& p : net.named_parameters()) {
    const std::string name = prefix + "_adam." + p.key();
    if (!from.contains(name + ".step")) continue;
    auto state = std::make_unique<AdamState>();
    state->exp_avg(as_remembered(from, name + ".first", p.value(), file));
    state->exp_avg_sq(as_remembered(from, name + ".second", p.value(), file));
    state->step(found(from, name + ".step", file).item<std::int64_t>());
    adam.state()[p.value().unsafeGetTensorImpl()] = std::move(state);
  }
}

}  // namespace

void add_state(NamedTensors& to, const std::string& prefix, const Players& players) {
  add_player(to, prefix + ".refiner", *players.refiner, *players.refiner_optimiser);
  add_player(to, prefix + ".discriminator", *players.discriminator, *players.discriminator_optimiser);
}

void restore_state(const NamedTensors& from, const std::string& prefix, Players& players, const std::string& file) {
  restore_player(from, prefix + ".refiner", *players.refiner, *players.refiner_optimiser, file);
  restore_player(from, prefix + ".discriminator", *players.discriminator, *players.discriminator_optimiser, file);
}

void add_state(NamedTensors& to, const std::string& prefix, const std::optional<History>& history) {
  if (!history) return;
  to[prefix + ".steps"] = torch::full({1}, history->steps(), torch::kLong);
  if (history->size() > 0) to[prefix + ".images"] = history->images();
}

void restore_state(const NamedTensors& from, const std::string& prefix, std::optional<History>& history, const std::string& file) {
  if (!history) return;
  const auto images = from.find(prefix + ".images");
  history->restore(images == from.end() ? Tensor() : images->second, found(from, prefix + ".steps", file).item<std::int64_t>());
}

}  // namespace simulacra::sim2real
