// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "learning/train/src/steps.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <cmath>

#include <unistd.h>

#include "learning/train/precision.h"
#include "learning/train/run_folder.h"
#include "render/base/error.h"

namespace simulacra::learning {

Precision::Precision(const std::string& precision) : on_(precision == "bfloat16") {
  if (!on_) return;
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
}

Precision::~Precision() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::clear_cache();
}

void Pace::fill(StepReport& report, double wait_seconds) const {
  const double spent = watch_.seconds();
  const auto steps = static_cast<double>(report.step - first_step_);
  report.images_per_s = steps * static_cast<double>(images_per_step_) / spent;
  report.seconds_left = static_cast<double>(report.steps - report.step) * spent / steps;
  report.wait_share = wait_seconds / spent;
}

torch::Tensor summed(Collective* peers, const torch::Tensor& local) { return peers ? peers->all_reduce_sum(local) : local; }

bool stop_asked(const TrainControl& control, Collective* peers) {
  const double here = control.cancel && control.cancel->load() ? 1 : 0;
  return summed(peers, torch::full({1}, here, torch::kFloat64)).item<double>() > 0;
}

StepReport update(optim::FlatParameters& parameters, optim::Optimizer& optimizer, const optim::LearningRate& schedule, Collective* peers,
                  double loss, std::int64_t done) {
  if (peers) parameters.gradients().copy_(peers->all_reduce_sum(parameters.gradients()));
  if (!std::isfinite(loss)) fail("step {}: the loss is {}; lower schedule.lr, clip gradients by optimizer.clip, or raise optimizer.eps ({})", done + 1, loss,
                                optimizer.options().eps);
  StepReport report;
  report.step = done + 1;
  report.steps = schedule.total;
  report.loss = loss;
  report.learning_rate = optim::learning_rate_at(schedule, done + 1);
  // A clipping step measures the norm anyway.
  const bool clips = optimizer.options().clip > 0;
  const double norm = clips ? 0 : parameters.gradient_norm();
  const optim::Optimizer::Report step = optimizer.step(report.learning_rate);
  report.gradient_norm = clips ? step.gradient_norm : norm;
  return report;
}

void add_run_state(Checkpoint& c, const torch::nn::Module& model, const optim::Optimizer& optimizer) {
  for (const auto& [name, value] : state_of(model)) c.tensors["model." + name] = value;
  for (const auto& [name, value] : optimizer.state_dict()) c.tensors["optimizer." + name] = value;
  c.tensors["random.cpu"] = at::detail::getDefaultCPUGenerator().get_state();
}

void restore_run_state(const Checkpoint& c, const std::filesystem::path& file, const torch::nn::Module& model, optim::Optimizer& optimizer) {
  restore(c.tensors, "model", state_of(model), file.string());
  optim::Optimizer::State state;
  for (const auto& [key, value] : c.tensors)
    if (key.starts_with("optimizer.")) state[key.substr(10)] = value;
  optimizer.load_state_dict(state);
  if (!c.tensors.contains("random.cpu")) fail("{}: holds no random.cpu", file.string());
  auto generator = at::detail::getDefaultCPUGenerator();
  generator.set_state(c.tensors.at("random.cpu"));
}

void need_same_run(const Checkpoint& c, const std::filesystem::path& file, const std::string& config, const std::string& fingerprint,
                   const std::string& data, int processes) {
  if (c.processes != processes)
    fail_usage("{}: is of a run of {} processes, and here are {}, which would make other batches", file.string(), c.processes, processes);
  if (c.config != config) fail_usage("{}: is of a run with another configuration: {}", file.string(), first_difference(c.config, config));
  if (c.data_fingerprint != fingerprint) fail_usage("{}: is of a run on other frames than {} has now", file.string(), data);
}

void need_whole_patches(const LoaderOptions& loader, const FrameIndex& frames, const nn::VitOptions& vit) {
  const auto need = [&](const char* key, int asked, int of_frame) {
    const int size = asked > 0 ? asked : of_frame;
    if (size % vit.patch_size != 0)
      fail_usage("loader.{}: {} is no multiple of the patch size {}; {} would do", key, size, vit.patch_size, std::max(1, size / vit.patch_size) * vit.patch_size);
  };
  need("height", loader.height, frames.height);
  need("width", loader.width, frames.width);
}

void need_memory(const nn::VitOptions& vit) {
  const double dim = vit.dim, grid = vit.position == "learnable" ? vit.image_size / vit.patch_size : 0;
  const double parameters = vit.depth * (4 + 2 * vit.mlp_ratio) * dim * dim + grid * grid * dim;
  const double needed = 16 * parameters;  // weights, gradients and two averages of the optimizer, four bytes each
  const double there = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (needed > there)
    fail_usage("model: {:.3g} million parameters need {:.0f} GB with gradients and optimizer, and this machine has {:.0f}; lower depth or dim",
               parameters / 1e6, needed / 1e9, there / 1e9);
}

}  // namespace simulacra::learning
