// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/model_average.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "learning/kernels/optim.h"
#include "learning/optim/src/flat_buffer.h"
#include "learning/optim/src/parallel.h"
#include "render/base/error.h"

namespace simulacra::optim {
namespace {

constexpr std::int64_t kGrain = 1 << 15;

template <typename T>
void average(double rho, torch::Tensor& mean, const torch::Tensor& theta) {
  T* to = mean.mutable_data_ptr<T>();
  const T* from = theta.const_data_ptr<T>();
  parallel_ranges(mean.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    kernels::optim::average(rho, to + begin, from + begin, static_cast<std::size_t>(end - begin));
  });
}

void exchange(torch::Tensor& a, torch::Tensor& b) {
  const torch::Tensor kept = a.clone();
  a.copy_(b);
  b.copy_(kept);
}

}  // namespace

ModelAverage::ModelAverage(const FlatParameters& parameters, std::vector<torch::Tensor> buffers, Buffers policy)
    : mean_(flat_buffer(parameters.size(), parameters.values().options()).copy_(parameters.values())), buffers_(std::move(buffers)),
      policy_(policy) {
  for (const torch::Tensor& b : buffers_) buffer_means_.push_back(b.detach().clone());
}

void ModelAverage::update(const FlatParameters& parameters, double rho) {
  if (!(rho >= 0 && rho <= 1)) fail_usage("rho = {} of a model average, expected within [0, 1]", rho);
  if (parameters.size() != mean_.numel())
    fail_usage("the average is of {} values, the model has {}", mean_.numel(), parameters.size());
  const torch::NoGradGuard no_grad;
  if (!mean_.is_cpu())
    mean_.mul_(rho).add_(parameters.values(), 1 - rho);
  else if (mean_.scalar_type() == torch::kFloat)
    average<float>(rho, mean_, parameters.values());
  else
    average<double>(rho, mean_, parameters.values());
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (policy_ == Buffers::copy || !buffers_[i].is_floating_point())
      buffer_means_[i].copy_(buffers_[i]);
    else
      buffer_means_[i].mul_(rho).add_(buffers_[i], 1 - rho);
  }
}

void ModelAverage::swap_with(FlatParameters& parameters) {
  const torch::NoGradGuard no_grad;
  exchange(mean_, parameters.values());
  for (std::size_t i = 0; i < buffers_.size(); ++i) exchange(buffer_means_[i], buffers_[i]);
}

Scaled scale_hyperparameters(const HyperParameters& base, double k, OptimizerKind kind) {
  if (!(k > 0)) fail_usage("a batch cannot become {} times as large; expected a number above 0", k);
  Scaled scaled{.values = base, .warnings = {}};
  HyperParameters& h = scaled.values;
  h.batch = base.batch * k;
  h.rho = std::pow(base.rho, k);
  if (kind == OptimizerKind::sgd) {
    h.lr = base.lr * k;
  } else {
    const double root = std::sqrt(k);
    h.lr = base.lr * root;
    h.beta1 = 1 - k * (1 - base.beta1);
    h.beta2 = 1 - k * (1 - base.beta2);
    h.eps = base.eps / root;
    h.weight_decay = base.weight_decay * root;
    scaled.second_moment_short = k * (1 - base.beta2) >= 0.5;
    scaled.beta1_valid = k * (1 - base.beta1) < 1;
  }
  scaled.average_short = k * (1 - base.rho) > 0.5;
  if (!scaled.beta1_valid)
    scaled.warnings.push_back(fmt::format("beta1 would be {:.4g} at {:g} times the batch; the largest factor for beta1 = {:g} is {:.4g}",
                                          h.beta1, k, base.beta1, 1 / (1 - base.beta1)));
  if (scaled.second_moment_short)
    scaled.warnings.push_back(fmt::format("k (1 - beta2) = {:.3g} is not small: the rule for Adam is of first order in it", k * (1 - base.beta2)));
  if (scaled.average_short)
    scaled.warnings.push_back(fmt::format("k (1 - rho) = {:.3g} is not small: the average would follow the last batches only", k * (1 - base.rho)));
  return scaled;
}

double half_life_in_samples(const HyperParameters& h) { return h.batch * std::log(0.5) / std::log(h.rho); }

double cosine_momentum(double rho, double samples, double total) {
  return 1 - (1 - rho) * 0.5 * (1 + std::cos(std::numbers::pi * samples / total));
}

}  // namespace simulacra::optim
