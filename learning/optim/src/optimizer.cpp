// SPDX-License-Identifier: Apache-2.0
#include "learning/optim/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "learning/kernels/optim.h"
#include "learning/optim/schedule.h"
#include "learning/optim/src/flat_buffer.h"
#include "learning/optim/src/parallel.h"
#include "render/base/error.h"
#include "render/config/config.h"

namespace simulacra::optim {
namespace {

using kernels::optim::States;
using kernels::optim::Update;

constexpr std::array<std::string_view, 2> kMethods = {"adamw", "ademamix"};
constexpr std::array<std::string_view, 2> kSlowAverages = {"float32", "bfloat16"};
constexpr std::int64_t kGrain = 1 << 15;  // elements: below, a second thread costs more than it gives

bool is_ademamix(const OptimizerOptions& o) { return o.method == "ademamix"; }

double start_of_beta3(const OptimizerOptions& o) { return o.beta3_start > 0 ? o.beta3_start : o.beta1 > 0 ? o.beta1 : 0.9; }

void require_sane(const OptimizerOptions& o) {
  if (std::ranges::find(kMethods, o.method) == kMethods.end())
    fail_usage("no optimizer is called '{}'; there are adamw and ademamix", o.method);
  if (std::ranges::find(kSlowAverages, o.slow_average) == kSlowAverages.end())
    fail_usage("slow_average = '{}', expected float32 or bfloat16", o.slow_average);
  const auto within = [](const char* name, double value) {
    if (!(value >= 0 && value < 1)) fail_usage("{} = {}, expected within [0, 1)", name, value);
  };
  within("beta1", o.beta1), within("beta2", o.beta2), within("beta3", o.beta3);
  if (is_ademamix(o) && !(o.beta3 > 0)) fail_usage("beta3 = {}, expected within (0, 1)", o.beta3);
}

template <typename T>
T* data_or_null(const torch::Tensor& t, std::int64_t offset) {
  return t.defined() ? t.mutable_data_ptr<T>() + offset : nullptr;
}

/// The part [begin, begin + n) of the buffers.
template <typename T>
States<T> part(const FlatParameters& p, const torch::Tensor& m1, const torch::Tensor& v, const torch::Tensor& m2, std::int64_t begin) {
  return {p.values().mutable_data_ptr<T>() + begin, p.gradients().const_data_ptr<T>() + begin, data_or_null<T>(m1, begin),
          data_or_null<T>(v, begin), m2.defined() && m2.scalar_type() == torch::kBFloat16 ? nullptr : data_or_null<T>(m2, begin)};
}

}  // namespace

void fields(config::Fields& f, OptimizerOptions& o) {
  f.field("method", o.method, "update rule", kMethods);
  f.field("beta1", o.beta1, "of the fast average; 0 leaves it out", {0, 0.999999});
  f.field("beta2", o.beta2, "of the squares", {0, 0.99999999});
  f.field("eps", o.eps, "added to the root", {0, 1});
  f.field("clip", o.clip, "largest norm of the whole gradient; 0 = as it is", {0, 1e9});
  f.field("beta3", o.beta3, "AdEMAMix: of the slow average", {0, 0.99999999});
  f.field("alpha", o.alpha, "AdEMAMix: weight of the slow average", {0, 1000});
  f.field("alpha_over", o.alpha_over, "AdEMAMix: updates until alpha is reached; 0 = from the first", {0, 1'000'000'000});
  f.field("beta3_over", o.beta3_over, "AdEMAMix: updates until beta3 is reached; 0 = from the first", {0, 1'000'000'000});
  f.field("beta3_start", o.beta3_start, "AdEMAMix: where beta3 begins; 0 = at beta1, or at 0.9 when that is 0", {0, 0.99999999});
  f.field("count_from", o.count_from, "AdEMAMix: the schedules' argument in the first update", {0, 1});
  f.field("slow_average", o.slow_average, "AdEMAMix: how m2 is kept; bfloat16 is rounded at random", kSlowAverages);
  f.field("seed", o.seed, "of that rounding");
}

Optimizer::Optimizer(FlatParameters& parameters, const OptimizerOptions& options) : parameters_(parameters), options_(options) {
  require_sane(options_);
  const torch::ScalarType type = parameters_.values().scalar_type();
  v_ = new_state(type);
  if (options_.beta1 > 0) m1_ = new_state(type);
  if (is_ademamix(options_)) m2_ = new_slow_average();
}

torch::Tensor Optimizer::new_slow_average() const {
  const torch::ScalarType type = parameters_.values().scalar_type();
  const bool half = options_.slow_average == "bfloat16";
  if (half && (type != torch::kFloat || !parameters_.values().is_cpu()))
    fail_usage("slow_average = bfloat16 is for float32 parameters on a CPU; these are {} on {}", c10::toString(type),
               parameters_.values().device().str());
  return new_state(half ? torch::kBFloat16 : type);
}

torch::Tensor Optimizer::new_state(torch::ScalarType type) const {
  return flat_buffer(parameters_.size(), parameters_.values().options().dtype(type));
}

double Optimizer::clip_scale(Report& report) const {
  if (options_.clip <= 0) return 1;
  report.gradient_norm = parameters_.gradient_norm();
  if (!std::isfinite(report.gradient_norm))
    fail("update {}: the norm of the gradient is {}; the parameters were left as they are: look at the loss of this batch, or "
         "lower the learning rate", updates_ + 1, report.gradient_norm);
  return std::min(1.0, options_.clip / report.gradient_norm);
}

Optimizer::Report Optimizer::step(double lr) {
  parameters_.check();
  Report report;
  const double scale = clip_scale(report);
  ++updates_;
  const std::int64_t s = updates_ - switched_at_ - 1 + options_.count_from;
  if (is_ademamix(options_)) {
    report.alpha = alpha_at(options_.alpha, options_.alpha_over, s);
    report.beta3 = beta3_at(start_of_beta3(options_), options_.beta3, options_.beta3_over, s);
  }
  const auto t = static_cast<double>(updates_);
  Update u{.lr = lr, .beta1 = options_.beta1, .beta2 = options_.beta2, .beta3 = report.beta3, .alpha = report.alpha,
           .eps = options_.eps, .weight_decay = 0, .correction1 = 1 - std::pow(options_.beta1, t),
           .correction2 = 1 - std::pow(options_.beta2, t), .grad_scale = scale};
  const torch::NoGradGuard no_grad;
  for (const FlatParameters::Range& range : parameters_.ranges()) {
    u.lr = lr * range.lr_factor;
    u.weight_decay = range.weight_decay;
    if (!parameters_.values().is_cpu()) {
      const auto cut = [&](const torch::Tensor& x) { return x.defined() ? x.slice(0, range.begin, range.end) : x; };
      detail::step_with_tensors(cut(parameters_.values()), cut(parameters_.gradients()), cut(m1_), cut(v_), cut(m2_), u.lr,
                                u.weight_decay, scale, report.alpha, report.beta3, updates_, options_);
      continue;
    }
    parallel_ranges(range.end - range.begin, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = range.begin + begin;
      const auto n = static_cast<std::size_t>(end - begin);
      if (parameters_.values().scalar_type() == torch::kDouble)
        return kernels::optim::update(u, part<double>(parameters_, m1_, v_, m2_, first), n);
      const States<float> states = part<float>(parameters_, m1_, v_, m2_, first);
      if (!m2_.defined() || states.m2) return kernels::optim::update(u, states, n);
      auto* half = reinterpret_cast<std::uint16_t*>(m2_.mutable_data_ptr<c10::BFloat16>()) + first;
      const std::uint64_t seed = options_.seed * 0x9E3779B97F4A7C15ull + static_cast<std::uint64_t>(updates_);
      kernels::optim::update_bf16(u, states, {half, seed, static_cast<std::uint64_t>(first)}, n);
    });
  }
  return report;
}

void Optimizer::switch_to_ademamix(const OptimizerOptions& options) {
  require_sane(options);
  if (!is_ademamix(options)) fail_usage("the switch to AdEMAMix was given the options of '{}'", options.method);
  if ((options.beta1 > 0) != m1_.defined())
    fail_usage("beta1 = {} after the switch and {} before: either both are 0 or none is", options.beta1, options_.beta1);
  options_ = options;
  switched_at_ = updates_;
  m2_ = new_slow_average();
}

std::int64_t Optimizer::state_bytes() const {
  std::int64_t sum = 0;
  for (const torch::Tensor& t : {m1_, v_, m2_})
    if (t.defined()) sum += static_cast<std::int64_t>(t.nbytes());
  return sum;
}

Optimizer::State Optimizer::state_dict() const {
  State state = {{"updates", torch::scalar_tensor(updates_, torch::kInt64)},
                 {"switched_at", torch::scalar_tensor(switched_at_, torch::kInt64)},
                 {"v", v_}};
  if (m1_.defined()) state.emplace("m1", m1_);
  if (m2_.defined()) state.emplace("m2", m2_);
  return state;
}

void Optimizer::load_state_dict(const State& state) {
  const State own = state_dict();
  for (const auto& [name, value] : state)
    if (!own.contains(name)) fail("optimizer state: '{}' is unknown to {}, beta1 = {}", name, options_.method, options_.beta1);
  for (const auto& [name, value] : own) {
    const auto found = state.find(name);
    if (found == state.end()) fail("optimizer state: '{}' is missing, which {} needs", name, options_.method);
    const torch::Tensor& given = found->second;
    if (given.sizes() != value.sizes() || given.scalar_type() != value.scalar_type())
      fail("optimizer state: '{}' has {} elements of {}, expected {} of {}", name, given.numel(),
           c10::toString(given.scalar_type()), value.numel(), c10::toString(value.scalar_type()));
  }
  const torch::NoGradGuard no_grad;
  for (const auto& [name, value] : own)
    if (value.dim() > 0) torch::Tensor(value).copy_(state.at(name));
  updates_ = state.at("updates").item<std::int64_t>();
  switched_at_ = state.at("switched_at").item<std::int64_t>();
}

namespace detail {

void step_with_tensors(torch::Tensor theta, const torch::Tensor& gradient, torch::Tensor m1, torch::Tensor v, torch::Tensor m2,
                       double lr, double weight_decay, double grad_scale, double alpha, double beta3, std::int64_t t,
                       const OptimizerOptions& o) {
  const torch::Tensor g = grad_scale == 1 ? gradient : gradient * grad_scale;
  torch::Tensor direction = g;
  if (m1.defined()) direction = m1.mul_(o.beta1).add_(g, 1 - o.beta1) / (1 - std::pow(o.beta1, static_cast<double>(t)));
  if (m2.defined()) direction = direction + m2.mul_(beta3).add_(g, 1 - beta3) * alpha;
  v.mul_(o.beta2).addcmul_(g, g, 1 - o.beta2);
  const torch::Tensor root = (v / (1 - std::pow(o.beta2, static_cast<double>(t)))).sqrt_().add_(o.eps);
  theta.mul_(1 - lr * weight_decay).addcdiv_(direction, root, -lr);
}

}  // namespace detail

}  // namespace simulacra::optim
