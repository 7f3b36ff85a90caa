// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/dab/bridge.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include <fmt/ranges.h>

#include "learning/dab/estimators.h"
#include "render/base/error.h"
#include "render/base/log.h"

namespace simulacra::learning {
namespace {

/// Weights without gradients until the end of the scope; each is then as it was.
class Frozen {
 public:
  explicit Frozen(const torch::nn::Module& module) {
    for (torch::Tensor& p : module.parameters())
      if (p.requires_grad()) thawed_.push_back(p.set_requires_grad(false));
  }
  ~Frozen() {
    for (torch::Tensor& p : thawed_) p.set_requires_grad(true);
  }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  std::vector<torch::Tensor> thawed_;
};

void check_same_shape(const torch::Tensor& g, const torch::Tensor& y) {
  if (g.sizes() != y.sizes())
    fail("bridge: the surrogate gives [{}], the hard function [{}]", fmt::join(g.sizes(), ", "), fmt::join(y.sizes(), ", "));
}

torch::Tensor residual_of(const torch::Tensor& g, const torch::Tensor& y) { return (g - y).square().flatten(1).sum(1).mean(); }

torch::Tensor variance_of(const torch::Tensor& y) { return (y - y.mean(0, true)).square().flatten(1).sum(1).mean(); }

}  // namespace

BridgeImpl::BridgeImpl(HardFunction hard, torch::nn::Sequential surrogate) : hard_(std::move(hard)) {
  surrogate_ = register_module("surrogate", std::move(surrogate));
}

BridgeOutput BridgeImpl::forward(const torch::Tensor& z) {
  const torch::Tensor y = hard_(z.detach()).detach();
  if (!torch::GradMode::is_enabled()) return {.y = y, .loss = {}, .residual = {}, .variance = {}};
  if (y.dim() < 2) fail("bridge: the hard function gives [{}], expected [samples, features …]", fmt::join(y.sizes(), ", "));

  const torch::Tensor imitation = surrogate_->forward(z.detach());
  check_same_shape(imitation, y);
  BridgeOutput out{.y = y, .loss = residual_of(imitation, y), .residual = {}, .variance = variance_of(y)};
  out.residual = out.loss.detach();
  if (z.requires_grad()) {
    const Frozen frozen(*surrogate_);
    out.y = with_gradient_of(y, surrogate_->forward(z));
  }
  return out;
}

BridgeOutput BridgeImpl::measure(const torch::Tensor& z) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor y = hard_(z), imitation = surrogate_->forward(z);
  check_same_shape(imitation, y);
  return {.y = y, .loss = {}, .residual = residual_of(imitation, y), .variance = variance_of(y)};
}

torch::Tensor mean_bridge_loss(std::span<const BridgeOutput> uses) {
  if (uses.empty()) fail("bridge: the mean of the losses of no use");
  std::vector<torch::Tensor> losses;
  for (const BridgeOutput& use : uses) losses.push_back(use.loss);
  return torch::stack(losses).mean();
}

std::optional<double> relative_residual(const BridgeOutput& use) {
  const double variance = use.variance.item<double>();
  if (!(variance > 0)) return std::nullopt;
  return use.residual.item<double>() / variance;
}

ResidualMonitor::ResidualMonitor(std::string name, Options options) : name_(std::move(name)), options_(options) {
  if (options.window < 1 || !(options.threshold > 0))
    fail("residual monitor: window {} and threshold {}, expected 1 or more and above 0", options.window, options.threshold);
}

bool ResidualMonitor::observe(const BridgeOutput& use) {
  ++uses_;
  // A plain mean until the window is full, exponential after that.
  const double share = 1.0 / static_cast<double>(std::min<std::int64_t>(uses_, options_.window));
  residual_ += share * (use.residual.item<double>() - residual_);
  variance_ += share * (use.variance.item<double>() - variance_);
  const auto now = rho();
  if (!now || uses_ < options_.window) return false;
  const bool above = *now > options_.threshold, warn = above && !warned_;
  warned_ = above;
  if (warn)
    log_warning("{}: the surrogate misses {:.0f} % of the hard function's variance, so its gradient is mostly noise; bound its "
                "input (tanh, layer norm), widen it, raise its learning rate or train it in advance",
                name_, 100 * *now);
  return warn;
}

std::optional<double> ResidualMonitor::rho() const {
  if (!(variance_ > 0)) return std::nullopt;
  return residual_ / variance_;
}

ParameterGroups parameter_groups(const torch::nn::Module& model) {
  std::unordered_set<const void*> in_surrogates;
  ParameterGroups groups;
  const std::function<void(const torch::nn::Module&)> collect = [&](const torch::nn::Module& module) {
    if (const auto* bridge = dynamic_cast<const BridgeImpl*>(&module))
      for (const torch::Tensor& p : bridge->surrogate()->parameters())
        if (in_surrogates.insert(p.unsafeGetTensorImpl()).second) groups.surrogates.push_back(p);
  };
  model.apply(collect);
  for (const torch::Tensor& p : model.parameters())
    if (!in_surrogates.contains(p.unsafeGetTensorImpl())) groups.network.push_back(p);
  return groups;
}

}  // namespace simulacra::learning
