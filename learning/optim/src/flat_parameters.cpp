// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/flat_parameters.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "learning/kernels/optim.h"
#include "learning/optim/src/flat_buffer.h"
#include "learning/optim/src/parallel.h"
#include "render/base/error.h"

namespace simulacra::optim {
namespace {

constexpr std::int64_t kAlignment = 64;   // bytes
constexpr std::int64_t kBlock = 1 << 16;  // elements of one partial sum: fixed, so that threads do not matter

std::string type_name(const torch::Tensor& t) { return c10::toString(t.scalar_type()); }

void require_same_kind(const std::string& name, const torch::Tensor& parameter, const torch::Tensor& first) {
  if (parameter.scalar_type() != torch::kFloat && parameter.scalar_type() != torch::kDouble)
    fail_usage("parameter '{}' is {}; the optimizers keep float32 or float64", name, type_name(parameter));
  if (parameter.scalar_type() != first.scalar_type() || parameter.device() != first.device())
    fail_usage("parameter '{}' is {} on {}, the first one {} on {}: all have to be alike", name, type_name(parameter),
               parameter.device().str(), type_name(first), first.device().str());
}

template <typename T>
double sum_of_squares(const torch::Tensor& x) {
  const T* data = x.const_data_ptr<T>();
  const std::int64_t n = x.numel(), blocks = (n + kBlock - 1) / kBlock;
  std::vector<double> partial(static_cast<std::size_t>(blocks));
  parallel_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b)
      partial[static_cast<std::size_t>(b)] = kernels::optim::sum_of_squares(
          data + b * kBlock, static_cast<std::size_t>(std::min(kBlock, n - b * kBlock)));
  });
  double sum = 0;
  for (const double p : partial) sum += p;
  return sum;
}

}  // namespace

std::vector<ParameterGroup> groups_by_decay(const torch::nn::Module& module, double weight_decay) {
  ParameterGroup decayed{.name = "decayed", .parameters = {}, .weight_decay = weight_decay}, free{.name = "free", .parameters = {}};
  for (const auto& item : module.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    const bool matrix = item.key().ends_with("weight") && item.value().dim() >= 2;
    (matrix ? decayed : free).parameters.emplace_back(item.key(), item.value());
  }
  std::vector<ParameterGroup> groups;
  for (ParameterGroup* g : {&decayed, &free})
    if (!g->parameters.empty()) groups.push_back(std::move(*g));
  return groups;
}

FlatParameters::FlatParameters(const std::vector<ParameterGroup>& groups) {
  // Offsets.
  std::int64_t at = 0;
  std::set<const void*> seen;
  for (const ParameterGroup& group : groups) {
    Range range{group.name, at, at, group.lr_factor, group.weight_decay};
    for (const auto& [name, parameter] : group.parameters) {
      require_same_kind(name, parameter, groups.front().parameters.front().second);
      if (!seen.insert(parameter.unsafeGetTensorImpl()).second) fail_usage("parameter '{}' stands in two groups", name);
      entries_.push_back({name, parameter, at});
      count_ += parameter.numel();
      const std::int64_t step = kAlignment / parameter.element_size();
      at += (parameter.numel() + step - 1) / step * step;
    }
    range.end = at;
    ranges_.push_back(std::move(range));
  }
  if (entries_.empty()) fail_usage("there is no parameter to optimise: every one is frozen, or the model has none");

  // Buffers, and the parameters as views into them.
  const auto options = entries_.front().parameter.options().requires_grad(false);
  values_ = flat_buffer(at, options);
  gradients_ = flat_buffer(at, options);
  const torch::NoGradGuard no_grad;
  for (Entry& e : entries_) {
    const auto view_of = [&](const torch::Tensor& flat) { return flat.narrow(0, e.offset, e.parameter.numel()).view(e.parameter.sizes()); };
    torch::Tensor value = view_of(values_);
    value.copy_(e.parameter);
    e.parameter.set_data(value);
    e.parameter.mutable_grad() = view_of(gradients_);
  }
}

double FlatParameters::gradient_norm() const {
  if (!gradients_.is_cpu()) return gradients_.norm(2, torch::kDouble).item<double>();
  return std::sqrt(gradients_.scalar_type() == torch::kFloat ? sum_of_squares<float>(gradients_) : sum_of_squares<double>(gradients_));
}

void FlatParameters::check() const {
  const auto* values = static_cast<const char*>(values_.const_data_ptr());
  const auto* gradients = static_cast<const char*>(gradients_.const_data_ptr());
  for (const Entry& e : entries_) {
    const std::int64_t bytes = e.offset * e.parameter.element_size();
    if (e.parameter.const_data_ptr() != values + bytes)
      fail_usage("parameter '{}' left the optimizer's buffer; move or load a model before its FlatParameters are made, and "
                 "copy_() into its parameters afterwards", e.name);
    if (!e.parameter.grad().defined() || e.parameter.grad().const_data_ptr() != gradients + bytes)
      fail_usage("the gradient of parameter '{}' left the optimizer's buffer; call FlatParameters::zero_gradients() instead of "
                 "the module's zero_grad()", e.name);
  }
}

}  // namespace simulacra::optim
